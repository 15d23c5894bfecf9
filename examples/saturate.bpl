// Bytes added without wrapping around, over words. Expected: safe.
//
// A sum of bytes that stays at 255 instead of wrapping around. Its variables are words,
// so that the engines for hardware can decide it as well.

procedure saturate()
{
  var sum, byte, before: bv8;

  sum := 0bv8;
  while (*) {
    havoc byte;
    before := sum;
    if (bvult(bvsub(255bv8, sum), byte)) {
      sum := 255bv8;
    } else {
      sum := bvadd(sum, byte);
    }
    assert !bvult(sum, before);
  }
}

function {:bvbuiltin "bvadd"} bvadd(x: bv8, y: bv8) returns (bv8);
function {:bvbuiltin "bvsub"} bvsub(x: bv8, y: bv8) returns (bv8);
function {:bvbuiltin "bvult"} bvult(x: bv8, y: bv8) returns (bool);
