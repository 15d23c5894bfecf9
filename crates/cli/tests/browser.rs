//! HTML reports of checks and campaigns in a browser. This test makes reports with the built binary;
//! the scripts in `tests/browser` open them in Chromium, click through them and measure.
//!
//! It is skipped if node, Chromium or the npm packages are missing: `./x setup --optional`
//! installs them.

use std::ffi::OsStr;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use elinvar::campaign::{
    Limits, Line, Plan, PlannedModel, PlannedProperty, PropertyLine, Strategy,
};
use elinvar::ir::Verdict;

#[test]
fn reports_work_in_a_browser() {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/browser");
    let chromium = match missing(&scripts) {
        Ok(chromium) => chromium,
        Err(missing) => {
            eprintln!("skipped: {missing}; ./x setup --optional installs it");
            return;
        }
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser");
    make_reports(&folder);
    make_fragments(&folder);
    make_campaigns(&folder);
    let output = Command::new("node")
        .args(["--test", "--test-concurrency=1", "--test-reporter=spec"])
        .args(["report.test.js", "campaign.test.js"].map(|name| scripts.join(name)))
        .env("ELINVAR_CHROMIUM", chromium)
        .env("ELINVAR_REPORTS", &folder)
        .current_dir(&scripts)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{text}");
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// The path of Chromium, or what is missing.
fn missing(scripts: &Path) -> Result<PathBuf, String> {
    let runs = |program: &str| Command::new(program).arg("--version").output().is_ok();
    if !runs("node") {
        return Err("node is not installed".to_owned());
    }
    for package in ["playwright-core", "axe-core"] {
        if !scripts.join("node_modules").join(package).is_dir() {
            return Err(format!("the npm package {package} is not installed"));
        }
    }
    let named = std::env::var_os("ELINVAR_CHROMIUM").map(PathBuf::from);
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&folders)
        .flat_map(|folder| ["chromium", "chromium-browser"].map(|name| folder.join(name)))
        .find(|path| path.is_file());
    named.or(found).ok_or_else(|| "Chromium is not installed".to_owned())
}

fn make_reports(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    let model = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let bmc = |bound: &str| ["--engine", "bmc", "--bound", bound].map(str::to_owned);
    check(folder, "medium", &[model("medium.btor2", &registers(129, 150))], &bmc("150"));
    check(folder, "large", &[model("large.btor2", &registers(999, 1000))], &bmc("1000"));
    check(folder, "many", &[model("many.btor2", &properties(500))], &[]);
    check(folder, "memory", &[model("memory.btor2", MEMORY)], &[]);
    check(folder, "hostile", &[model("hostile.btor2", HOSTILE)], &[]);
    check(folder, "unsafe_program", &[model("unsafe.bpl", UNSAFE_PROGRAM)], &[]);
    check(folder, "safe_program", &[model("safe.bpl", SAFE_PROGRAM)], &[]);
    let limit = ["--timeout", "0.000001"].map(str::to_owned);
    check(folder, "limit", &[model("limit.btor2", &registers(10, 20))], &limit);
    let design = folder.join("design.html");
    match Command::new("yosys").arg("-V").output() {
        Ok(_) => {
            let path = model("design.sv", DESIGN);
            check(folder, "design", &[path], &[]);
        }
        Err(_) => {
            eprintln!("skipped: the report of a Verilog design, because Yosys is not installed");
            std::fs::remove_file(design).unwrap_or_default();
        }
    }
}

/// Writes a page with two waveforms of the same trace, as a notebook has them.
fn make_fragments(folder: &Path) {
    let problem = elinvar::Problem::parse("memory.btor2", MEMORY).unwrap();
    let report = elinvar::check(&problem, &elinvar::Options::default()).unwrap();
    let Verdict::Unsafe(elinvar::Trace::System(trace)) = &report.properties[0].verdict else {
        panic!("the memory can contain 7")
    };
    let waveform = elinvar::page::waveform(problem.as_system().unwrap().system(), trace);
    let head = "<!doctype html><html lang=\"en\" data-ready><title>Notebook</title>";
    let page = format!("{head}<main>{waveform}{waveform}</main></html>");
    std::fs::write(folder.join("fragments.html"), page).unwrap();
}

/// Makes a campaign of 1,000 properties and four strategies, and its report with and without an
/// earlier one; and a campaign with a hostile name that has just begun.
fn make_campaigns(folder: &Path) {
    let [old, new, hostile] = ["old", "new", "hostile"].map(|name| {
        let campaign = folder.join(name).with_extension("campaign");
        std::fs::remove_dir_all(&campaign).unwrap_or_default();
        std::fs::create_dir_all(&campaign).unwrap();
        campaign
    });
    let names = ["quick", "pdr", "avy", "long"];
    campaign(&old, "Monday", &names, 1000, 0);
    campaign(&new, "Tuesday", &names, 1000, 1);
    campaign(&hostile, "</script><img/src=x/onerror=alert(1)>", &["<b>"], 3, 0);
    report(&new, &["--html".as_ref(), folder.join("campaign.html").as_os_str()]);
    let compared = folder.join("compared.html");
    report(&new, &["--compare".as_ref(), old.as_os_str(), "--html".as_ref(), compared.as_os_str()]);
    report(&hostile, &["--html".as_ref(), folder.join("begun.html").as_os_str()]);
}

fn report(campaign: &Path, options: &[&OsStr]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_elinvar"));
    let output = command.args(["run", "report"]).arg(campaign).args(options).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Writes the plan and the log of a campaign in which each strategy decides some of the properties
/// that are left. Every 50th property is another one in each variant.
fn campaign(folder: &Path, name: &str, strategies: &[&str], properties: usize, variant: usize) {
    let planned = (0..properties).map(|index| PlannedProperty {
        index,
        name: format!("top.core{}.unit{}.assert_{index}", index % 4, index / 4 % 16),
        kind: "safety".to_owned(),
    });
    let plan = Plan {
        schema: elinvar::campaign::SCHEMA.to_owned(),
        name: name.to_owned(),
        version: String::new(),
        created: "2026-01-01T00:00:00Z".to_owned(),
        models: vec![PlannedModel {
            name: "designs/cpu.btor2".to_owned(),
            path: "/designs/cpu.btor2".into(),
            sha256: String::new(),
            properties: planned.collect(),
        }],
        strategies: (strategies.iter().enumerate())
            .map(|(at, name)| Strategy {
                name: (*name).to_owned(),
                options: vec!["--engine".to_owned(), (*name).to_owned()],
                timeout: Some([2.0, 20.0, 20.0, 60.0][at]),
            })
            .collect(),
        limits: Limits::default(),
        store: None,
        tasks: Vec::new(),
    };
    plan.write(folder).unwrap();
    // Written at once, since each line of a real log is synchronised with the disk.
    let lines: String = (0..properties)
        .flat_map(|index| attempts(&plan, index, variant).into_iter().map(Line::Result))
        .map(|line| line.to_text())
        .collect();
    std::fs::create_dir_all(folder.join("log")).unwrap();
    std::fs::write(folder.join("log/w-0.jsonl"), lines).unwrap();
}

/// The attempts on a property, with numbers that only look random.
fn attempts(plan: &Plan, index: usize, variant: usize) -> Vec<PropertyLine> {
    let noise = (index * 7919 + 13) % 1000;
    let difficulty = if index % 50 == 7 { (noise + 500 * variant) % 1000 } else { noise };
    let mut lines = Vec::new();
    for (stage, strategy) in plan.strategies.iter().enumerate() {
        let is_decided = difficulty < [600, 800, 850, 960][stage];
        let limit = strategy.timeout.unwrap();
        let share = ((index * 31 + stage * 17) % 97 + 1) as f64 / 100.0;
        let seconds = if is_decided { limit * share.powi(3) } else { limit };
        let verdict = match (is_decided, index % 9) {
            (false, _) => "unknown",
            (true, 0) => "unsafe",
            (true, _) => "safe",
        };
        let evidence = |of: &str| (verdict == of).then(|| format!("evidence/{index}"));
        lines.push(PropertyLine {
            task: format!("t{stage:06}"),
            model: plan.models[0].name.clone(),
            property: index,
            name: plan.models[0].properties[index].name.clone(),
            kind: "safety".to_owned(),
            strategy: strategy.name.clone(),
            stage,
            verdict: verdict.to_owned(),
            reason: (!is_decided).then(|| "time limit".to_owned()),
            engine: is_decided.then(|| strategy.name.clone()),
            seconds,
            cpu_seconds: seconds * if variant == 1 && index.is_multiple_of(11) { 3.0 } else { 1.0 },
            memory_bytes: 50 << 20,
            depth: is_decided.then_some(index % 40),
            source: elinvar::campaign::Source::Engine,
            depends: vec![],
            certificate: evidence("safe"),
            trace: evidence("unsafe"),
            worker: "w-0".to_owned(),
            time: "2026-01-01T01:00:00Z".to_owned(),
            attempt: 1,
        });
        // Every third property is given to all strategies, as in a comparison of them.
        if is_decided && !index.is_multiple_of(3) {
            break;
        }
    }
    lines
}

/// Writes the report of a model, `NAME.html`, beside it.
fn check(folder: &Path, name: &str, models: &[PathBuf], options: &[String]) {
    let page = folder.join(name).with_extension("html");
    std::fs::remove_file(&page).unwrap_or_default();
    let output = Command::new(env!("CARGO_BIN_EXE_elinvar"))
        .arg("check")
        .args(models)
        .args(options)
        .arg("--html")
        .arg(&page)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 10 | 20)), "{name}: {said}");
    assert!(page.is_file(), "{name}: {said}");
}

/// So many registers in scopes, each of which changes often, and a counter that is bad in the
/// last of so many cycles. The property depends on all of them.
fn registers(registers: usize, cycles: usize) -> String {
    let mut text = String::from("1 sort bitvec 1\n2 sort bitvec 16\n3 zero 1\n4 zero 2\n5 one 2\n");
    writeln!(text, "6 constd 2 {}\n7 state 2 count\n8 init 2 7 4", cycles - 1).unwrap();
    writeln!(text, "9 add 2 7 5\n10 next 2 7 9\n11 eq 1 7 6\n12 one 1").unwrap();
    let mut next = 13;
    let mut line = |body: String| {
        writeln!(text, "{next} {body}").unwrap();
        next += 1;
        next - 1
    };
    let states: Vec<usize> = (1..registers)
        .map(|n| {
            let (core, stage) = (n % 4, n / 4 % 8);
            line(format!("state 1 core{core}.stage{stage}.bit{n}"))
        })
        .collect();
    let mut parity = 3;
    for (at, &state) in states.iter().enumerate() {
        line(format!("init 1 {state} {}", if at % 7 == 0 { 12 } else { 3 }));
        let before = if at == 0 { states[states.len() - 1] } else { states[at - 1] };
        let changed = line(format!("xor 1 {state} {before}"));
        line(format!("next 1 {state} {changed}"));
        parity = line(format!("xor 1 {parity} {state}"));
    }
    let reached = line("ugte 1 7 6".to_owned());
    let bad = line(format!("ite 1 {parity} 11 {reached}"));
    line(format!("bad {bad} last_cycle"));
    text
}

/// A counter that reaches half of the values, and a property about each value.
fn properties(count: usize) -> String {
    let mut text = String::from("1 sort bitvec 1\n2 sort bitvec 16\n3 zero 2\n4 one 2\n");
    text.push_str("5 input 1 enable\n6 state 2 top.count\n7 init 2 6 3\n8 add 2 6 4\n");
    text.push_str("9 constd 2 40\n10 ult 1 6 9\n11 and 1 5 10\n12 ite 2 11 8 6\n13 next 2 6 12\n");
    for n in 0..count {
        let number = 20 + 3 * n;
        let value = if n % 2 == 0 { n / 2 % 40 } else { 41 + n };
        writeln!(text, "{number} constd 2 {value}").unwrap();
        writeln!(text, "{} eq 1 6 {number}", number + 1).unwrap();
        writeln!(text, "{} bad {} top.count_is_never_{value}_{n}", number + 2, number + 1).unwrap();
    }
    text
}

/// A write of 7 to an address that the user chooses, and a property about address 3.
const MEMORY: &str = "1 sort bitvec 1\n2 sort bitvec 4\n3 sort bitvec 8\n4 sort array 2 3\n\
    5 zero 3\n6 state 4 u.mem\n7 init 4 6 5\n8 input 2 address\n9 constd 3 7\n\
    10 write 4 6 8 9\n11 next 4 6 10\n12 constd 2 3\n13 read 3 6 12\n14 eq 1 13 9\n15 bad 14 seven\n";

/// Names that try to become markup.
const HOSTILE: &str = "1 sort bitvec 1\n2 zero 1\n3 state 1 </script><img/src=x/onerror=alert(1)>\n\
    4 init 1 3 2\n5 input 1 <!--<script>\n6 or 1 3 5\n7 next 1 3 6\n\
    8 bad 3 </script><script>document.title='broken'</script>\n";

const UNSAFE_PROGRAM: &str = "procedure main(n: int)\n{\n  var i: int;\n  i := 0;\n  \
    while (i < n) {\n    i := i + 1;\n  }\n  assert i < 3;\n}\n";

const SAFE_PROGRAM: &str = "procedure main()\n{\n  var x: int;\n  x := 0;\n  while (x < 9) {\n    \
    x := x + 1;\n  }\n  assert x == 9;\n}\n";

const DESIGN: &str = "module top(input clk, input step);\n  reg [3:0] count = 0;\n  \
    always @(posedge clk) if (step) count <= count + 1;\n  \
    always @(posedge clk) begin\n    small: assert (count < 9);\n    seen: cover (count == 3);\n  \
    end\nendmodule\n";
