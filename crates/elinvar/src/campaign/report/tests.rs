use serde_json::{Value as Json, json};

use super::*;
use crate::campaign::log::{Line, LogWriter, tests::result};
use crate::campaign::results::tests::plan;
use crate::page::escape::policy_hash;

/// A campaign of three properties with these verdicts, each after so many seconds.
fn campaign(folder: &Path, verdicts: [(&str, f64); 3]) -> Results {
    plan().write(folder).unwrap();
    let mut log = LogWriter::create(folder, "a").unwrap();
    for (property, (verdict, cpu_seconds)) in verdicts.into_iter().enumerate() {
        let mut line = result("t000000", property, 0, verdict);
        (line.cpu_seconds, line.seconds) = (cpu_seconds, cpu_seconds);
        line.certificate = (verdict == "safe").then(|| "evidence/a b.cert".to_owned());
        line.trace = (verdict == "unsafe").then(|| "javascript:alert(1)".to_owned());
        log.append(&Line::Result(line)).unwrap();
    }
    let mut line = result("t000002", 2, 1, "unsafe");
    line.strategy = "long".to_owned();
    if verdicts[2].0 == "unknown" {
        log.append(&Line::Result(line)).unwrap();
    }
    Results::read(folder).unwrap()
}

fn data(page: &str) -> Json {
    let (_, after) = page.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    serde_json::from_str(after.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn the_page_has_properties_strategies_and_figures() {
    let folder = tempfile::tempdir().unwrap();
    let results = campaign(folder.path(), [("safe", 0.1), ("unsafe", 0.2), ("unknown", 1.0)]);
    let page = html(&results, None, &CampaignPage::default());
    let data = data(&page);
    assert_eq!(data["verdict"], "unsafe");
    assert_eq!(data["sentence"], "3 properties of 1 model: 1 proved, 2 failing, 0 undecided.");
    let [first, second, third] = [0, 1, 2].map(|at| &data["properties"][at]);
    assert_eq!(first["certificate"], "./evidence/a%20b.cert");
    assert!(first["verify"].as_str().unwrap().starts_with("elinvar verify /m "));
    // A name of a file is never an address.
    assert_eq!(second["trace"], "./javascript%3Aalert(1)");
    assert_eq!(
        (&third["verdict"], &third["attempts"][0]["verdict"]),
        (&json!("unsafe"), &json!("unknown"))
    );
    assert_eq!(data["strategies"][1]["failed"], 1);
    // Lines, boxes, and the two strategies against each other.
    assert_eq!(page.matches("<svg").count(), 3);
    assert!(page.contains("data-pair=\"quick against long\""));
}

#[test]
fn only_the_script_of_the_page_runs() {
    let folder = tempfile::tempdir().unwrap();
    let mut results = campaign(folder.path(), [("safe", 0.1), ("unsafe", 0.2), ("unknown", 1.0)]);
    let hostile = "</script><img src=x onerror=alert(1)>";
    results.plan.name = hostile.to_owned();
    results.plan.strategies[0].name = hostile.to_owned();
    for property in &mut results.properties {
        property.name = hostile.to_owned();
        property.attempts.values_mut().for_each(|line| line.strategy = hostile.to_owned());
    }
    let page = html(&results, Some(&results), &CampaignPage::default());
    assert!(!page.contains("<img"), "{page}");
    assert_eq!((page.matches("<script").count(), page.matches("</script").count()), (2, 2));
    let (_, script) = page.rsplit_once("<script>").unwrap();
    let (script, _) = script.split_once("</script>").unwrap();
    assert!(page.contains(&format!("script-src {};", policy_hash(script))));
    assert!(!page.contains("http:") && !page.contains("https:") && !page.contains(" style="));
}

#[test]
fn changes_are_named() {
    let [old, new] = [0, 1].map(|_| tempfile::tempdir().unwrap());
    let earlier = campaign(old.path(), [("safe", 5.0), ("unsafe", 0.2), ("unknown", 1.0)]);
    let mut now = campaign(new.path(), [("safe", 1.0), ("safe", 0.2), ("safe", 1.0)]);
    let changes = |now: &Results| -> Vec<Change> {
        Comparison::new(now, &earlier).changes.iter().map(|(change, _)| *change).collect()
    };
    assert_eq!(changes(&now), [Change::Faster, Change::NewlyProved, Change::NewlyProved]);
    let comparison = Comparison::new(&now, &earlier);
    assert_eq!(comparison.counts(), [(Change::NewlyProved, 2), (Change::Faster, 1)]);
    assert!(comparison.sentence().ends_with("in both: 2 newly proved, 1 faster."));
    // A model that was moved is found by the name of its file; a new property is new.
    now.plan.models[0].name = "elsewhere/m".to_owned();
    now.properties[1].name = "other".to_owned();
    assert_eq!(changes(&now), [Change::Faster, Change::New, Change::NewlyProved]);
    assert_eq!(Comparison::new(&now, &earlier).removed, 1);
    let page = html(&now, Some(&earlier), &CampaignPage::default());
    assert_eq!(data(&page)["properties"][0]["before"]["cpu"], 5.0);
    assert!(page.contains("This campaign against the earlier one"));
}

#[test]
fn results_are_a_table_for_programs() {
    let folder = tempfile::tempdir().unwrap();
    let results = campaign(folder.path(), [("safe", 0.1), ("unsafe", 0.2), ("unknown", 1.0)]);
    let text = csv(&results);
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{text}");
    assert_eq!(rows.len(), 5);
    assert_eq!(rows[1][..8], ["m", "0", "p0", "safety", "safe", "quick", "0", "safe"]);
    assert_eq!(rows[3][4..8], ["unsafe", "quick", "0", "unknown"]);
    // A campaign that has just begun has a row for each property.
    let empty = Results::new(folder.path(), plan());
    let text = csv(&empty);
    assert_eq!(text.lines().nth(1).unwrap().matches(',').count(), rows[0].len() - 1);
    assert_eq!(text.lines().count(), 4);
}

#[test]
fn failing_and_undecided_properties_are_failures_and_errors() {
    let folder = tempfile::tempdir().unwrap();
    let results = campaign(folder.path(), [("safe", 0.1), ("unsafe", 0.2), ("unknown", 1.0)]);
    let text = junit(&results);
    crate::plot::tests::is_well_formed(&text);
    assert!(text.contains("tests=\"3\" failures=\"2\" errors=\"0\""), "{text}");
    assert!(text.contains("quick: unknown in 1.00 s\nlong: unsafe in 0.50 s"), "{text}");
    let text = junit(&Results::new(folder.path(), plan()));
    assert!(text.contains("errors=\"3\"") && text.contains("p0 was not tried"), "{text}");
}

#[test]
fn a_campaign_that_has_just_begun_has_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let page = html(&Results::new(folder.path(), plan()), None, &CampaignPage::default());
    assert!(data(&page)["remarks"][0].as_str().unwrap().contains("0 of 4 tasks"));
    assert!(!page.contains("<svg") && !page.contains("NaN"));
}
