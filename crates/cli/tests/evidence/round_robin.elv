elinvar proof 1
depth 2
seconds 0.003560427
property safe "two_grants"
property safe "grant_without_request"
register 0 0 bitvec 2 "pointer" b072866d7cc4b719 200dc82965d46298 69248f5fd9e4a794 bd520d89ade96b18
register 1 1 bitvec 4 "grant" 9de0b6015d207c39 ed6a58af8c672417 463d0f0e772de49e 2d58b38ceb5261cc
register 2 2 bitvec 4 "asked" dbd0da7f51464e1e a549b39d9eb09c14 bc218c9ede8ac5b2 957c984d7634b54f
lemma always -1.0 -1.1
lemma always -1.1 -1.2
lemma always -1.0 -1.2
lemma always -1.2 -1.3
lemma always -1.0 -1.3
lemma always -1.1 -1.3
lemma always -1.3 2.3
lemma always -1.0 2.0
lemma always -1.1 2.1
lemma always -1.2 2.2
end 19 1a47326f3d73f6b9
