//! Random numbers, clauses and the number of rounds.

use elinvar_sat::{Layer, Lit, Var};

/// SplitMix64.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Rng(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn lit(&mut self, vars: &[Var]) -> Lit {
        vars[self.below(vars.len())].positive().negate_if(self.one_in(2))
    }

    /// May repeat literals and may be a tautology.
    pub fn lits(&mut self, vars: &[Var], count: usize) -> Vec<Lit> {
        (0..count).map(|_| self.lit(vars)).collect()
    }

    pub fn layer(&mut self) -> Layer {
        if self.one_in(8) { Layer::ALWAYS } else { Layer::level(self.below(6)) }
    }

    /// Mostly as long as `usual`, sometimes shorter or longer.
    pub fn length(&mut self, usual: usize) -> usize {
        match self.below(20) {
            0 => 1,
            1 | 2 => 2,
            3 => usual + 2,
            _ => usual,
        }
    }
}

/// Seeds of the rounds of one test: `usual` many, times `SAT_ROUNDS`.
pub fn seeds(usual: u64) -> std::ops::Range<u64> {
    let factor = std::env::var("SAT_ROUNDS").ok().and_then(|text| text.parse().ok());
    0..usual * factor.unwrap_or(1)
}
