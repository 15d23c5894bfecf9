// Expressions and types: numbers, words, maps, structs, precedence.

//// integer division rounds so that remainders are not negative: safe
procedure p() { assert 7 div 2 == 3 && -7 div 2 == -4 && 7 div -2 == -3 && -7 div -2 == 4; }

//// remainders are not negative: safe
procedure p() { assert 7 mod 2 == 1 && -7 mod 2 == 1 && 7 mod -2 == 1 && -7 mod -2 == 1; }

//// division does not truncate: unsafe
procedure p() { assert -7 div 2 == -3; }

//// division of any number: safe, safe, unsafe
procedure p(x: int) { assert x == (x div 3) * 3 + x mod 3; assert 0 <= x mod 3 && x mod 3 < 3; assert x mod 3 != 2; }

//// division by a negative number: safe, safe
procedure p(x: int) { assert x == (x div -3) * -3 + x mod -3; assert 0 <= x mod -3 && x mod -3 < 3; }

//// division by zero is a function: safe
procedure p(x: int) { assert x div 0 == x div 0 && x mod 0 == x mod 0; }

//// division by zero is any value: unsafe
procedure p(x: int) { assert x div 0 == 0; }

//// remainder by zero is any value: unsafe
procedure p(x: int) { assert x mod 0 == x; }

//// real division by zero is any value: unsafe
procedure p(x: real) { assert x / 0.0 == 0.0; }

//// division by a variable: unsafe
procedure p(x: int, y: int) { assert (x div y) * y <= x; }

//// division by a variable that is not zero: safe
procedure p(x: int, y: int) { assume y == 4; assert (x div y) * y <= x; }

//// quotient of reals: safe, unsafe
procedure p(x: real) { assert 3.0 / 2.0 == 1.5; assert x / 2.0 < x; }

//// quotient of integers is real: safe
procedure p() { assert 3 / 2 == 1.5; }

//// quotients of integers in Boogie: unsafe
procedure p() { assert 3 / 2 == 1 / 1; }

//// quotients of integers beside a remainder: unsafe
procedure p() { assert 3 / 2 == 1 / 1; }
procedure q(x: int) { assume x mod 2 == 0 && x % 2 == 0 && x div 2 == 0; }

//// header of Ultimate: safe
//#Safe
procedure p() { assert 3 / 2 == 1 / 1 && -7 / 2 == -4 && -7 % 2 == 1; }

//// procedure of Ultimate: safe
procedure ULTIMATE.start() { assert 3 / 2 == 1 / 1; }

//// header in the middle: unsafe
procedure p() { assert 3 / 2 == 1 / 1; }
//#Safe

//// quotient where an integer is needed: safe
procedure p(x: int) { var y: int; y := x / 2; assume x == 7; assert y == 3; }

//// reals in Ultimate: safe
//#Safe
procedure p() { assert 3.0 / 2.0 == 1.5; }

//// conversion to integers rounds down: safe
procedure p() { assert int(3.7) == 3 && int(-3.5) == -4 && int(2.0) == 2; }

//// conversion to reals: safe, safe
procedure p(i: int) { assert int(real(i)) == i; assert real(i) + 1.0 == real(i + 1); }

//// conversion loses the fraction: unsafe
procedure p(r: real) { assert real(int(r)) == r; }

//// forms of reals: safe
procedure p() { assert 1e2 == 100.0 && 1.5e-1 == 0.15 && 0.1 + 0.2 == 0.3; }

//// reals are dense: safe
procedure p(a: real, b: real) { assume a < b; assert a < (a + b) / 2.0 && (a + b) / 2.0 < b; }

//// integers are discrete: safe
procedure p(a: int) { assert !(0 < a && a < 1); }

//// integers have no bound: safe
procedure p() { assert 100000000000000000000 * 100000000000000000000 == 10000000000000000000000000000000000000000; }

//// integers do not wrap: safe
procedure p(x: int) { assert x + 1 > x; }

//// precedence of sums and products: safe
procedure p() { assert 2 + 3 * 4 - 1 == 13 && 10 - 3 - 2 == 5 && 100 div 10 div 5 == 2 && 7 * 3 mod 4 == 1; }

//// unary minus: safe
procedure p(x: int) { assert - 3 + 5 == 2 && - -x == x && -x * x <= 0; }

//// implication groups to the right: safe, unsafe
procedure p() { assert false ==> true ==> false; assert (false ==> true) ==> false; }

//// reverse implication groups to the left: safe, unsafe
procedure p() { assert false <== true <== false; assert false <== (true <== false); }

//// equivalence is associative: safe, unsafe
procedure p() { assert false <==> false <==> true; assert true <==> false <==> true; }

//// implication binds weaker than disjunction: safe, safe
procedure p(a: bool, b: bool) { assert a ==> a || b; assert a && b ==> a; }

//// equivalence binds weaker than implication: safe
procedure p(a: bool, b: bool) { assert a ==> b <==> !a || b; }

//// negation binds tighter: safe, unsafe
procedure p(a: bool, b: bool) { assert !(a && b) <==> !a || !b; assert !a && b <==> !(a && b); }

//// equality of truth values: safe, safe
procedure p(a: bool, b: bool) { assert (a == b) <==> (a <==> b); assert (a != b) <==> (a <==> !b); }

//// conditional expression: safe, safe
procedure p(x: int) { assert (if x > 0 then x else -x) >= 0; assert (if x > 0 then 1 else if x == 0 then 2 else 3) != 4; }

//// conditional condition: unsafe
procedure p(a: bool, b: bool) { assert if a then b else !b; }

//// let expression: safe
procedure p(x: int) { assert (var y, z := x + 1, x; y - z) == 1; }

//// let shadows: safe
procedure p(x: int) { assert (var x := x + 1; (var x := x + 1; x)) == x + 2; }

//// map read after write: safe, unsafe
procedure p(i: int, j: int) { var m: [int]int; m[i] := 1; assert m[i] == 1; m[j] := 2; assert m[i] == 1; }

//// map elsewhere: safe
procedure p(i: int, j: int) { var m, n: [int]int; n := m; m[i] := 1; assume i != j; assert m[j] == n[j]; }

//// map update is a value: safe, unsafe
procedure p(m: [int]int) { assert m[3 := 4][3] == 4 && m[3 := 4][5] == m[5]; assert m[3 := 4][3] == m[3]; }

//// maps of maps: safe
procedure p(m: [int][int]int) { var n: [int][int]int; n := m; n[1][2] := 5; assert n[1][2] == 5 && n[2] == m[2] && n[1][3] == m[1][3]; }

//// map of two indices: safe, unsafe
procedure p(m: [int, bool]int) { var n: [int, bool]int; n := m; n[1, true] := 5; assert n[1, true] == 5 && n[1, false] == m[1, false]; assert n[1, false] == 5; }

//// map from truth values: safe, unsafe
procedure p(m: [bool]int, b: bool) { assert b ==> m[b] == m[true]; assert m[b] == m[!b]; }

//// map from words: safe, unsafe
procedure p(m: [bv2]int, x: bv2) { assert m[x := 1][x] == 1; assert m[0bv2] == m[1bv2]; }

//// map from an uninterpreted type: safe, unsafe
type Ref;
procedure p(r: Ref, s: Ref) { var h: [Ref]int; h[r] := 1; h[s] := 2; assert r != s ==> h[r] == 1; assert h[r] == 1; }

//// map as an index: safe
procedure p(m: [[int]int]int, a: [int]int, b: [int]int) { assume a == b; assert m[a] == m[b]; }

//// writing back changes nothing: safe
procedure p(m: [int]int, i: int) { assert m[i := m[i]] == m; }

//// writes at different places commute: safe
procedure p(m: [int]int, i: int, j: int) { assert i != j ==> m[i := 1][j := 2] == m[j := 2][i := 1]; }

//// writes at the same place do not commute: unsafe
procedure p(m: [int]int, i: int, j: int) { assert m[i := 1][j := 2] == m[j := 2][i := 1]; }

//// maps may be different: unsafe
procedure p(m: [int]int, n: [int]int) { assert m == n; }

//// maps over truth values are equal if their elements are: safe
procedure p(m: [bool]int, n: [bool]int) { assume m[true] == n[true] && m[false] == n[false]; assert m == n; }

//// maps over words are equal if their elements are: safe
procedure p(m: [bv1]bool, n: [bv1]bool) { assume m[0bv1] == n[0bv1] && m[1bv1] == n[1bv1]; assert m == n; }

//// write to a map over an uninterpreted type: unsafe
type Ref;
var h: [Ref]int;
procedure p(r: Ref) modifies h; { h[r] := 1; assert h == old(h); }

//// words wrap: safe
procedure p() { assert bvadd(250bv8, 10bv8) == 4bv8 && bvsub(0bv8, 1bv8) == 255bv8 && bvmul(16bv8, 16bv8) == 0bv8; }

//// declared operators on words: safe, unsafe
function {:bvbuiltin "bvadd"} add(x: bv8, y: bv8) returns (bv8);
function {:bvbuiltin "bvult"} lt(x: bv8, y: bv8) returns (bool);
procedure p(x: bv8) { assert add(x, 0bv8) == x; assert lt(x, add(x, 1bv8)); }

//// comparisons of words: safe
procedure p() { assert bvult(1bv8, 255bv8) && bvslt(255bv8, 1bv8) && bvuge(128bv8, 127bv8) && bvsle(128bv8, 127bv8); }

//// words and division by zero: safe
procedure p() { assert bvudiv(5bv8, 0bv8) == 255bv8 && bvurem(5bv8, 0bv8) == 5bv8; }

//// signed division of words: safe
procedure p() { assert bvsdiv(249bv8, 2bv8) == 253bv8 && bvsrem(249bv8, 2bv8) == 255bv8 && bvsmod(249bv8, 2bv8) == 1bv8; }

//// shifts: safe
procedure p() { assert bvshl(3bv8, 7bv8) == 128bv8 && bvlshr(128bv8, 7bv8) == 1bv8 && bvashr(128bv8, 7bv8) == 255bv8 && bvshl(1bv8, 8bv8) == 0bv8; }

//// bits of words: safe
procedure p() { assert bvand(12bv4, 10bv4) == 8bv4 && bvor(12bv4, 10bv4) == 14bv4 && bvxor(12bv4, 10bv4) == 6bv4 && bvnot(12bv4) == 3bv4 && bvneg(1bv4) == 15bv4; }

//// concatenation and extraction: safe, unsafe
procedure p(x: bv8) { assert 1bv4 ++ 2bv4 == 18bv8 && 18bv8[8:4] == 1bv4 && x[8:4] ++ x[4:0] == x; assert x[4:0] ++ x[8:4] == x; }

//// extension of words: safe
function {:bvbuiltin "zero_extend 4"} zext(x: bv4) returns (bv8);
function {:bvbuiltin "sign_extend 4"} sext(x: bv4) returns (bv8);
procedure p() { assert zext(15bv4) == 15bv8 && sext(15bv4) == 255bv8 && sign_extend_4(7bv4) == 7bv8; }

//// parity of a word in a loop: safe, unsafe
procedure p(n: bv4) { var i, s: bv4; i, s := 0bv4, 0bv4; while (i != n) { i := bvadd(i, 1bv4); s := bvadd(s, 2bv4); } assert s == bvadd(n, n); assert s == n; }

//// operator that the program declares: safe
function bvadd(x: bv8, y: bv8) returns (bv8) { y }
procedure p() { assert bvadd(1bv8, 2bv8) == 2bv8; }

//// structs of Ultimate: safe
type P = { base: int, offset: int };
procedure p(q: P) { var r: P; r := q; r!base := 1; assert r!base == 1 && r!offset == q!offset; }

//// synonyms: safe
type Word = int; type Memory = [Word]Word;
procedure p(m: Memory, i: int) { assert m[i := 3][i] == 3; }

//// synonym with a parameter: safe
type Seq a = [int]a;
procedure p(m: Seq bool, i: int) { assert m[i := true][i]; }

//// uninterpreted values may be equal or not: unsafe, unsafe
type T;
procedure p(a: T, b: T) { assert a == b; }
procedure q(a: T, b: T) { assert a != b; }

//// comparison of different types: error 1:29 found bool
procedure p() { assert 1 == true; }

//// sum of different types: error 1:28 types int and real
procedure p() { assert 1 + 1.0 == 2.0; }

//// sum with a quotient: error 1:40 types real and int
procedure p(x: int) { assert (x / 2) + (1) == 3; }

//// comparisons in a row: error 1:36 cannot be chained
procedure p(x: int) { assert 0 < x < 5; }

//// arrows in both directions: error 1:38 cannot be mixed
procedure p() { assert true ==> true <== true; }

//// word that is too large: error 1:24 needs more than 3 bits
procedure p() { assert 8bv3 == 0bv3; }

//// bits that are not there: error 1:24 out of range
procedure p() { assert 8bv4[5:0] == 8bv5; }

//// widths differ: error 1:24 cannot be applied to bv4, bv8
procedure p() { assert bvadd(1bv4, 1bv8) == 1bv4; }

//// condition that is no truth value: error 1:24 found int
procedure p() { assert 1; }

//// index of a wrong type: error 1:37 found bool
procedure p(m: [int]int) { assert m[true] == 0; }

//// number of indices: error 1:42 expects 2 indices, found 1
procedure p(m: [int, int]int) { assert m[1] == 0; }

//// powers: error 1:26 not supported
procedure p() { assert 2 ** 3 == 8; }

//// lambda: error 1:25 not supported
procedure p() { assert (lambda x: int :: x)[1] == 1; }
