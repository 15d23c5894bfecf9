//! Circuits in AIGER for tests.

/// Circuits that show every part of the format.
pub const SAMPLES: [&str; 6] = [
    "aag 0 0 0 0 0\n",
    // A toggle flip-flop with enable and reset, an old file: outputs are bad.
    "aag 7 2 1 2 4\n2\n4\n6 8\n6\n7\n8 4 10\n10 13 15\n12 2 6\n14 3 7\n\
     i0 enable\ni1 reset\nl0 Q\no1 !Q\nc\ntoggle\n",
    // Resets: zero, one, any, another latch, a gate; gaps; gates out of order; a witness as
    // comment.
    "aag 20 1 5 0 2 1 1\n4\n6 8\n8 6 1\n10 10 10\n12 10 6\n14 12 21\n30\n5\n\
     30 21 14\n20 11 4\nl4 by gate\nb0 it\nc0 low\nc\n1\nb0\n01x0x\n1\nx\n0\n.\n",
    // Justice, fairness, outputs that are not properties.
    "aag 3 1 1 1 1 1 0 2 1\n2\n4 6 4\n7\n6\n2\n1\n2\n4\n5\n4\n6 3 5\n\
     o0 out\nb0 bad\nj1 live\nf0 fair\n",
    // Constants and an input as reset.
    "aag 2 1 1 1 0 2\n2\n4 1 2\n0\n1\n0\n",
    // Names that look like defaults of others.
    "aag 2 1 1 2 0\n2\n4 2\n4\n5\ni0 l0\nl0 i0\no0 o1\nc\nMAPPING 1\n2 2\n",
];
