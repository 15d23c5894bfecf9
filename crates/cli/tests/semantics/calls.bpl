// Procedures: contracts, calls by contract and by body, attributes, entry points.

//// precondition holds: safe
procedure q(x: int); requires x > 0;
procedure p() { call q(1); }

//// precondition fails: unsafe
procedure q(x: int); requires x > 0;
procedure p() { call q(0); }

//// precondition is assumed after the call: unsafe, safe
procedure q(x: int); requires x > 0;
procedure p(y: int) { call q(y); assert y > 0; }

//// several preconditions in order: unsafe, safe
procedure q(x: int); requires x > 0; requires x > -1;
procedure p(y: int) { call q(y); }

//// precondition is assumed in the body: safe, unsafe
procedure p(x: int) requires x > 0; { assert x > 0; assert x > 1; }

//// precondition over globals: unsafe, safe
var g: int;
procedure q(); requires g > 0;
procedure p() { call q(); }
procedure r() modifies g; { g := 1; call q(); }

//// postcondition: safe, unsafe
procedure p() returns (y: int) ensures y > 0; ensures y > 1; { y := 1; }

//// postcondition at every return: unsafe
procedure p(b: bool) returns (y: int) ensures y == 1; { y := 1; if (b) { y := 2; return; } }

//// postcondition by contract: safe, unsafe
procedure q(x: int) returns (y: int); ensures y > x;
procedure p() { var a: int; call a := q(1); assert a > 1; assert a > 2; }

//// result of a call is any value: unsafe
procedure q() returns (y: int);
procedure p() { var a: int; a := 1; call a := q(); assert a == 1; }

//// contradictory postcondition: safe
procedure q(); ensures false;
procedure p() { call q(); assert false; }

//// modifies by contract: unsafe, safe
var g, h: int;
procedure q(); modifies g;
procedure p() modifies g; { var h0: int; g, h0 := 1, h; call q(); assert g == 1; assert h == h0; }

//// modifies of an undeclared change: error 3:37 `p` assigns `h` without `modifies h`
var g, h: int;
procedure q(); modifies g;
procedure p() modifies g; { g := h; h := 1; }

//// call changes what the caller may not: error 3:17 `p` assigns `g` without `modifies g`
var g: int;
procedure q(); modifies g;
procedure p() { call q(); }

//// old in a postcondition: safe, unsafe
var g: int;
procedure p() modifies g; ensures g == old(g) + 1; ensures g == old(g); { g := g + 1; }

//// old by contract: safe
var g: int;
procedure q(); modifies g; ensures g == old(g) + 1;
procedure p() modifies g; { g := 5; call q(); call q(); assert g == 7; }

//// old in a body is the value on entry: safe, unsafe
var g: int;
procedure p() modifies g; { g := g + 1; assert old(g) == g - 1; g := g + 1; assert old(g) == g - 1; }

//// old across a call: safe
var g: int;
procedure q() modifies g; { g := g + 2; }
procedure p() modifies g; { call q(); assert g == old(g) + 2; }

//// old of a map: safe, unsafe
var m: [int]int;
procedure p(i: int) modifies m; { m[i] := 1; assert old(m)[i + 1] == m[i + 1]; assert old(m[i]) == m[i]; }

//// old has no effect on locals: safe
procedure p(x: int) { var y: int; y := x; y := y + 1; assert old(y) == x + 1; }

//// old in a precondition: error 2:24 `old` can be used only in bodies and postconditions
var g: int;
procedure p() requires old(g) > 0; { assert g > 0; }

//// old in a where clause: error 2:30 `old` can be used only in bodies and postconditions
var g: int;
procedure p(x: int where x > old(g)) { assert g > 0; }

//// old of old: safe
var g: int;
procedure p() modifies g; ensures old(old(g)) == old(g); { g := g + 1; }

//// free precondition is assumed in the body: safe
procedure p(x: int) free requires x > 3; { assert x > 3; }

//// free precondition is not checked at a call: safe
procedure q(x: int); free requires x > 3;
procedure p() { call q(0); assert true; }

//// free precondition does not block a call by contract: unsafe
procedure q(x: int); free requires x > 3;
procedure p() { call q(0); assert false; }

//// free precondition does not block an inlined body: unsafe
procedure q(x: int) free requires x > 3; { }
procedure p() { call q(0); assert false; }

//// free precondition is not assumed after a call: unsafe
procedure q(x: int) free requires x > 3; { }
procedure p(y: int) { call q(y); assert y > 3; }

//// where of a parameter is assumed in the body: safe
procedure p(x: int where x > 3) { assert x > 3; }

//// where of a parameter does not block a call by contract: unsafe
procedure q(x: int where x > 3);
procedure p() { call q(0); assert false; }

//// where of a parameter does not block an inlined body: unsafe
procedure q(x: int where x > 3) { }
procedure p() { call q(0); assert false; }

//// assertion under a free precondition: safe, unsafe
procedure q(x: int) free requires x > 3; { assert x > 3; }
procedure p() { call q(0); assert false; }

//// assertion under a where of a parameter: safe, unsafe
procedure q(x: int where x > 3) { assert x > 3; }
procedure p(y: int) { call q(y); assert y > 3; }

//// assertion under a where of a global: safe, unsafe
var g: int where g >= 0;
procedure q() { assert g >= 0; }
procedure p() modifies g; { g := -1; call q(); assert false; }

//// where of a global holds at the start: safe, unsafe
var g: int where g >= 0;
procedure p() modifies g; { assert g >= 0; g := -1; assert g >= 0; }

//// where of a global after a call by contract: safe
var g: int where g >= 0;
procedure q(); modifies g;
procedure p() modifies g; { g := -1; call q(); assert g >= 0; }

//// where of a global that a call does not modify: unsafe
var g: int where g >= 0;
procedure q();
procedure p() modifies g; { g := -1; call q(); assert g >= 0; }

//// where of a global after a body that violates it: safe, unsafe
var g: int where g >= 0;
procedure q() modifies g; { g := -1; }
procedure p() modifies g; { call q(); assert g >= 0; assert false; }

//// where of a result by contract: safe, unsafe
procedure q() returns (y: int where y > 0);
procedure p() { var a: int; call a := q(); assert a > 0; assert a > 1; }

//// where of a result after a body that violates it: safe, unsafe
procedure q() returns (y: int where y > 0) { y := 0; }
procedure p() { var a: int; call a := q(); assert a > 0; assert false; }

//// free postcondition by contract: safe, unsafe
procedure q() returns (y: int); free ensures y > 0;
procedure p() { var a: int; call a := q(); assert a > 0; assert a > 1; }

//// free postcondition is not checked: none
procedure q() returns (y: int) free ensures y > 0; { y := 0; }

//// free postcondition after a body that violates it: safe, unsafe
procedure q() returns (y: int) free ensures y > 0; { y := 0; }
procedure p() { var a: int; call a := q(); assert a > 0; assert false; }

//// free postcondition after a body that keeps it: safe
procedure q() returns (y: int) free ensures y > 0; { y := 7; }
procedure p() { var a: int; call a := q(); assert a == 7; }

//// body where its assumptions hold: safe
procedure q(x: int) returns (y: int) free requires x > 0; { y := x + 1; }
procedure p() { var a: int; call a := q(3); assert a == 4; }

//// body is more precise than the contract: safe
procedure q(x: int) returns (y: int) { y := x + 1; }
procedure p() { var a: int; call a := q(3); assert a == 4; }

//// two calls choose independently: unsafe
procedure q() returns (y: int) { havoc y; }
procedure p() { var a, b: int; call a := q(); call b := q(); assert a == b; }

//// locals of a callee are fresh at each call: unsafe
procedure q() returns (y: int) { var z: int; y := z; z := 1; }
procedure p() { var a: int; call a := q(); call a := q(); assert a == 1; }

//// argument is evaluated before the call: safe
var g: int;
procedure q(x: int) returns (y: int) modifies g; { g := 9; y := x; }
procedure p() modifies g; { var a: int; g := 1; call a := q(g); assert a == 1 && g == 9; }

//// argument and result are the same variable: safe
procedure inc(x: int) returns (y: int) { y := x + 1; }
procedure p() { var a: int; a := 1; call a := inc(a); call a := inc(a); assert a == 3; }

//// results are assigned at once: safe
procedure swap(x: int, y: int) returns (u: int, v: int) { u := y; v := x; }
procedure p() { var a, b: int; a, b := 1, 2; call a, b := swap(a, b); assert a == 2 && b == 1; }

//// call in a loop: safe
var g: int;
procedure inc() modifies g; { g := g + 1; }
procedure p() modifies g; { g := 0; while (g < 3) { call inc(); } assert g == 3; }

//// callees of callees: safe, unsafe
procedure a(x: int) returns (y: int) { call y := b(x); y := y + 1; }
procedure b(x: int) returns (y: int) { y := 2 * x; }
procedure p() { var z: int; call z := a(4); assert z == 9; assert z == 8; }

//// every procedure is verified: unsafe, safe
procedure q(x: int) { assert x > 0; }
procedure p() { call q(1); assert true; }

//// implementation with other names: safe
procedure q(x: int) returns (y: int); ensures y == x + 1;
implementation q(a: int) returns (b: int) { b := a + 1; }

//// several implementations: safe, unsafe
procedure q() returns (y: int);
implementation q() returns (y: int) { y := 1; }
implementation q() returns (y: int) { y := 2; }
procedure p() { var a: int; call a := q(); assert a == 1 || a == 2; assert a == 1; }

//// several implementations of a contract: safe, unsafe
procedure q() returns (y: int); ensures y == 1;
implementation q() returns (y: int) { y := 1; }
implementation q() returns (y: int) { y := 2; }

//// recursion by contract: safe, safe
procedure f(n: int) returns (r: int) ensures r >= 0; { if (n <= 0) { r := 0; } else { call r := f(n - 1); r := r + n; } }
procedure p() { var a: int; call a := f(3); assert a >= 0; }

//// recursion breaks the contract: unsafe
procedure f(n: int) returns (r: int) ensures r >= 0; { if (n <= 0) { r := n; } else { call r := f(n - 1); r := r + n; } }

//// recursion checks preconditions: unsafe
procedure f(n: int) returns (r: int) requires n >= 0; { call r := f(n - 1); r := r + 1; }

//// callee at the end: safe, safe, unsafe
procedure f(n: int) requires n >= 0; { assert n >= 0; if (n > 0) { call f2(n); } }
procedure f2(n: int) requires n > 0; { assert n > 1; }

//// tail recursion: safe, safe
procedure f(n: int) requires n >= 0; { assert n > -1; if (n > 0) { call f(n - 1); } }

//// tail recursion with a free precondition: safe
procedure f(n: int) free requires n >= 0; { assert n >= 0; if (n > -5) { call f(n - 1); } }

//// contradictory preconditions: safe
procedure p(x: int) requires x > 0; requires x < 0; { assert false; }

//// inline procedure is checked where it is called: safe
procedure {:inline 1} q(x: int) { assert x > 0; }
procedure p() { call q(1); }

//// inline procedure fails where it is called: unsafe
procedure {:inline 1} q(x: int) { assert x > 0; }
procedure p() { call q(0); }

//// inline procedure in a callee: unsafe, safe
procedure {:inline 1} q(x: int) { assert x > 0; }
procedure r(x: int) { call q(x); }
procedure p() { call r(1); assert true; }

//// inline with zero is not inline: unsafe
procedure {:inline 0} q(x: int) { assert x > 0; }
procedure p() { call q(1); }

//// inline procedure checks its postcondition: unsafe
procedure {:inline 1} q(x: int) returns (y: int) ensures y > 0; { y := x; }
procedure p() { var a: int; call a := q(0); }

//// inline procedure that nobody calls: none
procedure {:inline 1} q(x: int) { assert x > 0; }

//// body that is not verified: safe, unsafe
procedure {:verify false} q() returns (y: int) ensures y > 0; { assert false; }
procedure p() { var a: int; call a := q(); assert a > 0; assert a == 1; }

//// implementation that is not verified: none
procedure q();
implementation {:verify false} q() { assert false; }

//// entry point: safe
procedure q(x: int) { assert x > 0; }
procedure {:entrypoint} main() { call q(1); }

//// entry point checks callees: unsafe, safe
procedure q(x: int) { assert x > 0; }
procedure {:entrypoint} main() { call q(0); assert false; }

//// entry point leaves other procedures alone: safe
procedure unused() { assert false; }
procedure {:entrypoint} main() { assert true; }

//// entry point checks postconditions: unsafe, safe
procedure q() returns (y: int) ensures y > 0; { y := 0; }
procedure {:entrypoint} main() { var a: int; call a := q(); assert a > 0; }

//// start of Ultimate: unsafe
var g: int where g >= 0;
procedure q() { assert g >= 0; }
procedure ULTIMATE.start() modifies g; { g := -1; call q(); }

//// preconditions from the start: unsafe
procedure q(x: int) requires x > 0; { }
procedure ULTIMATE.start() { call q(0); }

//// words through a call: safe, unsafe
procedure inc(x: bv4) returns (y: bv4) { y := bvadd(x, 1bv4); }
procedure p() { var a: bv4; a := 0bv4; while (*) { call a := inc(a); call a := inc(a); } assert a[1:0] == 0bv1; assert a != 6bv4; }

//// words and a contract: safe, safe, unsafe, safe
procedure q(x: bool) returns (y: bool); requires x; ensures !y;
procedure p(b: bool) { var a: bool; call a := q(true); assert !a; call a := q(b); assert b; }

//// words and a free precondition: unsafe
procedure q(x: bool) free requires x; { }
procedure p() { call q(false); assert false; }

//// call forall: error 2:22 not supported
procedure q(x: int);
procedure p() { call forall q(*); }

//// unknown procedure: error 1:22 not declared
procedure p() { call q(); }

//// number of arguments: error 2:22 expects 1 argument, found 0
procedure q(x: int);
procedure p() { call q(); }

//// number of results: error 2:39 returns
procedure q();
procedure p() { var a: int; call a := q(); }

//// type of an argument: error 2:24 found bool
procedure q(x: int);
procedure p() { call q(true); }

//// parameter is assigned to: error 1:23 cannot be assigned
procedure p(x: int) { x := 1; }

//// where of an implementation: error 2:31 cannot have a `where` clause
procedure q(x: int);
implementation q(x: int where x > 0) { }

//// implementation without a procedure: error 1:16 the procedure `q`, which this implements, is not declared
implementation q() { }

//// implementation with other types: error 2:21 declares type int
procedure q(x: int);
implementation q(x: bool) { }
