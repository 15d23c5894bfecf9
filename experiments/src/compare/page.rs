//! The report on a file of runs, as text and as a page.

use super::ReportOptions;
use super::board::{self, Board, Loss, Name, Row};
use super::profile::FIELDS;
use super::record::Record;
use super::{progress, seeds};
use crate::harness::report::{Plot, Report, Section};
use crate::harness::table::Table;
use crate::plot::COLOURS;
use crate::plot::axis::Axis;
use crate::plot::lines::{Line, Lines, Point};

/// Shorter times cannot be told apart in a plot.
const LEAST: f64 = 0.01;

/// The report, from the runs and perhaps earlier ones.
pub fn report(
    runs: &[Record],
    earlier: Option<&[Record]>,
    options: &ReportOptions,
) -> Result<Report, String> {
    let limits = board::limits(runs);
    let boards: Vec<Board> = limits.iter().map(|&limit| board::board(runs, limit)).collect();
    let Some(last) = boards.last().filter(|board| !board.rows.is_empty()) else {
        return Err("there are no runs".into());
    };
    let (subject, against) = chosen(last, options)?;
    let mut sections = vec![solved(&boards, against), plots(last, subject, against)];
    sections.push(losses(last, subject));
    sections.extend(spread(runs, last.limit));
    sections.extend(earlier.map(|earlier| progress::section(runs, earlier)));
    let introduction = format!(
        "{} models, at most {} s of processor time for each run with all its processes. A tool \
         is compared on the models on which both ran. PAR-2 is the mean of the seconds, where an \
         unsolved model counts twice the limit. The time of {} includes the check of its evidence.",
        last.rows.len(),
        last.limit,
        last.settings[subject].name,
    );
    Ok(Report { title: "Tools compared", introduction, sections, faults: Some(last.faults()) })
}

/// The tool that is looked at, and the one that it is compared with.
fn chosen(board: &Board, options: &ReportOptions) -> Result<(usize, usize), String> {
    let find = |name: &String| {
        let place = board.settings.iter().position(|tool| tool.name == *name);
        place.ok_or_else(|| format!("there are no runs of `{name}`"))
    };
    let subject = options.subject.as_ref().map_or(Ok(0), find)?;
    let is_peer = |(index, tool): (usize, &Name)| (index != subject && !tool.ours).then_some(index);
    let first_peer = board.settings.iter().enumerate().find_map(is_peer);
    let another = (0..board.settings.len()).find(|&index| index != subject);
    let against = match &options.against {
        Some(name) => find(name)?,
        None => first_peer.or(another).unwrap_or(subject),
    };
    Ok((subject, against))
}

/// The table at the largest limit, and at the others in detail.
fn solved(boards: &[Board], against: usize) -> Section {
    let section = |board: &Board| Section {
        title: format!("Solved within {} s", board.limit),
        table: Some(board::table(board, against)),
        ..Section::default()
    };
    let Some((last, others)) = boards.split_last() else { return Section::default() };
    Section { details: others.iter().rev().map(section).collect(), ..section(last) }
}

fn plots(board: &Board, subject: usize, against: usize) -> Section {
    let name = |tool: usize| &board.settings[tool].name[..];
    let caption = "Models solved within the time; the more to the right, the better.".to_owned();
    let mut plots: Vec<Plot> =
        cactus(board).into_iter().map(|svg| Plot { caption: caption.clone(), svg }).collect();
    if subject != against {
        let pair = [(against, name(against)), (subject, name(subject))];
        let both_ran = |row: &&Row| [subject, against].iter().all(|&tool| row.runs[tool].is_some());
        let svg = board.times_against(board.rows.iter().filter(both_ran), pair);
        let caption = format!("Below the diagonal, {} is faster.", name(subject));
        plots.extend(svg.map(|svg| Plot { caption, svg }));
    }
    Section { title: "Times".into(), plots, ..Section::default() }
}

/// Times over the number of models that are solved by then, for the tools that solve most.
fn cactus(board: &Board) -> Option<String> {
    let mut times: Vec<(usize, Vec<f64>)> = (0..board.settings.len())
        .map(|tool| {
            let times = board.rows.iter().filter_map(|row| row.seconds(tool));
            let mut times: Vec<f64> = times.map(|seconds| seconds.max(LEAST)).collect();
            times.sort_by(f64::total_cmp);
            (tool, times)
        })
        .collect();
    times.sort_by_key(|(_, times)| std::cmp::Reverse(times.len()));
    times.truncate(COLOURS);
    let most = times.iter().map(|(_, times)| times.len()).max().filter(|&most| most > 0)?;
    let all = times.iter().flat_map(|(_, times)| times).copied();
    let seconds = Axis::up_to(f64::from(board.limit), all, 10.0);
    let line = |(tool, times): &(usize, Vec<f64>)| {
        let point = |(index, &time): (usize, &f64)| {
            Point::new((index + 1) as f64 / most as f64, seconds.share(time))
        };
        let points = times.iter().enumerate().map(point).collect();
        Line { name: &board.settings[*tool].name, points }
    };
    let step = most.div_ceil(6).next_multiple_of(if most > 30 { 10 } else { 1 });
    let counts = (0..=most).step_by(step);
    let marks = counts.map(|count| (count as f64 / most as f64, count.to_string())).collect();
    Lines {
        across: ("models solved", marks),
        up: ("time", seconds.marks(" s")),
        lines: times.iter().map(line).collect(),
        dots: false,
        guide: None,
    }
    .svg()
}

/// The models that only others solve, with the profile of the search that did not end.
fn losses(board: &Board, subject: usize) -> Section {
    let name = &board.settings[subject].name;
    let losses = board::losses(board, subject);
    let mut table = Table::new(["model", "class", "by", "solved by", "in s", "outcome"]);
    let titles = FIELDS.iter().map(|field| field.title.to_owned());
    let head = ["model".to_owned()].into_iter().chain(titles).collect();
    let mut profiles = Table { head, rows: Vec::new() };
    for Loss { row, best: (tool, seconds), solvers } in &losses {
        let run = row.runs[subject].as_ref();
        table.push([
            row.instance.path.clone(),
            row.instance.cell("class").to_owned(),
            solvers.to_string(),
            board.settings[*tool].name.clone(),
            format!("{seconds:.2}"),
            run.map_or(String::new(), |run| run.outcome.word().to_owned()),
        ]);
        if let Some(profile) = run.and_then(|run| run.measured.as_ref()) {
            let cells = [row.instance.path.clone()].into_iter().chain(profile.cells());
            profiles.push(cells);
        }
    }
    let introduction = "The searches that were stopped: the size after simplification, frames, \
                        lemmas, queries and their mean time, and how many attempts to drop a \
                        literal and to push a lemma succeed.";
    let profiles = Section {
        title: "Profiles".into(),
        introduction: Some(introduction.into()),
        table: Some(profiles),
        ..Section::default()
    };
    Section {
        title: format!("Solved by others and not by {name}: {}", losses.len()),
        introduction: Some("By: how many other tools solve the model; then the fastest.".into()),
        table: Some(table).filter(|table| !table.rows.is_empty()),
        details: vec![profiles],
        ..Section::default()
    }
}

/// How much depends on the seed, if there are several.
fn spread(runs: &[Record], limit: u32) -> Option<Section> {
    let spreads = seeds::spreads(runs, limit);
    if spreads.is_empty() {
        return None;
    }
    let models = Section {
        title: "By model".into(),
        table: Some(seeds::table(&spreads)),
        ..Section::default()
    };
    Some(Section {
        title: "Spread over seeds".into(),
        introduction: Some(
            "Geometric means over the models with a median over 1 s of which at least half of \
             the runs have a verdict. A run without a verdict counts twice the limit."
                .into(),
        ),
        table: Some(seeds::summary(&spreads)),
        details: vec![models],
        ..Section::default()
    })
}

#[cfg(test)]
mod tests {
    use super::super::profile::Profile;
    use super::super::record::tests::record;
    use super::*;
    use crate::harness::page::tests::is_sound;

    fn runs() -> Vec<Record> {
        let report = serde_json::json!({"statistics": {"pdr": {"lemmas": 18_000}}});
        let mut lost = record("default", "x/b", 0, "TO", 10.1);
        lost.profile = Some(Profile::of_report(&report));
        vec![
            record("default", "x/a", 0, "safe", 2.0),
            record("default", "x/a", 1, "safe", 4.0),
            record("ric3", "x/a", 0, "safe", 3.0),
            lost,
            record("ric3", "x/b", 0, "safe", 0.5),
        ]
    }

    #[test]
    fn a_report_has_tables_plots_losses_seeds_and_progress() {
        let mut earlier = runs();
        earlier[0].outcome = "TO".into();
        let report = report(&runs(), Some(&earlier), &ReportOptions::default()).unwrap();
        let text = report.text();
        assert!(text.contains("Solved within 10 s\ntool"), "{text}");
        assert!(text.contains("Solved by others and not by default: 1"), "{text}");
        assert!(text.contains("Spread over seeds"), "{text}");
        assert!(text.contains("Compared with the earlier runs"), "{text}");
        let page = report.html();
        is_sound(&page).unwrap();
        assert_eq!(page.matches("<svg").count(), 2);
        assert!(page.contains("<td>18000</td>"), "the profile of the loss");
        assert_eq!(page.matches("<details>").count(), 5, "1 s, 5 s, profiles, seeds, progress");
    }

    #[test]
    fn tools_are_chosen_by_name() {
        let board = board::board(&runs(), 10);
        let chosen = |subject: Option<&str>, against: Option<&str>| {
            let (subject, against) = (subject.map(str::to_owned), against.map(str::to_owned));
            chosen(&board, &ReportOptions { subject, against, ..ReportOptions::default() })
        };
        assert_eq!(chosen(None, None), Ok((0, 1)));
        assert_eq!(chosen(Some("ric3"), None), Ok((1, 0)));
        assert_eq!(chosen(None, Some("abc")), Err("there are no runs of `abc`".into()));
        assert!(report(&[], None, &ReportOptions::default()).is_err());
    }
}
