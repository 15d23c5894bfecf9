//! The live view of a campaign on standard error: several lines that are rewritten on a terminal,
//! and plain lines now and then elsewhere.
//!
//! The dashboard reads the logs of the campaign itself, so it shows the work of all workers,
//! wherever they run. It draws within the size of the terminal, also after a resize, and removes
//! itself at the end.

use std::collections::{BTreeSet, VecDeque};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use elinvar::campaign::report::StrategySummary;
use elinvar::campaign::{Results, View};

use crate::progress::{Ticker, pauses};
use crate::style::{COUNTS, DIM, HEAD, paint};
use crate::{output, terminal};

/// How often the lines are drawn.
const PERIOD: Duration = Duration::from_millis(250);
/// Reading the logs may take this share of the time.
const SHARE: u32 = 20;
/// The rate is that of this time.
const WINDOW: Duration = Duration::from_secs(60);
/// The longest name of a strategy.
const NAME: usize = 20;

/// Shows the progress of a campaign until it is dropped.
#[must_use]
pub struct Dashboard {
    ticker: Option<Ticker>,
}

impl Dashboard {
    /// Shows the campaign in a folder, whose plan has been written; nothing if `quiet`.
    pub fn start(folder: &Path, quiet: bool) -> Result<Self> {
        if quiet {
            return Ok(Dashboard { ticker: None });
        }
        let mut watch = Watch::new(folder)?;
        let ticker = if terminal::can_rewrite() {
            let draw = move || {
                watch.update();
                terminal::show_lines(|width, height| lines(&watch.moment(), width, height));
            };
            Ticker::start(std::iter::repeat(PERIOD), draw)
        } else {
            let tell = move || {
                watch.update();
                output::tell(&format!("elinvar: {}", parts(&watch.moment()).join(", ")));
            };
            Ticker::start(pauses(), tell)
        };
        Ok(Dashboard { ticker: Some(ticker) })
    }
}

impl Drop for Dashboard {
    fn drop(&mut self) {
        drop(self.ticker.take());
        terminal::clear_line();
    }
}

/// A campaign that is watched.
struct Watch {
    results: Results,
    start: Instant,
    /// When the logs were read, and how many properties were finished then.
    history: VecDeque<(Instant, usize)>,
    /// The logs are not read again before.
    next: Instant,
    view: View,
}

impl Watch {
    fn new(folder: &Path) -> Result<Self> {
        let results = Results::read(folder)?;
        let (start, view) = (Instant::now(), View::of(&results));
        let history = VecDeque::from([(start, view.finished())]);
        Ok(Watch { results, start, history, next: start, view })
    }

    /// Reads what is new, unless that has just been done and takes long.
    fn update(&mut self) {
        let now = Instant::now();
        // Logs that cannot be read now, on a network file system, can be read later.
        if now < self.next || self.results.update().is_err() {
            return;
        }
        self.view = View::of(&self.results);
        self.next = Instant::now() + SHARE * now.elapsed();
        self.history.push_back((now, self.view.finished()));
        while self.history.len() > 2 && now - self.history[1].0 > WINDOW {
            self.history.pop_front();
        }
    }

    fn moment(&self) -> Moment<'_> {
        let (then, before) = self.history[0];
        let seconds = then.elapsed().as_secs_f64();
        let finished = self.view.finished().saturating_sub(before) as f64;
        Moment {
            view: &self.view,
            elapsed: self.start.elapsed(),
            rate: (finished > 0.0 && seconds > 0.0).then(|| finished / seconds),
            memory: self.memory(),
        }
    }

    /// The memory of the workers on this machine now, or else the most that one has held.
    fn memory(&self) -> u64 {
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let here = self.results.workers.values().filter(|start| start.host == host.trim());
        // Workers that are threads of one process share its memory.
        let processes: BTreeSet<u32> = here.map(|start| start.pid).collect();
        let held: u64 = processes.into_iter().filter_map(held_by).sum();
        if held > 0 { held } else { self.view.totals.peak_memory }
    }
}

/// The memory that a process holds, in bytes.
fn held_by(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
}

/// What is shown at one moment.
struct Moment<'a> {
    view: &'a View,
    elapsed: Duration,
    /// Finished properties in a second.
    rate: Option<f64>,
    memory: u64,
}

/// Everything in one line, by parts, the most important first.
fn parts(moment: &Moment) -> Vec<String> {
    let Moment { view, elapsed, .. } = moment;
    let totals = &view.totals;
    let mut parts = vec![
        clock(*elapsed),
        format!("{}/{} done", view.finished(), totals.properties),
        format!("{} proved", totals.proved),
        format!("{} failed", totals.failed),
        format!("{} undecided", totals.undecided),
    ];
    parts.extend(moment.rate.map(rate));
    parts.push(memory(moment.memory));
    parts.extend(view.remaining.map(left));
    parts
}

/// All lines, none wider than so many columns, and no more than so many.
fn lines(moment: &Moment, width: usize, height: usize) -> Vec<String> {
    let view = moment.view;
    let totals = &view.totals;
    let tasks =
        format!("{}/{} tasks, {} running", totals.tasks_done, totals.tasks, totals.tasks_running);
    let name: String = view.name.chars().filter(|c| !c.is_control()).collect();
    let mut lines = vec![
        spread(&[(HEAD, name), (DIM, clock(moment.elapsed)), (DIM, tasks)], width),
        bar(view, width),
        spread(
            &[
                (COUNTS[0], format!("{} proved", totals.proved)),
                (COUNTS[1], format!("{} failed", totals.failed)),
                (COUNTS[2], format!("{} undecided", totals.undecided)),
                (DIM, format!("{} open", totals.open)),
            ],
            width,
        ),
    ];
    let numbers = moment.rate.map(rate).into_iter().chain([memory(moment.memory)]);
    let numbers: Vec<_> = numbers.chain(view.remaining.map(left)).map(|text| (DIM, text)).collect();
    lines.push(spread(&numbers, width));
    lines.extend(table(&view.strategies, width));
    // The first lines are the most important ones.
    lines.truncate(height);
    lines
}

/// The parts that fit side by side, two columns apart; parts without room are left out.
fn spread(parts: &[(anstyle::Style, String)], width: usize) -> String {
    let (mut line, mut used) = (String::new(), 0);
    for (style, part) in parts {
        let gap = if used == 0 { 0 } else { 2 };
        let columns = terminal::columns(part);
        if used + gap + columns <= width {
            line += &" ".repeat(gap);
            line += &paint(*style, part);
            used += gap + columns;
        }
    }
    line
}

/// `[########......]  412/1000 done`
fn bar(view: &View, width: usize) -> String {
    let totals = &view.totals;
    let label = format!("{}/{} done", view.finished(), totals.properties);
    let room = width.saturating_sub(terminal::columns(&label) + 4).min(50);
    if room < 10 {
        return spread(&[(HEAD, label)], width);
    }
    let share = |number: usize| number * room / totals.properties.max(1);
    let parts = [totals.proved, totals.failed, totals.undecided].map(share);
    let mut line = "[".to_owned();
    for ((count, style), sign) in parts.iter().zip(COUNTS).zip(["#", "x", "?"]) {
        line += &paint(style, &sign.repeat(*count));
    }
    line += &".".repeat(room - parts.iter().sum::<usize>());
    format!("{line}]  {label}")
}

/// One row for each strategy, with as many columns as fit.
fn table(strategies: &[StrategySummary], width: usize) -> Vec<String> {
    let name = |text: &str| -> String {
        let clean = text.chars().filter(|c| !c.is_control());
        clean.take(NAME).collect()
    };
    let heads = ["strategy", "tried", "proved", "failed", "median"];
    let row = |s: &StrategySummary| {
        let median = s.median().map_or(String::new(), |median| format!("{median:.2} s"));
        [name(&s.name), s.tried.to_string(), s.proved.to_string(), s.failed.to_string(), median]
    };
    let rows: Vec<[String; 5]> =
        [heads.map(str::to_owned)].into_iter().chain(strategies.iter().map(row)).collect();
    let widest = |column: usize| rows.iter().map(|row| terminal::columns(&row[column])).max();
    let widths = [0, 1, 2, 3, 4].map(|column| widest(column).unwrap_or(0));
    let mut lines = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let (mut line, mut used) = (String::new(), 0);
        for (column, (cell, &wide)) in row.iter().zip(&widths).enumerate() {
            let gap = if column == 0 { 0 } else { 2 };
            if used + gap + wide > width {
                break;
            }
            let space = " ".repeat(wide - terminal::columns(cell));
            line += &" ".repeat(gap);
            line += &if column == 0 { format!("{cell}{space}") } else { format!("{space}{cell}") };
            used += gap + wide;
        }
        let line = line.trim_end();
        lines.push(if number == 0 { paint(DIM, line) } else { line.to_owned() });
    }
    lines
}

/// `12 s`, `3:05 min`, `2:07:09 h`
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    match (hours, minutes) {
        (0, 0) => format!("{seconds} s"),
        (0, _) => format!("{minutes}:{:02} min", seconds % 60),
        (_, _) => format!("{hours}:{:02}:{:02} h", minutes % 60, seconds % 60),
    }
}

fn rate(rate: f64) -> String {
    if rate >= 1.0 { format!("{rate:.1}/s") } else { format!("{:.1}/min", rate * 60.0) }
}

fn memory(bytes: u64) -> String {
    format!("{} MiB", bytes >> 20)
}

/// `about 4 min left`
fn left(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let (number, unit) = match seconds {
        ..90.0 => (seconds, "s"),
        ..5400.0 => (seconds / 60.0, "min"),
        _ => (seconds / 3600.0, "h"),
    };
    format!("about {} {unit} left", number.round().max(1.0))
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;
    use elinvar::campaign::Totals;

    use super::*;

    fn view() -> View {
        let strategy = |name: &str| StrategySummary {
            name: name.to_owned(),
            tried: 900,
            proved: 400,
            failed: 12,
            cpu_seconds: 9.0,
            times: vec![0.1, 0.2, 0.3],
        };
        let totals = Totals {
            properties: 1000,
            proved: 400,
            failed: 12,
            undecided: 3,
            open: 585,
            tasks: 40,
            tasks_done: 16,
            tasks_running: 2,
            ..Totals::default()
        };
        let strategies = vec![strategy("quick"), strategy("a name that is longer than others")];
        let remaining = Some(Duration::from_secs(250));
        View { name: "night\u{1b}ly".to_owned(), totals, strategies, remaining }
    }

    fn moment(view: &View) -> Moment<'_> {
        let elapsed = Duration::from_secs(185);
        Moment { view, elapsed, rate: Some(1.24), memory: 512 << 20 }
    }

    #[test]
    fn all_numbers_are_shown_if_there_is_room() {
        let view = view();
        let lines = lines(&moment(&view), 76, 20);
        let plain: Vec<String> = lines.iter().map(|line| strip_str(line).to_string()).collect();
        let expected = [
            "nightly  3:05 min  16/40 tasks, 2 running",
            "[####################..............................]  415/1000 done",
            "400 proved  12 failed  3 undecided  585 open",
            "1.2/s  512 MiB  about 4 min left",
            "strategy              tried  proved  failed  median",
            "quick                   900     400      12  0.20 s",
            "a name that is longe    900     400      12  0.20 s",
        ];
        assert_eq!(plain, expected);
        let line = "3:05 min, 415/1000 done, 400 proved, 12 failed, 3 undecided, 1.2/s, 512 MiB, \
                    about 4 min left";
        assert_eq!(parts(&moment(&view)).join(", "), line);
    }

    #[test]
    fn no_line_is_too_wide_and_there_are_not_too_many() {
        let view = view();
        for width in 0..100 {
            for height in [1, 3, 20] {
                let lines = lines(&moment(&view), width, height);
                assert!(lines.len() <= height);
                for line in lines {
                    let plain = strip_str(&line).to_string();
                    assert!(terminal::columns(&plain) <= width, "{width}: {plain}");
                }
            }
        }
    }

    #[test]
    fn times_are_readable() {
        let clocks = [12, 185, 7629].map(|seconds| clock(Duration::from_secs(seconds)));
        assert_eq!(clocks, ["12 s", "3:05 min", "2:07:09 h"]);
        let lefts = [0, 80, 250, 7200].map(|seconds| left(Duration::from_secs(seconds)));
        assert_eq!(
            lefts,
            ["about 1 s left", "about 80 s left", "about 4 min left", "about 2 h left"]
        );
        assert_eq!((rate(2.0), rate(0.1)), ("2.0/s".to_owned(), "6.0/min".to_owned()));
    }
}
