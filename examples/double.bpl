// A loop that keeps x twice as large as y, and stops at the bound. Expected: safe.

procedure double(n: int)
  requires 0 <= n;
{
  var x, y: int;

  x := 0;
  y := 0;
  while (y < n) {
    x := x + 2;
    y := y + 1;
  }
  assert x == 2 * n;
}
