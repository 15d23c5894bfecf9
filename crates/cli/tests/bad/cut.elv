elinvar proof 1
depth 2
property safe "two_grants"
register 0 0 bitvec 2 "poi