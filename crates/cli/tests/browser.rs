//! The HTML report in a browser. This test makes reports with the built binary; the scripts in
//! `tests/browser` open them in Chromium, click through them and measure.
//!
//! It is skipped if node, Chromium or the npm packages are missing: `./x setup --optional`
//! installs them.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

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
    let output = Command::new("node")
        .args(["--test", "--test-concurrency=1", "--test-reporter=spec"])
        .arg(scripts.join("report.test.js"))
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
