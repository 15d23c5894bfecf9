//! The figures of a page: what each strategy decides by when, how its times are distributed, and
//! strategies and campaigns against each other.

use std::fmt::Write;

use crate::campaign::results::{PropertyResult, Results};
use crate::plot::boxes::Boxes;
use crate::plot::lines::{Line, Lines, Point as LinePoint};
use crate::plot::scatter::{Point, Scatter};
use crate::plot::times::Times;

use super::compare::Comparison;
use super::is_bad;
use super::strategies::{StrategySummary, attempt};
use crate::plot::COLOURS;

/// The kinds of points in figures that compare two times.
const KINDS: [&str; 2] = ["proved", "failing"];

/// All figures as markup. Texts in them are escaped.
pub(super) fn markup(results: &Results, comparison: Option<&Comparison<'_>>) -> String {
    let summaries = StrategySummary::of(results);
    let limit = limit(results, &summaries);
    let mut out = "<div id=\"figures\">\n".to_owned();
    let times: Vec<Figure> =
        cactus(&summaries, limit).into_iter().chain(boxes(&summaries, limit)).collect();
    out += &section("Times", "", &times);
    out += &section("Strategy against strategy", " id=\"pairs\"", &pairs(results));
    let earlier: Vec<Figure> = comparison
        .and_then(|comparison| against_earlier(results, comparison))
        .into_iter()
        .collect();
    out += &section("This campaign against the earlier one", "", &earlier);
    out + "</div>\n"
}

/// A picture with its caption.
struct Figure {
    svg: String,
    caption: String,
    /// The two strategies that it compares.
    pair: Option<String>,
}

fn section(title: &str, attributes: &str, figures: &[Figure]) -> String {
    if figures.is_empty() {
        return String::new();
    }
    let mut out = format!("<section{attributes}>\n<h2>{title}</h2>\n<div class=\"figures\">\n");
    for (number, Figure { svg, caption, pair }) in figures.iter().enumerate() {
        // The script shows one pair at a time; the others need not be laid out before.
        let hidden = if number > 0 { " hidden" } else { "" };
        let pair = (pair.as_ref()).map(|pair| format!(" data-pair=\"{}\"{hidden}", escape(pair)));
        let (pair, caption) = (pair.unwrap_or_default(), escape(caption));
        writeln!(
            out,
            "<figure{pair} tabindex=\"0\">\n{svg}<figcaption>{caption}</figcaption>\n</figure>"
        )
        .expect("strings do not fail");
    }
    out + "</div>\n</section>\n"
}

fn escape(text: &str) -> String {
    quick_xml::escape::escape(text).into_owned()
}

/// The end of all scales: the greatest limit of a strategy, or the greatest time.
fn limit(results: &Results, summaries: &[StrategySummary]) -> f64 {
    let limits = results.plan.strategies.iter().filter_map(|strategy| strategy.timeout);
    let times = summaries.iter().filter_map(|summary| summary.times.last().copied());
    limits.chain(times).fold(0.1, f64::max)
}

/// How many properties each strategy has decided by when.
fn cactus(summaries: &[StrategySummary], limit: f64) -> Option<Figure> {
    let all = || summaries.iter().flat_map(|summary| summary.times.iter().copied());
    let scale = Times::new(limit, all());
    let line = |summary: &'_ StrategySummary| -> Vec<LinePoint> {
        let mut points: Vec<LinePoint> = Vec::new();
        for (number, &seconds) in summary.times.iter().enumerate() {
            let across = scale.share(Some(seconds)).min(1.0);
            points.push(LinePoint::new(across, number as f64));
            points.push(LinePoint::new(across, (number + 1) as f64));
        }
        if !points.is_empty() {
            points.push(LinePoint::new(1.0, summary.times.len() as f64));
        }
        points
    };
    let lines = summaries.iter().take(COLOURS);
    let lines = lines.map(|summary| Line { name: &summary.name, points: line(summary) }).collect();
    let across = ("seconds for one property", scale.marks());
    let svg = Lines::of_counts(across, "properties decided", true, lines).svg()?;
    let caption =
        "Properties that each strategy has decided within a time (cactus plot).".to_owned();
    Some(Figure { svg, caption, pair: None })
}

fn boxes(summaries: &[StrategySummary], limit: f64) -> Option<Figure> {
    let series = summaries.iter().map(|s| (&s.name[..], s.times.clone())).collect();
    let svg = Boxes { across: "seconds for one property", limit, series }.svg()?;
    let caption = "Times of the properties that each strategy has decided: least, quartiles and \
                   greatest."
        .to_owned();
    Some(Figure { svg, caption, pair: None })
}

/// Each two strategies that were tried on the same properties.
fn pairs(results: &Results) -> Vec<Figure> {
    let strategies = &results.plan.strategies;
    let mut figures = Vec::new();
    for (at, first) in strategies.iter().enumerate() {
        for second in &strategies[at + 1..] {
            let names = [&first.name[..], &second.name[..]];
            let rows = results.properties.iter().filter_map(|property| {
                let [a, b] = names.map(|name| attempt(property, name));
                let seconds = [a?, b?].map(|line| line.is_decided().then_some(line.seconds));
                Some((property, seconds))
            });
            let limits = [first, second].map(|strategy| strategy.timeout.unwrap_or(0.0));
            let picture = against(names, limits[0].max(limits[1]), rows.collect());
            figures.extend(picture.map(|svg| {
                Figure {
                    svg,
                    caption:
                        "Seconds for properties on which both were tried and that one of them \
                          decided. Those on the border were not decided."
                            .to_owned(),
                    pair: Some(names.join(" against ")),
                }
            }));
        }
    }
    figures
}

fn against_earlier(results: &Results, comparison: &Comparison<'_>) -> Option<Figure> {
    let time = |property: &PropertyResult| property.decided().map(|_| property.cpu_seconds());
    let rows = results.properties.iter().zip(&comparison.changes);
    let rows =
        rows.filter_map(|(property, (_, old))| Some((property, [time((*old)?), time(property)])));
    let svg = against(["earlier", "now"], 0.0, rows.collect())?;
    let caption = format!(
        "Processor seconds for properties that are in both campaigns and that one of them decided, \
         against {}. Those on the border were not decided.",
        comparison.name
    );
    Some(Figure { svg, caption, pair: None })
}

/// Two times of the same properties; none if no property has one.
fn against(
    [across, up]: [&str; 2],
    limit: f64,
    rows: Vec<(&PropertyResult, [Option<f64>; 2])>,
) -> Option<String> {
    let seconds = || rows.iter().flat_map(|(_, seconds)| *seconds).flatten();
    // The border is beyond all times, so that only undecided properties lie on it.
    let limit = seconds().fold(limit, f64::max) * 1.25;
    let scale = Times::new(limit, seconds());
    let point = |(property, [first, second]): &(&PropertyResult, [Option<f64>; 2])| {
        first.or(*second)?;
        Some(Point {
            across: scale.share(*first).min(1.0),
            up: scale.share(*second).min(1.0),
            kind: usize::from(is_bad(property.verdict())),
            title: format!(
                "{}: {across} {}, {up} {}",
                property.name,
                Times::text(*first),
                Times::text(*second)
            ),
        })
    };
    let points = rows.iter().filter_map(point).collect();
    Scatter { across, up, marks: scale.marks(), kinds: &KINDS, points }.svg()
}
