//! Traces that Yosys replays on the design. The tests need Yosys, and skip without it.

use super::*;

/// A counter in a module of its own, a memory and a register without an initial value. The
/// assertion fails in cycle 4 at the earliest.
const DESIGN: &str = "\
module step (input clk, rst, en, input [3:0] by, output reg [3:0] q);
    always @(posedge clk) if (rst) q <= 0; else if (en) q <= q + by;
endmodule
module top (input clk, rst, en, input [3:0] by, output [3:0] q);
    reg [3:0] mem [0:3];
    reg [3:0] limit;
    reg past = 0;
    step u (.clk(clk), .rst(rst), .en(en), .by(by), .q(q));
    always @(posedge clk) begin
        past <= 1;
        limit <= limit;
        if (en) mem[q[1:0]] <= by;
    end
    always @* begin
        if (!past) assume (rst);
        assume (by < 6);
        if (past && !rst) a_limit: assert (!(q == 11 && mem[2] == 9 && limit == 13));
    end
endmodule
";

const PREPARE: &str = "read_verilog -sv -formal top.v; prep -flatten -nordff -top top; \
    chformal -early; async2sync";
const WORDS: &str = "memory -nomap -nordff; setundef -undriven -anyseq; opt_clean; dffunmap; \
    write_rtlil top.il; write_smt2 -wires top.smt2";
const BITS: &str = "memory_nordff; memory_map -formal; formalff -clk2ff -ff2anyinit; \
    setundef -undriven -anyseq; opt -full; techmap; opt -fast; dffunmap; abc -g AND -fast; opt_clean";

fn program(name: &str, folder: &Path, arguments: &[&str]) -> Option<Output> {
    Command::new(name).current_dir(folder).args(arguments).output().ok()
}

/// Runs Yosys; `None` if it is missing.
fn yosys(folder: &Path, script: &str) -> Option<()> {
    let Some(output) = program("yosys", folder, &["-q", "-p", script]) else {
        eprintln!("skipped: there is no yosys");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(())
}

/// Replays a witness on the design, by simulation if this Yosys can, or else by its bounded
/// model checker. The assertion fails in the last cycle of the witness.
fn expect_replay(folder: &Path, witness: &str, cycle: usize) {
    let help = program("yosys", folder, &["-p", "help sim"]).expect("it ran before");
    if String::from_utf8_lossy(&help.stdout).contains(".yw") {
        let script = format!("read_rtlil top.il; sim -assert -r {witness}");
        let run = program("yosys", folder, &["-q", "-p", &script]).unwrap();
        let messages = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(messages.contains("a_limit") && messages.contains("failed"), "{messages}");
    }
    let arguments = ["-s", "z3", "-t", "20", "--yw", witness, "top.smt2"];
    let Some(run) = program("yosys-smtbmc", folder, &arguments) else {
        return eprintln!("skipped: there is no yosys-smtbmc");
    };
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    if text.is_empty() {
        return eprintln!("skipped: yosys-smtbmc needs z3");
    }
    let last = format!("Checking assertions in step {cycle}..");
    let after = text.split_once(&last).unwrap_or_else(|| panic!("{text}")).1;
    assert!(after.contains("Assert failed in top: a_limit"), "{text}");
}

#[test]
fn yosys_replays_the_trace_of_a_model_with_words() {
    let path = &folder();
    std::fs::write(path.join("top.v"), DESIGN).unwrap();
    let script = format!("{PREPARE}; {WORDS}; write_btor top.btor2");
    let Some(()) = yosys(path, &script) else { return };
    let run = elinvar(path, &["check", "top.btor2", "--yw", "top.yw", "--shortest"]);
    assert_eq!(run.code, UNSAFE, "{}", run.stderr);
    assert!(run.stdout.contains("a trace of 5 cycles, the shortest"), "{}", run.stdout);
    assert!(run.stdout.contains("reg u.q ") || run.stdout.contains("reg q "), "{}", run.stdout);
    expect_replay(path, "top.yw", 4);
}

#[test]
fn yosys_replays_the_trace_of_a_model_with_bits_and_a_map() {
    let path = &folder();
    std::fs::write(path.join("top.v"), DESIGN).unwrap();
    let words = format!("{PREPARE}; {WORDS}");
    let Some(()) = yosys(path, &words) else { return };
    let maps = "-map top.aim -ywmap top.ywa -no-startoffset";
    yosys(path, &format!("{PREPARE}; {BITS}; write_aiger -zinit -I -B {maps} top.aig"));
    let run = elinvar(path, &["check", "top.aig", "--yw", "top.yw", "--shortest"]);
    assert_eq!(run.code, UNSAFE, "{}", run.stderr);
    assert!(run.stdout.ends_with("names from top.ywa\nnames from top.aim\nwrote top.yw\n"));
    assert!(run.stdout.contains("by[3:0]"), "{}", run.stdout);
    expect_replay(path, "top.yw", 4);
}
