// Statements and control flow. Each section begins with its name and what is expected: a
// verdict for each property in the order of the source, or the place and a part of an error.

//// assignment: safe, unsafe
procedure p() { var x: int; x := 3; assert x == 3; x := x + 1; assert x == 3; }

//// parallel assignment reads old values: safe
procedure p() { var x, y: int; x, y := 1, 2; x, y := y, x; assert x == 2 && y == 1; }

//// parallel assignment to an element and its index: safe, unsafe
procedure p() { var m: [int]int, i: int; i := 1; m[i], i := i, 7; assert m[1] == 1; assert m[7] == 1; }

//// assertion is assumed after it: unsafe, safe
procedure p(x: int) { assert x > 0; assert x > -1; }

//// assumption before: safe
procedure p(x: int) { assume x > 2; assert x >= 3; }

//// assumption after: unsafe
procedure p(x: int) { assert x >= 3; assume x > 2; }

//// assume false: safe
procedure p() { assume false; assert false; }

//// local without a value: unsafe
procedure p() { var x: int; assert x == 0; }

//// parameter is any value: unsafe
procedure p(b: bool) { assert b; }

//// havoc: safe, unsafe
procedure p() { var x, y: int; x, y := 1, 1; havoc x; assert y == 1; assert x == 1; }

//// where of a local at the start: safe, unsafe
procedure p() { var x: int where x > 0; assert x > 0; assert x > 1; }

//// where after havoc: safe, unsafe
procedure p() { var x: int where x > 0; x := 0; havoc x; assert x > 0; assert x != 1; }

//// where does not bind assignments: unsafe
procedure p() { var x: int where x > 0; x := 0; assert x > 0; }

//// where of another variable is not assumed by havoc: unsafe
procedure p() { var x: int where x < y; var y: int; havoc y; assert x < y; }

//// havoc of both sides of a where: safe
procedure p() { var x: int where x < y; var y: int; x, y := 0, 0; havoc x, y; assert x < y; }

//// where over a list: safe
procedure p() { var x, y: int where x + y == 3; x, y := 0, 0; havoc y; assert y == 3; }

//// contradictory where after havoc: safe
procedure p() { var x: int where x < c; var c: int; c := 0; havoc x; assert x < 0; }

//// if and else: safe, unsafe
procedure p(x: int) { var y: int; if (x > 0) { y := 1; } else { y := 2; } assert y == 1 || y == 2; assert y == 1; }

//// if without else: safe, unsafe
procedure p(x: int) { var y: int; y := 0; if (x == 5) { y := x; } assert y == 0 || y == 5; assert y == 0; }

//// else if: safe
procedure p(x: int) {
  var y: int;
  if (x < 0) { y := 0 - 1; } else if (x == 0) { y := 0; } else { y := 1; }
  assert (x < 0 <==> y == -1) && (x == 0 <==> y == 0);
}

//// any choice: unsafe, safe
procedure p() { var x: int; if (*) { x := 1; } else { x := 2; } assert x == 1; assert x == 1; }

//// loop ends when its condition is false: safe
procedure p() { var i: int; i := 0; while (i < 3) { i := i + 1; } assert i == 3; }

//// loop of any length: unsafe, safe
procedure p() { var i: int; i := 0; while (*) { i := i + 1; } assert i < 3; assert i >= 0; }

//// loop is not entered: safe
procedure p() { var i: int; i := 1; while (false) { i := 2; } assert i == 1; }

//// loop does not end: safe
procedure p() { while (true) { } assert false; }

//// loop ends by an assumption: safe
procedure p(n: int) { var i: int; i := 0; while (*) { i := i + 1; assume i <= n; } assert i <= n || i == 0; }

//// nested loops: safe
procedure p() {
  var i, j: int;
  i := 0;
  while (i < 2) { j := 0; while (j < 2) { j := j + 1; } i := i + 1; }
  assert i == 2 && j == 2;
}

//// assertion in a loop: unsafe
procedure p() { var i: int; i := 0; while (i < 9) { assert i != 5; i := i + 1; } }

//// break: safe
procedure p() { var i: int; i := 0; while (true) { i := i + 1; if (i == 4) { break; } } assert i == 4; }

//// break to a label: safe, safe
procedure p() { var i: int; i := 0; a: while (true) { while (true) { i := 1; break a; } assert false; } assert i == 1; }

//// break out of a branch: safe, safe
procedure p() { var i: int; i := 0; a: if (true) { i := 1; break a; assert false; } assert i == 1; }

//// goto chooses: unsafe
procedure p() { var x: int; goto A, B; A: x := 1; goto C; B: x := 2; C: assert x == 1; }

//// goto covers all choices: safe
procedure p() { var x: int; goto A, B; A: x := 1; goto C; B: x := 2; C: assert x == 1 || x == 2; }

//// goto back: safe, unsafe
procedure p() { var x: int; x := 0; L: x := x + 1; if (x < 3) { goto L; } assert x == 3; assert x == 2; }

//// code behind a goto: safe
procedure p() { goto L; assert false; L: }

//// return: safe, unsafe
procedure p(b: bool) { if (b) { return; } assert !b; assert b; }

//// label at the end: safe
procedure p() { assert true; L: }

//// statements after a loop by goto: safe
procedure p() { var x: int; x := 0; goto L; M: assert x == 1; return; L: x := 1; goto M; }

//// invariant fails on entry: unsafe, safe
procedure p(i: int) { while (*) invariant i == 0; { } }

//// invariant is not kept: safe, unsafe, safe
procedure p() { var i: int; i := 0; while (*) invariant i <= 2; { i := i + 1; } assert i <= 2; }

//// invariant is kept: safe, safe, safe
procedure p() { var i: int; i := 0; while (*) invariant i >= 0; { i := i + 1; } assert i >= 0; }

//// invariants one after the other: unsafe, safe, safe, safe
procedure p(x: int) { while (*) invariant x > 0; invariant x > -1; { } }

//// invariant is not checked at a break: safe, safe, safe
procedure p() { var i: int; i := 0; while (true) invariant i == 0; { i := 1; break; } assert i == 1; }

//// weak invariant: safe, safe, safe
procedure p() { var i: int; i := 0; while (i < 3) invariant i >= 0; { i := i + 1; } assert i == 3; }

//// free invariant: safe
procedure p(i: int) { while (*) free invariant i == 0; { } assert i == 0; }

//// free invariant that does not hold ends the run: safe
procedure p() { var x: int; x := 0; while (*) free invariant x > 0; { } assert false; }

//// free invariant is assumed in every round: safe
procedure p() { var x: int; x := 0; while (*) free invariant x <= 3; { x := x + 1; } assert x <= 3; }

//// free and checked invariants: safe, safe, unsafe
procedure p() { var x: int; x := 1; while (*) free invariant x > 0; invariant x > -1; { havoc x; assume x >= 0; } assert x > 1; }

//// invariant with old: safe, safe, safe
var g: int;
procedure p() modifies g; { while (*) invariant g >= old(g); { g := g + 1; } assert g >= old(g); }

//// given invariants suffice: safe, safe, safe, safe, safe
procedure p(n: int) returns (s: int) requires n >= 0; ensures 2 * s == n * (n + 1);
{
  var i: int;
  s, i := 0, 0;
  while (i < n) invariant 0 <= i && i <= n; invariant 2 * s == i * (i + 1); { i := i + 1; s := s + i; }
}

//// words in a loop: safe, unsafe
procedure p() { var b: bool, i: bv3; b := true; i := 0bv3; while (*) { b := !b; i := bvadd(i, 1bv3); } assert b <==> i[1:0] == 0bv1; assert i != 5bv3; }

//// truth values alone: safe, unsafe
procedure p(a: bool, b: bool) { var c: bool; c := a; while (*) { c := c && b; } assert c ==> a; assert c ==> b; }

//// words with a break: safe, unsafe
procedure p(x: bv4) { var y: bv4; y := x; while (true) { if (y == 9bv4) { break; } y := bvadd(y, 1bv4); } assert y == 9bv4; assert x == 9bv4; }

//// words and goto: unsafe, safe
procedure p() { var x: bv2; x := 0bv2; L: x := bvadd(x, 1bv2); goto L, M; M: assert x != 0bv2; assert x != 0bv2; }

//// words and where: safe, unsafe
procedure p() { var x: bv4 where bvult(x, 3bv4); while (*) { havoc x; } assert bvult(x, 3bv4); assert bvult(x, 2bv4); }

//// empty body: none
procedure p() { }

//// empty program: error 1:1 the file is empty

//// only declarations: none
var g: int; procedure q(); requires g > 0; ensures g > 1;

//// unknown label: error 1:22 there is no label
procedure p() { goto L; }

//// break without a loop: error 1:17 no loop
procedure p() { break; }

//// label twice: error 1:20 declared twice
procedure p() { L: L: }

//// declaration in the middle: error 1:30 variables cannot be declared here
procedure p() { assert true; var x: int; }

//// values and variables: error 1:32 assigned to 1 variable
procedure p() { var x, y: int; x := 1, 2; }

//// assigned to twice: error 1:35 assigned twice
procedure p() { var x, y: int; x, x := 1, 2; }
