// A map that a procedure fills, looked at in any place. Expected: safe.
//
// A map is filled with squares, by a procedure that adds instead of multiplying; one
// place is looked at afterwards, whichever it is.

var squares: [int]int;

procedure store(index: int, value: int)
  modifies squares;
{
  squares[index] := value;
}

procedure main(n: int, look: int)
  requires 0 <= look && look < n;
  modifies squares;
{
  var i, square, seen: int;

  i := 0;
  square := 0;
  seen := 0 - 1;
  while (i < n) {
    call store(i, square);
    if (i == look) {
      seen := square;
    }
    i := i + 1;
    square := square + 2 * i - 1;
  }
  assert squares[look] == seen;
}
