//! What is compared: presets of the engine with one technique more or less, and Spacer.

use clap::ValueEnum;

use crate::harness;

/// Settings that belong together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Group {
    /// The techniques of the thesis
    Thesis,
    /// The techniques of the thesis and one more
    ThesisPlus,
    /// All techniques
    Ours,
    /// All techniques but one
    OursMinus,
    /// Z3's Spacer, with and without global guidance
    Spacer,
}

/// One column of the comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    /// In tables and in the log.
    pub name: &'static str,
    pub program: Program,
}

/// What runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Program {
    /// `elinvar check` with these options.
    Cfg(&'static [&'static str]),
    /// `z3` with these parameters.
    Spacer(&'static [&'static str]),
}

impl harness::Setting for Setting {
    fn name(&self) -> String {
        self.name.to_owned()
    }

    /// A program that cannot be read or translated is counted as an exception.
    fn must_report(&self) -> bool {
        false
    }
}

impl Setting {
    /// Whether Spacer runs.
    pub fn is_spacer(&self) -> bool {
        matches!(self.program, Program::Spacer(_))
    }
}

/// The settings of the groups in the order of the table.
pub fn of_groups(groups: &[Group]) -> Vec<Setting> {
    let chosen = Group::value_variants().iter().filter(|group| groups.contains(group));
    chosen.flat_map(|&group| of_group(group)).collect()
}

fn of_group(group: Group) -> Vec<Setting> {
    let cfg = |name, options| Setting { name, program: Program::Cfg(options) };
    let spacer = |name, parameters| Setting { name, program: Program::Spacer(parameters) };
    match group {
        Group::Thesis => vec![cfg("thesis", &["--thesis"])],
        Group::ThesisPlus => vec![
            cfg("thesis + whole program", &["--thesis", "--no-trace-abstraction"]),
            cfg("thesis + projection", &["--thesis", "--predecessors", "projection"]),
            cfg("thesis + cores", &["--thesis", "--lemmas", "core"]),
            cfg("thesis + interpolants", &["--thesis", "--lemmas", "interpolant"]),
            cfg("thesis + pushing", &["--thesis", "--push"]),
            cfg("thesis + generalisation", &["--thesis", "--generalize"]),
            cfg("thesis + intervals", &["--thesis", "--analysis", "intervals"]),
            cfg("thesis + octagons", &["--thesis", "--analysis", "octagons"]),
            cfg("thesis + shapes", &["--thesis", "--shapes"]),
        ],
        Group::Ours => vec![cfg("ours", &[])],
        Group::OursMinus => vec![
            cfg("ours by traces", &["--trace-abstraction"]),
            cfg("ours - projection", &["--predecessors", "wp"]),
            cfg("ours - splitting", &["--no-dnf"]),
            cfg("ours - interpolants", &["--lemmas", "core"]),
            cfg("ours - cores", &["--lemmas", "negation"]),
            cfg("ours - cache", &["--no-obligation-cache"]),
            cfg("ours - memo", &["--no-memo"]),
            cfg("ours - pushing", &["--no-push"]),
            cfg("ours - generalisation", &["--no-generalize"]),
            cfg("ours - octagons", &["--analysis", "intervals"]),
            cfg("ours - analysis", &["--analysis", "none"]),
            cfg("ours - shapes", &["--no-shapes"]),
        ],
        Group::Spacer => vec![
            spacer("spacer", &["fp.engine=spacer"]),
            spacer("spacer global", &["fp.engine=spacer", "fp.spacer.global=true"]),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_settings_share_a_name() {
        let mut names: Vec<&str> =
            of_groups(Group::value_variants()).iter().map(|setting| setting.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(names.iter().all(|name| !name.contains(',')), "the log separates cells by commas");
        assert_eq!(of_groups(&[Group::Ours, Group::Thesis])[0].name, "thesis");
    }
}
