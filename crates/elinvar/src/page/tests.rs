use elinvar_ir::Verdict;
use serde_json::{Value as Json, json};

use super::waves::Waveforms;
use super::*;
use crate::evidence::EvidenceKind;
use crate::report::Trace as AnyTrace;
use crate::{Options, Problem};

fn report(name: &str, text: &str) -> Report {
    crate::check(&Problem::parse(name, text).unwrap(), &Options::default()).unwrap()
}

/// The data of a page, read as a browser does it.
fn data(page: &str) -> Json {
    let (_, after) = page.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    let (data, _) = after.split_once("</script>").unwrap();
    serde_json::from_str(data).unwrap()
}

fn page(report: &Report) -> (String, Json) {
    let options = PageOptions { models: vec!["m x.btor2".to_owned()], ..PageOptions::default() };
    let page = report.to_html(&options);
    let data = data(&page);
    (page, data)
}

/// A counter of 8 bits in a scope that is bad at 3, and never above 9.
const COUNTER: &str = "1 sort bitvec 8\n2 zero 1\n3 state 1 top.u.count\n4 init 1 3 2\n5 one 1\n\
    6 constd 1 9\n7 sort bitvec 1\n8 ult 7 3 6\n9 add 1 3 5\n10 ite 1 8 9 3\n11 next 1 3 10\n\
    12 constd 1 3\n13 eq 7 3 12\n14 bad 13 three\n15 ugt 7 3 6\n16 bad 15 above\n";

#[test]
fn names_and_texts_stay_texts() {
    let name = "</script><img/src=x/onerror=alert(1)>";
    let comment = "<!--<script>";
    let text = format!(
        "1 sort bitvec 1\n2 zero 1\n3 state 1 {comment}\n4 init 1 3 2\n5 not 1 3\n6 next 1 3 5\n7 bad 3 {name}\n"
    );
    let report = report("m.btor2", &text);
    let mut options = PageOptions { models: vec![name.to_owned()], ..PageOptions::default() };
    options.command = vec!["elinvar".to_owned(), name.to_owned()];
    let page = report.to_html(&options);
    assert_eq!(data(&page)["properties"][0]["name"], name);
    assert_eq!(data(&page)["waveforms"]["signals"][1][1], comment);
    for hostile in [name, comment] {
        assert!(!page.contains(hostile), "{hostile}");
    }
    // The frame has two script elements, and the data adds none.
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script").count(), 2);
    let fragment = match &report.properties[0].verdict {
        Verdict::Unsafe(AnyTrace::System(trace)) => {
            waveform(report.problem.as_system().unwrap().system(), trace)
        }
        other => panic!("{other:?}"),
    };
    assert!(!fragment.contains(name) && !fragment.contains(comment));
}

#[test]
fn only_the_scripts_of_the_page_run() {
    let (page, _) = page(&report("m.btor2", COUNTER));
    let (_, script) = page.rsplit_once("<script>").unwrap();
    let (script, _) = script.split_once("</script>").unwrap();
    let (_, style) = page.split_once("<style>").unwrap();
    let (style, _) = style.split_once("</style>").unwrap();
    assert!(page.contains(&format!("script-src {};", policy_hash(script))));
    assert!(page.contains(&format!("style-src {};", policy_hash(style))));
    assert!(page.contains("default-src 'none'"));
    for address in ["http:", "https:", "//www"] {
        assert!(!page.contains(address), "{address}");
    }
}

#[test]
fn waveforms_have_the_values_of_the_trace() {
    let (_, data) = page(&report("m.btor2", COUNTER));
    let (waves, three) = (&data["waveforms"], &data["properties"][0]);
    assert_eq!((&three["verdict"], &three["depth"]), (&json!("unsafe"), &json!(3)));
    let trace = &waves["traces"][three["trace"].as_u64().unwrap() as usize];
    assert_eq!(trace["cycles"], 4);
    assert_eq!(waves["scopes"], json!([[-1, "top"], [0, "u"]]));
    let row = |at: usize| {
        let [signal, runs] = [0, 1].map(|part| trace["rows"][at][part].as_u64().unwrap() as usize);
        (waves["signals"][signal].clone(), waves["runs"][runs].clone())
    };
    assert_eq!(row(0), (json!([-1, "three", "p", 1]), json!("0*3 1")));
    assert_eq!(row(1), (json!([1, "count", "r", 8]), json!("0 1 2 3")));
}

#[test]
fn hashes_are_those_of_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let mut report = report("m.btor2", COUNTER);
    report.write_evidence(EvidenceKind::Certificate, &folder.path().join("proof.txt")).unwrap();
    let (_, data) = page(&report);
    let (three, above) = (&data["properties"][0]["evidence"], &data["properties"][1]["evidence"]);
    let written = std::fs::read(folder.path().join("proof.1.txt")).unwrap();
    assert_eq!(above["sha256"], sha256(&written));
    assert_eq!(above["bytes"], written.len());
    assert_eq!((&above["written"], &three["written"]), (&json!(true), &json!(false)));
    let command = "elinvar verify 'm x.btor2' witness-0.txt --property 0";
    assert_eq!(three["verify"], command);
    // What is part of the page is the evidence itself.
    assert_eq!(three["sha256"], sha256(three["text"].as_str().unwrap().as_bytes()));
}

#[test]
fn signals_that_do_not_fit_are_left_out_and_counted() {
    let report = report("m.btor2", COUNTER);
    let problem = report.problem.as_system().unwrap();
    let Verdict::Unsafe(AnyTrace::System(trace)) = &report.properties[0].verdict else {
        panic!("it counts to 3")
    };
    let mut waveforms = Waveforms::new(problem.system(), false);
    let (all, size) = waveforms.add(trace, 1000);
    let (less, smaller) = waveforms.add(trace, size / 2);
    let data = waveforms.into_json();
    let trace = |number: usize| &data["traces"][number];
    assert_eq!((&trace(all)["left_out"], &trace(less)["left_out"]), (&json!(0), &json!(1)));
    assert!(smaller <= size / 2);
}

#[test]
fn memories_are_rows_of_their_elements() {
    let text = "1 sort bitvec 1\n2 sort bitvec 4\n3 sort bitvec 8\n4 sort array 2 3\n5 zero 3\n\
        6 state 4 u.mem\n7 init 4 6 5\n8 input 2 at\n9 constd 3 7\n10 write 4 6 8 9\n\
        11 next 4 6 10\n12 constd 2 3\n13 read 3 6 12\n14 eq 1 13 9\n15 bad 14\n";
    let (_, data) = page(&report("m.btor2", text));
    let signals = data["waveforms"]["signals"].as_array().unwrap();
    assert!(signals.contains(&json!([1, "[3]", "m", 8])), "{signals:?}");
    assert_eq!(data["waveforms"]["scopes"], json!([[-1, "u"], [0, "mem"]]));
    let runs = data["waveforms"]["runs"].as_array().unwrap();
    assert!(runs.contains(&json!("0 7")), "{runs:?}");
}

#[test]
fn runs_of_programs_have_lines_and_values() {
    let text = "procedure p()\n{\n  var x: int;\n  x := 3;\n  assert x < 3;\n}\n";
    let (_, data) = page(&report("p.bpl", text));
    let property = &data["properties"][0];
    let rows = property["run"]["rows"].as_array().unwrap();
    assert!(rows.contains(&json!([4, "x := 3", "x = 3"])), "{rows:?}");
    assert_eq!(property["line"], 5);
    assert_eq!(data["sources"][0]["parts"], json!([[1, text.trim_end()]]));
    assert_eq!(data["waveforms"], Json::Null);
}

#[test]
fn invariants_of_programs_stand_at_their_lines() {
    let text = "procedure p()\n{\n  var x: int;\n  x := 0;\n  while (x < 9) { x := x + 1; }\n  \
                assert x == 9;\n  assert x == 9;\n}\n";
    let (_, data) = page(&report("p.bpl", text));
    let place = &data["properties"][0]["invariant"]["places"][0];
    assert_eq!((&place["line"], &place["text"]), (&json!(5), &json!("while (x < 9)")));
}

#[test]
fn explanations_are_part_of_the_page() {
    let problem = Problem::parse("m.btor2", COUNTER).unwrap();
    let mut report = report("m.btor2", COUNTER);
    let data_of = |report: &Report| data(&report.to_html(&PageOptions::default()));
    let data = data_of(&report);
    let line = &data["properties"][0]["explanation"][0]["lines"][0];
    assert!(line[0].is_u64() && line[1].as_str().unwrap().contains("count"), "{line}");
    // That of a proof takes long, and is there only if it was asked for.
    assert_eq!(data["properties"][1]["explanation"], json!([]));
    assert_eq!(data["properties"][0]["evidence"]["verify"], Json::Null, "no file is known");
    report = crate::check(&problem, &Options { explain: true, ..Options::default() }).unwrap();
    assert_ne!(data_of(&report)["properties"][1]["explanation"], json!([]));
}

#[test]
fn a_model_that_was_not_read_has_a_page() {
    let data = data(&unread(&StopReason::Timeout, &PageOptions::default()));
    assert_eq!((&data["verdict"], &data["properties"]), (&json!("unknown"), &json!([])));
    assert!(data["sentence"].as_str().unwrap().starts_with("The model was not read: "));
}
