//! Different names for different symbols.

use rustc_hash::FxHashSet;

/// Names that are taken.
#[derive(Default)]
pub struct Names(FxHashSet<String>);

impl Names {
    /// The name; with the symbol's number, if another symbol has it.
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
    fn no_two_symbols_share_a_name() {
        let mut names = Names::default();
        let given = [("x", 0), ("x", 1), ("x.1", 2), ("x", 1), ("y", 1)];
        let given = given.map(|(name, number)| names.fresh(name, number));
        assert_eq!(given, ["x", "x.1", "x.1.2", "x.1.1", "y"]);
    }
}
