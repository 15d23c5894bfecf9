//! The runs of an experiment, and what they say together.

use super::Setting;
use super::list::Instance;
use super::outcome::{Outcome, Verdict};
use super::run::Run;
use crate::plot::scatter::{Point, Scatter};
use crate::plot::times::Times;

/// What was measured so far.
pub struct Results<S, M> {
    /// Seconds of processor time for each run.
    pub limit: u32,
    /// What is compared.
    pub settings: Vec<S>,
    /// One row for each instance.
    pub rows: Vec<Row<M>>,
}

/// The runs on an instance.
pub struct Row<M> {
    /// The instance.
    pub instance: Instance,
    /// By setting; none where the setting does not apply.
    pub runs: Vec<Option<Run<M>>>,
}

/// The instances of one set, or all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group(Option<String>);

impl Group {
    /// All instances.
    pub const ALL: Group = Group(None);

    /// The name in tables.
    pub fn name(&self) -> &str {
        self.0.as_deref().unwrap_or("all")
    }

    fn has(&self, instance: &Instance) -> bool {
        self.0.as_ref().is_none_or(|group| *group == instance.group)
    }
}

impl<S: Setting, M> Results<S, M> {
    /// The number of a setting that was measured.
    pub fn index(&self, setting: &S) -> usize {
        self.settings.iter().position(|other| other == setting).expect("it was measured")
    }

    /// The sets in the order of the list, and all together.
    pub fn groups(&self) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for row in &self.rows {
            let group = Group(Some(row.instance.group.clone()));
            if !groups.contains(&group) {
                groups.push(group);
            }
        }
        groups.push(Group::ALL);
        groups
    }

    /// The rows of a set.
    pub fn rows_of(&self, group: &Group) -> impl Iterator<Item = &Row<M>> {
        self.rows.iter().filter(|row| group.has(&row.instance))
    }

    /// How many instances of a set a setting solves.
    pub fn solved(&self, group: &Group, setting: usize) -> usize {
        self.times(group, setting).len()
    }

    /// The times of the solved instances of a set.
    pub fn times(&self, group: &Group, setting: usize) -> Vec<f64> {
        self.rows_of(group).filter_map(|row| row.seconds(setting)).collect()
    }

    /// The sum of the seconds, where an unsolved instance counts twice the limit.
    pub fn par2(&self, setting: usize) -> f64 {
        let penalty = 2.0 * f64::from(self.limit);
        self.rows.iter().map(|row| row.seconds(setting).unwrap_or(penalty)).sum()
    }

    /// Wrong verdicts, verdicts that contradict each other, and runs without a report.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for row in &self.rows {
            let path = &row.instance.path;
            for (index, setting) in self.settings.iter().enumerate() {
                let (Some(run), name) = (&row.runs[index], setting.name()) else { continue };
                if row.is_wrong(index) {
                    let (found, expected) = (run.outcome.word(), self.expectation(row));
                    faults.push(format!("{path}: {name} says {found}, {expected}"));
                } else if run.outcome == Outcome::Failed && setting.must_report() {
                    faults.push(format!("{path}: {name} ended without a report"));
                }
            }
        }
        faults
    }

    /// The right verdict and its source.
    fn expectation(&self, row: &Row<M>) -> String {
        let word = row.expected().map_or("unknown", Verdict::word);
        if row.instance.expected.is_some() {
            return format!("expected is {word}");
        }
        let first = row.runs.iter().position(|run| run.as_ref().is_some_and(Run::has_verdict));
        let name = first.map_or(String::new(), |index| self.settings[index].name());
        format!("{name} says {word}")
    }

    /// The times of two settings against each other, on the rows that one of them solves.
    /// There is no picture if there are none.
    pub fn times_against<'a>(
        &self,
        rows: impl Iterator<Item = &'a Row<M>>,
        [across, up]: [(usize, &str); 2],
    ) -> Option<String>
    where
        M: 'a,
    {
        let rows: Vec<&Row<M>> = rows.collect();
        let seconds = rows.iter().flat_map(|row| [row.seconds(across.0), row.seconds(up.0)]);
        let times = Times::new(self.limit, seconds.flatten());
        let point = |row: &&Row<M>| {
            let verdict = row.solved(across.0).or(row.solved(up.0))?;
            let (first, second) = (row.seconds(across.0), row.seconds(up.0));
            let path = &row.instance.path;
            let texts = [(across.1, first), (up.1, second)]
                .map(|(name, seconds)| format!("{name} {}", Times::text(seconds)));
            Some(Point {
                across: times.share(first),
                up: times.share(second),
                kind: Verdict::ALL.iter().position(|&other| other == verdict)?,
                title: format!("{path}: {}", texts.join(", ")),
            })
        };
        let points = rows.iter().filter_map(point).collect();
        let kinds = Verdict::ALL.map(Verdict::word);
        Scatter { across: across.1, up: up.1, marks: times.marks(), kinds: &kinds, points }.svg()
    }
}

impl<M> Run<M> {
    fn has_verdict(&self) -> bool {
        self.outcome.verdict().is_some()
    }
}

impl<M> Row<M> {
    /// The verdict that is known, or else that of the first run with a verdict.
    pub fn expected(&self) -> Option<Verdict> {
        let mut runs = self.runs.iter().flatten();
        self.instance.expected.or_else(|| runs.find_map(|run| run.outcome.verdict()))
    }

    /// Whether a setting has another verdict than expected.
    pub fn is_wrong(&self, setting: usize) -> bool {
        let verdict = self.runs[setting].as_ref().and_then(|run| run.outcome.verdict());
        verdict.is_some() && verdict != self.expected()
    }

    /// The verdict of a setting, if there is one and it is right.
    pub fn solved(&self, setting: usize) -> Option<Verdict> {
        let run = self.runs[setting].as_ref()?;
        run.outcome.verdict().filter(|_| !self.is_wrong(setting))
    }

    /// The time until the right verdict.
    pub fn seconds(&self, setting: usize) -> Option<f64> {
        let run = self.runs[setting].as_ref()?;
        self.solved(setting).map(|_| run.seconds)
    }

    /// The quotient of the times of two settings, if both solve the instance. Times below a
    /// millisecond count as one.
    pub fn ratio(&self, setting: usize, to: usize) -> Option<f64> {
        let seconds = |setting| Some(self.seconds(setting)?.max(1e-3));
        Some(seconds(setting)? / seconds(to)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::testing::is_well_formed;
    use crate::harness::testing::{Count, decided, instance, run};

    #[derive(PartialEq)]
    struct Named(&'static str);

    impl Setting for Named {
        fn name(&self) -> String {
            self.0.to_owned()
        }

        fn must_report(&self) -> bool {
            self.0 != "peer"
        }
    }

    type Example = (&'static str, Option<Verdict>, [Run<Count>; 2]);

    fn results(rows: Vec<Example>) -> Results<Named, Count> {
        let row = |(path, expected, runs): Example| Row {
            instance: instance(path, expected),
            runs: runs.map(Some).to_vec(),
        };
        let rows = rows.into_iter().map(row).collect();
        Results { limit: 10, settings: vec![Named("ours"), Named("peer")], rows }
    }

    fn safe(seconds: f64) -> Run<Count> {
        decided("safe", seconds, None)
    }

    #[test]
    fn solved_instances_are_counted_by_group() {
        let known = Some(Verdict::Safe);
        let results = results(vec![
            ("bits/a", known, [safe(1.0), safe(4.0)]),
            ("bits/b", known, [run("TO", 10.0), safe(1.0)]),
            ("linear/c", known, [safe(2.0), decided("unsafe", 1.0, None)]),
        ]);
        let groups = results.groups();
        assert_eq!(groups.iter().map(Group::name).collect::<Vec<_>>(), ["bits", "linear", "all"]);
        let solved: Vec<usize> = groups.iter().map(|group| results.solved(group, 0)).collect();
        assert_eq!((solved, results.times(&groups[2], 0)), (vec![1, 1, 2], vec![1.0, 2.0]));
        assert_eq!((results.par2(0), results.par2(1)), (23.0, 25.0));
        assert_eq!([0, 1].map(|row| results.rows[row].ratio(1, 0)), [Some(4.0), None]);
        assert_eq!(results.faults(), ["linear/c: peer says unsafe, expected is safe"]);
        assert_eq!(results.index(&Named("peer")), 1);
    }

    #[test]
    fn contradictions_and_missing_reports_are_faults() {
        let results = results(vec![
            ("a/p", None, [safe(1.0), decided("unsafe", 1.0, None)]),
            ("a/q", None, [run("failed", 0.1), run("failed", 0.1)]),
        ]);
        let expected =
            ["a/p: peer says unsafe, ours says safe", "a/q: ours ended without a report"];
        assert_eq!(results.faults(), expected);
        assert_eq!(results.rows[0].solved(1), None);
    }

    #[test]
    fn unsolved_instances_lie_on_the_border() {
        let results = results(vec![
            ("x/only<peer", None, [run("TO", 10.0), safe(8.0)]),
            ("x/bug", None, [decided("unsafe", 3.0, None), run("TO", 10.0)]),
            ("x/hard", None, [run("TO", 10.0), run("TO", 10.0)]),
        ]);
        let svg = results.times_against(results.rows.iter(), [(0, "ours"), (1, "peer")]).unwrap();
        is_well_formed(&svg).unwrap();
        assert!(svg.contains("<title>x/only&lt;peer: ours TO, peer 8.00 s"), "{svg}");
        assert!(svg.contains("cx=\"376.0\" cy=\"61.0\""), "{svg}");
        assert!(svg.contains("class=\"c1\" cx=\"208.7\" cy=\"30.0\""), "{svg}");
        assert_eq!(svg.matches("<title>").count(), 2, "an instance that neither solves");
        assert_eq!(results.times_against([].into_iter(), [(0, "a"), (1, "b")]), None);
    }
}
