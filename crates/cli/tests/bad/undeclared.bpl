procedure main() {
  var x: int;
  x := y;
}
