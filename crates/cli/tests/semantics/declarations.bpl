// Declarations: constants, axioms, functions, quantifiers, names, attributes, comments.

//// constant is any value: unsafe
const c: int;
procedure p() { assert c == 0; }

//// constant is the same everywhere: safe
const c: int;
procedure q() returns (y: int) { y := c; }
procedure p() { var a: int; call a := q(); assert a == c; }

//// axiom: safe, unsafe
const c: int;
axiom c > 3;
procedure p() { assert c > 3; assert c > 4; }

//// contradictory axioms: safe
const c: int;
axiom c > 3; axiom c < 3;
procedure p() { assert false; }

//// existential axiom: safe, unsafe
const c: int;
axiom (exists x: int :: x > 3 && c == 2 * x);
procedure p() { assert c > 7; assert c > 8; }

//// universal axiom: safe
function f(x: int) returns (int);
axiom (forall x: int :: f(x) > x);
procedure p(a: int) { assert f(a) > a; }

//// universal axiom says no more: unsafe?
function f(x: int) returns (int);
axiom (forall x: int :: f(x) > x);
procedure p(a: int) { assert f(a) > a + 1; }

//// guarded axiom: unsafe?
function f(x: int) returns (int);
axiom (forall x: int :: x > 0 ==> f(x) > 0);
procedure p() { assert f(-1) > 0; }

//// axiom with a trigger: safe
function f(x: int) returns (int); function g(x: int) returns (int);
axiom (forall x: int :: { f(x) } f(x) == g(x) + 1);
procedure p(a: int) { assert f(a) == g(a) + 1; }

//// unique constants: safe
const unique a, b: int; const unique c: int;
procedure p() { assert a != b && a != c && b != c; }

//// unique constants of an uninterpreted type: safe, unsafe
type T;
const unique a: T; const unique b: T; const c: T;
procedure p() { assert a != b; assert c != a; }

//// constants may be equal: unsafe
type T;
const a, b: T;
procedure p() { assert a != b; }

//// axioms of a constant: safe
const c: int uses { axiom c == 4; }
procedure p() { assert c == 4; }

//// function with a body: safe
function twice(x: int) returns (int) { x + x }
function four(x: int) returns (int) { twice(twice(x)) }
procedure p() { assert four(3) == 12; }

//// function without a body: safe, unsafe
function f(x: int) returns (int);
procedure p(a: int, b: int) { assert a == b ==> f(a) == f(b); assert f(a) == f(b) ==> a == b; }

//// function of several arguments: safe, unsafe
function f(x: int, b: bool) returns (int);
procedure p(a: int) { assert f(a, true) == f(a + 0, !false); assert f(a, true) == f(a, false); }

//// function without arguments: safe
function c() returns (int);
axiom c() == 3;
procedure p() { assert c() == 3; }

//// function with an inline attribute: safe
function {:inline} inc(x: int) returns (int) { x + 1 }
procedure p(a: int) { assert inc(a) > a; }

//// predicate: unsafe
function even(x: int) returns (bool) { x mod 2 == 0 }
procedure p(a: int) { assert even(a); }

//// asserted forall: safe, unsafe
procedure p(y: int) { assert (forall x: int :: x > y ==> x >= y + 1); }
procedure q(y: int) { assert (forall x: int :: x > y); }

//// asserted not exists: unsafe
procedure p() { assert !(exists x: int :: x > 3); }

//// assumed exists: safe, unsafe
procedure p(y: int) { assume (exists x: int :: x > 1 && y > x); assert y > 2; assert y > 3; }

//// bound variable shadows: safe
procedure p(x: int) { assume x == 0; assert (forall x: int :: x * x >= 0 - x * x); }

//// assumed forall: error 1:35 not supported here
procedure p(m: [int]int) { assume (forall x: int :: m[x] == 0); assert m[0] == 0; }

//// global is any value: unsafe
var g: int;
procedure p() { assert g == 0; }

//// local shadows a global: safe
var g: int;
procedure p() { var g: int; g := 1; assert g == 1; }

//// parameter shadows a global: safe
var g: int;
procedure q() modifies g; { g := 2; }
procedure p(g: int) modifies h; { h := g; assert h == g; }
var h: int;

//// names with special characters: safe
var ~g#1: int;
procedure $p'() modifies ~g#1; { var x.y?, a`b: int; ~g#1 := 1; x.y? := ~g#1; a`b := x.y?; assert a`b == 1; }

//// declarations in any order: safe
procedure p() modifies g; { g := f(c); assert g == c + 1; }
function f(x: T) returns (int) { x + 1 }
const c: T; var g: T; type T = int;

//// attributes everywhere: safe
type {:a} T; const {:b 1} c: int; axiom {:c "x"} c == 1; var {:d} g: int;
function {:e} f(x: int) returns (int);
procedure {:f 1, "a", true} p({:g} x: int) requires {:h} x == c; { assume {:i x + 1} true; assert {:j} x == 1; }

//// attribute with an expression: safe
procedure p() { assert {:weight 1 + 2, -3} true; }

//// nested comments: safe
procedure p() { /* /* */ assert false; // */ assert true;
}

//// comments: safe, safe
procedure p() { // assert false; /*
  assert true; /* assert false; // */ assert 1 == 1; // */
}

//// open comment: error 1:17 is not closed
procedure p() { /* /* */ }

//// string without an end: error 1:21 is not closed
procedure p() { {:a "b } assert true; }

//// where of a bound variable: error 2:28 cannot have a `where` clause
function f(x: int) returns (int);
axiom (forall x: int where x > 0 :: f(x) > 0);

//// where of a variable bound in an assertion: error 1:45 cannot have a `where` clause
procedure p() { assert (forall x: int where x > 0 :: x > 0); }

//// where of a constant: error 1:20 cannot have a `where` clause
const c: int where c > 0;

//// where of a function's parameter: error 1:19 cannot have a `where` clause
function f(x: int where x > 0) returns (int);

//// where that is no truth value: error 1:18 found int
var x: int where x;

//// order of constants: error 2:14 not supported
const a: int;
const b: int extends a;

//// polymorphism: error 1:11 not supported
function f<a>(x: a) returns (a);

//// recursive function: error 1:10 defined in terms of itself
function f(x: int) returns (int) { f(x - 1) }

//// axiom over a variable: error 2:7 is a variable
var g: int;
axiom g > 0;

//// constant is assigned to: error 2:17 cannot be assigned
const c: int;
procedure p() { c := 1; }

//// name twice: error 1:17 declared twice
var g: int; var g: bool;

//// name that is not declared: error 1:24 not declared
procedure p() { assert x == 1; }

//// function that is not declared: error 1:24 not declared
procedure p() { assert f(1) == 1; }

//// type that is not declared: error 1:8 not declared
var g: Ref;

//// function of wrong arguments: error 2:26 found bool
function f(x: int) returns (int);
procedure p() { assert f(true) == 1; }

//// keyword as a name: error 1:5 a name
var assert: int;
