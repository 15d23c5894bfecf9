//! Different names for different symbols, as like to the given ones as can be.

use rustc_hash::FxHashSet;

/// Names that were given away.
#[derive(Default)]
pub struct Names(FxHashSet<String>);

impl Names {
    /// The name; with the symbol's number, if somebody else has it.
    pub fn fresh(&mut self, name: &str, number: usize) -> String {
        let mut candidate = name.to_owned();
        while !self.0.insert(candidate.clone()) {
            candidate = format!("{candidate}.{number}");
        }
        candidate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_shares_a_name() {
        let mut names = Names::default();
        let given = [("x", 0), ("x", 1), ("x.1", 2), ("x", 1), ("y", 1)];
        let given = given.map(|(name, number)| names.fresh(name, number));
        assert_eq!(given, ["x", "x.1", "x.1.2", "x.1.1", "y"]);
    }
}
