//! The lines that sby understands. Its sources are the specification: `sby_engine_aiger.py`
//! and `sby_engine_btor.py` in `sbysrc`.

use crate::code;

/// How answers are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocol {
    /// A line `0` (holds), `1` (fails) or `2`, and a witness after `1`. In mode bmc, sby takes
    /// `2` for PASS. A line `u7` is progress: no counterexample in six steps. Every other line
    /// before the answer is dropped, and a line that starts with `u` otherwise ends sby.
    Aiger,
    /// The number of properties before a search, `sat` and a witness for each property that
    /// fails, then a line with "deleting model checker:". The patch in `contrib/sby` uses this
    /// protocol for proofs as well.
    Btormc,
    /// `sat` and a witness, or `unknown`, which sby takes for PASS.
    Pono,
    /// rIC3 on BTOR2: `sat` and a witness, `UNSAT`, or `UNKNOWN`, which sby takes for PASS in
    /// mode bmc. The exit code counts, too.
    Ric3Words,
}

/// A property that fails.
pub struct Found {
    /// Its position among the safety properties.
    pub property: usize,
    /// The cycle in which it fails.
    pub depth: usize,
    /// The witness, in the format of the model.
    pub witness: Vec<u8>,
}

/// What is known about all properties together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Each property fails.
    Fails,
    /// The properties that do not fail hold in all reachable states.
    Holds,
    /// No bad state of some property was found within the depth.
    NotFound,
    /// Some property is undecided, for this reason.
    Undecided(String),
}

impl Outcome {
    /// What is known about two sets of properties together.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (undecided @ Outcome::Undecided(_), _) | (_, undecided @ Outcome::Undecided(_)) => {
                undecided
            }
            (Outcome::NotFound, _) | (_, Outcome::NotFound) => Outcome::NotFound,
            (Outcome::Holds, _) | (_, Outcome::Holds) => Outcome::Holds,
            (Outcome::Fails, Outcome::Fails) => Outcome::Fails,
        }
    }
}

impl Protocol {
    /// What is printed before a search.
    pub fn announcement(self, properties: usize, last: usize) -> String {
        match self {
            Protocol::Btormc => {
                format!("[elinvar] calling BMC on {properties} properties up to bound k = {last}\n")
            }
            Protocol::Aiger | Protocol::Pono | Protocol::Ric3Words => String::new(),
        }
    }

    /// What is printed when a search comes to this step.
    pub fn progress(self, step: usize) -> Option<String> {
        match self {
            Protocol::Aiger => (step > 0).then(|| format!("u{step}\n")),
            Protocol::Btormc => {
                Some(format!("[elinvar] checking bad state properties at bound k = {step}\n"))
            }
            Protocol::Pono => Some(format!("elinvar: checking for bad states at bound {step}\n")),
            Protocol::Ric3Words => {
                Some(format!("elinvar: checking for bad states in step {step}\n"))
            }
        }
    }

    /// What is printed about a property that fails.
    pub fn witness(self, found: &Found) -> Vec<u8> {
        let Found { property, depth, witness } = found;
        match self {
            Protocol::Aiger => with_latches(witness),
            Protocol::Btormc => {
                let line = format!(
                    "[elinvar] bad state property {property} at bound k = {depth} SATISFIABLE\n"
                );
                [line.as_bytes(), witness].concat()
            }
            Protocol::Pono | Protocol::Ric3Words => witness.clone(),
        }
    }

    /// What is printed at the end, after the witnesses.
    pub fn conclusion(self, outcome: &Outcome) -> String {
        let line = match (self, outcome) {
            // There is no word for it; the message is enough for a patched sby.
            (Protocol::Btormc, Outcome::Undecided(_)) => return String::new(),
            (Protocol::Btormc, Outcome::Fails | Outcome::Holds | Outcome::NotFound) => {
                "[elinvar] deleting model checker: done"
            }
            (_, Outcome::Fails) => return String::new(),
            (Protocol::Aiger, Outcome::Holds) => "0",
            (Protocol::Aiger, Outcome::NotFound | Outcome::Undecided(_)) => "2",
            // sby does not know pono's word for a proof.
            (Protocol::Pono, Outcome::Holds | Outcome::NotFound | Outcome::Undecided(_)) => {
                "unknown"
            }
            (Protocol::Ric3Words, Outcome::Holds) => "UNSAT",
            (Protocol::Ric3Words, Outcome::NotFound | Outcome::Undecided(_)) => "UNKNOWN",
        };
        format!("{line}\n")
    }

    /// The exit code that sby expects with the answer.
    pub fn exit_code(self, outcome: &Outcome) -> u8 {
        match (self, outcome) {
            (Protocol::Aiger | Protocol::Btormc, _) | (Protocol::Pono, Outcome::Fails) => {
                code::DONE
            }
            (Protocol::Pono, Outcome::Holds | Outcome::NotFound | Outcome::Undecided(_)) => 255,
            (Protocol::Ric3Words, Outcome::Fails) => 10,
            (Protocol::Ric3Words, Outcome::Holds) => 20,
            (Protocol::Ric3Words, Outcome::NotFound | Outcome::Undecided(_)) => 30,
        }
    }
}

/// An AIGER witness whose line of latches is not empty. sby before June 2026 drops empty lines,
/// and it accepts any number of zeros there.
fn with_latches(witness: &[u8]) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = witness.split(|&byte| byte == b'\n').collect();
    if let Some(latches) = lines.get_mut(2).filter(|line| line.is_empty()) {
        *latches = b"0";
    }
    lines.join(&b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weakest_part_decides() {
        let undecided = || Outcome::Undecided("late".to_owned());
        let strongest_first = [Outcome::Fails, Outcome::Holds, Outcome::NotFound, undecided()];
        for (i, a) in strongest_first.iter().enumerate() {
            for (j, b) in strongest_first.iter().enumerate() {
                assert_eq!(a.clone().and(b.clone()), strongest_first[i.max(j)]);
            }
        }
    }

    #[test]
    fn a_witness_without_latches_has_a_line_for_them() {
        assert_eq!(with_latches(b"1\nb0\n\n01\n.\n"), b"1\nb0\n0\n01\n.\n");
        assert_eq!(with_latches(b"1\nb0\n00\n\n.\n"), b"1\nb0\n00\n\n.\n");
    }

    /// sby fails on any other line that starts with `u`.
    #[test]
    fn progress_of_aiger_engines_is_a_number() {
        assert_eq!(Protocol::Aiger.progress(0), None);
        assert_eq!(Protocol::Aiger.progress(12).as_deref(), Some("u12\n"));
    }
}
