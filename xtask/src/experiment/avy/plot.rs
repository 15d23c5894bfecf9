//! Figure 1 of the paper: the times of two engines against each other, a point a model,
//! both axes logarithmic. What took too long lies on the border.

use super::results::{Results, Row};
use crate::experiment::outcome::Verdict;
use crate::experiment::scatter::times::{Times, told};
use crate::experiment::scatter::{Point, Scatter};

/// The last engine upwards, another one across, on the models that one of them solved; no
/// picture if there are none.
pub fn against(results: &Results, other: usize) -> Option<String> {
    let subject = results.subject();
    let (across, up) = (&results.engines[other], &results.engines[subject]);
    let seconds = results.rows.iter().flat_map(|row| [row.seconds(other), row.seconds(subject)]);
    let times = Times::new(results.limit, seconds.flatten());
    let point = |row: &Row| {
        let verdict = row.solved(other).or(row.solved(subject))?;
        let (first, second) = (row.seconds(other), row.seconds(subject));
        let told = format!("{}: {across} {}, {up} {}", row.model.name(), told(first), told(second));
        Some(Point {
            across: times.share(first),
            up: times.share(second),
            kind: verdict.word(),
            told,
        })
    };
    let points = results.rows.iter().filter_map(point).collect();
    let kinds = Verdict::ALL.map(Verdict::word);
    Scatter { across, up, marks: times.marks(), kinds: &kinds, points }.svg()
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::results;
    use super::*;
    use crate::experiment::page::tests::is_well_formed;

    #[test]
    fn time_outs_lie_on_the_border() {
        let results = results();
        let svg = against(&results, 1).unwrap();
        is_well_formed(&svg).unwrap();
        // 1 s in the lower left corner, the limit of 10 s in the upper right one.
        assert!(
            svg.contains("cx=\"376.0\" cy=\"61.0\" r=\"4\"><title>only&lt;avy: pdr TO, avy 8.00 s"),
            "{svg}"
        );
        assert!(svg.contains("class=\"unsafe\" cx=\"208.7\" cy=\"30.0\""), "{svg}");
        assert_eq!(svg.matches("<title>").count(), 3, "what neither solves is not drawn");
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn without_points_there_is_no_picture() {
        let mut results = results();
        results.rows.clear();
        assert_eq!(against(&results, 0), None);
    }
}
