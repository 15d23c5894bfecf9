//! Designs in Verilog, with the real Yosys where it is installed.

use super::*;

/// Whether Yosys is there; says so on standard error if it is not.
fn has_yosys() -> bool {
    let found = Command::new("yosys").arg("-V").output().is_ok_and(|out| out.status.success());
    if !found {
        eprintln!("skipped: yosys is not installed");
    }
    found
}

fn design(path: &Path, text: &str, more: &[&str]) -> Run {
    std::fs::write(path.join("d.sv"), text).unwrap();
    elinvar(path, &[&["check", "d.sv"], more].concat())
}

fn json(run: &Run) -> Json {
    serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}{}", run.stdout, run.stderr))
}

/// `name place verdict` of each property.
fn verdicts(run: &Run) -> Vec<String> {
    let report = json(run);
    let text = |property: &Json| {
        let (name, location) = (property["name"].as_str().unwrap(), &property["location"]);
        let (file, line) = (location["file"].as_str().unwrap(), &location["line"]);
        format!("{name} {file}:{line} {}", property["verdict"].as_str().unwrap())
    };
    report["properties"].as_array().unwrap().iter().map(text).collect()
}

#[test]
fn the_example_is_safe_and_its_bug_is_found() {
    if !has_yosys() {
        return;
    }
    let file = example("verilog/fifo.sv");
    let file = file.to_str().unwrap();
    let path = &folder();
    let run = elinvar(path, &["check", file]);
    assert_eq!(run.code, SAFE, "{}{}", run.stdout, run.stderr);
    let run = elinvar(path, &["check", file, "-D", "BUG"]);
    assert_eq!(run.code, UNSAFE, "{}", run.stdout);
    assert!(
        run.stdout.contains("fifo.sv:69: a_count:    assert (count <= DEPTH);"),
        "{}",
        run.stdout
    );
    let run = elinvar(path, &["check", file, "--cover", "-D", "REFILL"]);
    assert!(run.stdout.contains("c_full      reached"), "{}", run.stdout);
    assert_eq!(run.code, UNSAFE, "{}", run.stdout);
    assert!(run.stdout.contains("c_refilled  unreachable"), "{}", run.stdout);
}

const HIERARCHY: &str = "\
module leaf(input wire clk, input wire en, output reg [2:0] q);
    initial q = 0;
    always @(posedge clk) if (en) q <= q == 5 ? 0 : q + 1;
    always @(posedge clk) begin
        assert (q <= 5);
        c_top: cover (q == 5);
    end
endmodule
module top(input wire clk, input wire [1:0] en, output wire [2:0] a, output wire [2:0] b);
    leaf first(.clk(clk), .en(en[0]), .q(a));
    leaf second(.clk(clk), .en(en[1]), .q(b));
    genvar i;
    generate for (i = 0; i < 2; i = i + 1) begin : each
        always @* assume (en[i]);
    end endgenerate
    always @(posedge clk) begin
        a_same: assert (a == b);
        assert (a != 3); assert (b != 4);
    end
endmodule
";

#[test]
fn statements_keep_their_names_and_places() {
    if !has_yosys() {
        return;
    }
    let run = design(&folder(), HIERARCHY, &["--top", "top", "--json"]);
    let expected = [
        "first.assert:5 d.sv:5 safe",
        "second.assert:5 d.sv:5 safe",
        "a_same d.sv:17 safe",
        "assert:18.9 d.sv:18 unsafe",
        "assert:18.26 d.sv:18 unsafe",
        "first.c_top d.sv:6 reached",
        "second.c_top d.sv:6 reached",
    ];
    assert_eq!(verdicts(&run), expected);
    assert_eq!(
        json(&run)["properties"][3]["location"]["text"],
        "assert (a != 3); assert (b != 4);"
    );
    assert_eq!(json(&run)["properties"][3]["depth"], 3);
}

/// Each design with the verdicts that follow from the language, worked out by hand.
#[test]
fn the_constructs_of_the_language_mean_what_they_say() {
    if !has_yosys() {
        return;
    }
    let path = &folder();
    for (what, text, expected) in [
        (
            "asynchronous reset",
            "module t(input clk, rst, input [3:0] d, output reg [3:0] q);
             always @(posedge clk or posedge rst) if (rst) q <= 3; else q <= d;
             always @* if (rst) a1: assert (q == 3);
             always @* a2: assert (q != 7);
             endmodule",
            ["a1 d.sv:3 safe", "a2 d.sv:4 unsafe"],
        ),
        (
            "latch",
            "module t(input clk, en, input [3:0] d, output reg [3:0] q);
             always @* if (en) q = d;
             always @* if (en) a1: assert (q == d);
             always @* a2: assert (q == d);
             endmodule",
            ["a1 d.sv:3 safe", "a2 d.sv:4 unsafe"],
        ),
        (
            "memory with a registered read",
            "module t(input clk, we, input [7:0] wa, ra, input [7:0] d);
             reg [7:0] mem [0:255]; reg [7:0] q; reg [7:0] last; reg valid = 0;
             initial mem[3] = 9;
             always @(posedge clk) begin
               if (we) mem[wa] <= d; q <= mem[ra]; last <= d; valid <= we && wa == ra;
             end
             always @(posedge clk) begin
               if (valid && $past(valid) && $past(wa) == $past(wa, 2)) a1: assert (q == $past(last));
               a2: assert (q != 77);
             end endmodule",
            ["a1 d.sv:8 safe", "a2 d.sv:9 unsafe"],
        ),
        (
            "initial values and $past",
            "module t(input clk, input [3:0] d); reg [3:0] q = 2; reg [3:0] free;
             reg started = 0; always @(posedge clk) started <= 1;
             always @(posedge clk) q <= d;
             always @(posedge clk) begin
               if (!started) a1: assert (q == 2); else a2: assert (q == $past(d));
             end
             always @* a3: assert (free != 5);
             endmodule",
            ["a1 d.sv:5 safe", "a2 d.sv:5 safe"],
        ),
        (
            "$anyconst and $anyseq",
            "module t(input clk); (* anyconst *) wire [3:0] c; (* anyseq *) wire [3:0] s;
             reg started = 0; always @(posedge clk) started <= 1;
             always @(posedge clk) if (started) begin
               a1: assert ($stable(c));
               a2: assert ($stable(s));
             end endmodule",
            ["a1 d.sv:4 safe", "a2 d.sv:5 unsafe"],
        ),
        (
            "restrict and fell",
            "module t(input clk, input a); reg q = 1; reg started = 0;
             always @(posedge clk) begin started <= 1; q <= q & a; end
             always @(posedge clk) if (started) begin
               a1: assert (!$rose(q)); 
               a2: assert (!$fell(q));
             end endmodule",
            ["a1 d.sv:4 safe", "a2 d.sv:5 unsafe"],
        ),
    ] {
        let run = design(path, text, &["--json", "--engine", "auto"]);
        assert_eq!(verdicts(&run)[..2], expected, "{what}");
        assert!(!run.stderr.contains("clk2fflogic"), "{what}: {}", run.stderr);
    }
}

/// A value crosses from one clock to the other: it may wait for any number of edges.
#[test]
fn several_clocks_are_noticed() {
    if !has_yosys() {
        return;
    }
    let text = "module t(input ca, cb, input d, output reg a, b); initial {a, b} = 0;
      always @(posedge ca) a <= d; always @(posedge cb) b <= a;
      always @(posedge cb) begin a_low: assert (!b); end
      reg [1:0] n = 0; always @(posedge ca) if (n != 2) n <= n + 1;
      always @* a_n: assert (n != 3);
      endmodule";
    let path = &folder();
    let run = design(path, text, &["--json"]);
    assert_eq!(verdicts(&run), ["a_low d.sv:3 unsafe", "a_n d.sv:5 safe"]);
    assert!(run.stderr.contains("there are several clocks: ca, cb"), "{}", run.stderr);
    for (what, text, note) in [
        (
            "both edges",
            "always @(posedge c) q <= d; always @(negedge c) r <= q; always @* b: assert (!r || q);",
            "both edges of c",
        ),
        ("as data", "always @(posedge c) q <= c;", "also used as data"),
        (
            "memory",
            "reg m [0:1]; always @(posedge c) q <= d; always @(posedge d) m[q] <= c; \
             always @* b: assert (!m[0]);",
            "there are several clocks: c, d",
        ),
        ("gated", "wire g = c & d; always @(posedge g) q <= d;", "is not an input"),
    ] {
        let text = format!(
            "module t(input c, d); reg q = 0, r = 0; {text} always @* a: assert (!q || d); endmodule"
        );
        let run = design(path, &text, &[]);
        assert!(run.stderr.contains(note), "{what}: {}{}", run.stdout, run.stderr);
    }
}

#[test]
fn liveness_is_not_dropped() {
    if !has_yosys() {
        return;
    }
    let text = "module t(input clk, output reg [1:0] s); initial s = 0;
      always @(posedge clk) s <= s + 1;
      always @(posedge clk) assert (s_eventually (s == 3));
      always @(posedge clk) a: assert (s != 5);
      endmodule";
    let run = design(&folder(), text, &["--json"]);
    assert_eq!(verdicts(&run), ["a d.sv:4 safe", "live:3 d.sv:3 safe"]);
    let stuck = text.replace("s <= s + 1", "s <= 2");
    let run = design(&folder(), &stuck, &["--json"]);
    assert_eq!(verdicts(&run), ["a d.sv:4 safe", "live:3 d.sv:3 unsafe"]);
}

#[test]
fn assumptions_of_liveness_are_fairness() {
    if !has_yosys() {
        return;
    }
    let text = "module t(input clk, input go, output reg [1:0] s); initial s = 0;
      always @(posedge clk) if (go) s <= s + 1;
      always @(posedge clk) assert (s_eventually (s == 3));
      always @(posedge clk) assume (s_eventually (go));
      endmodule";
    let run = design(&folder(), text, &["--json"]);
    assert_eq!(verdicts(&run), ["live:3 d.sv:3 safe"]);
    let unfair = text.replace("assume (s_eventually (go));", ";");
    let run = design(&folder(), &unfair, &["--json"]);
    assert_eq!(verdicts(&run), ["live:3 d.sv:3 unsafe"]);
}

#[test]
fn errors_have_their_places() {
    if !has_yosys() {
        return;
    }
    let path = &folder();
    for (text, expected) in [
        ("module t(input clk);\n  wire x = ;\nendmodule\n", "d.sv:2:3: error: Yosys: syntax error"),
        ("module t;\n  other u();\nendmodule\n", "error: Yosys: Module `\\other' referenced"),
        ("module t(input clk);\nendmodule\n", "error: Yosys finds no top module, or nothing in it"),
        (
            "module t(input clk, output reg q);\n always @(posedge clk) q <= 1;\nendmodule\n",
            "error: the design has no assert or cover statement",
        ),
        (
            "module t(input clk, x);\n a: assert property (@(posedge clk) x);\nendmodule\n",
            "d.sv:2:2: error: Yosys: syntax error, unexpected '@'",
        ),
        ("`include \"none.svh\"\nmodule t; endmodule\n", "error: Yosys: Can't open include file"),
    ] {
        let run = design(path, text, &["--top", "t", "--frontend", "verilog"]);
        assert_eq!(run.code, USER_ERROR, "{text}");
        assert!(run.stderr.contains(expected), "{text}: {}", run.stderr);
        assert!(run.stdout.is_empty());
    }
    let run = elinvar(path, &["check", "missing.sv"]);
    assert!(run.stderr.starts_with("error: cannot read missing.sv"), "{}", run.stderr);
    let run = elinvar(path, &["check", "d.sv", "x.aag"]);
    assert!(run.stderr.contains("x.aag is not Verilog"), "{}", run.stderr);
    let run = elinvar(path, &["check", "x.aag", "--top", "t"]);
    assert!(run.stderr.contains("--top applies only to designs"), "{}", run.stderr);
}

#[test]
fn a_missing_yosys_is_one_message() {
    let path = &folder();
    let run = design(path, "module t; endmodule\n", &["--yosys", "/no/such/yosys"]);
    assert_eq!(run.code, USER_ERROR);
    let expected = "error: cannot run /no/such/yosys: there is no such program; install it with \
                    `apt-get install yosys`";
    assert!(run.stderr.starts_with(expected), "{}", run.stderr);
}

#[test]
fn other_commands_read_designs() {
    if !has_yosys() {
        return;
    }
    let path = &folder();
    let run = design(path, HIERARCHY, &["--property", "a_same", "--certificate", "c.btor2"]);
    assert_eq!(run.code, SAFE, "{}{}", run.stdout, run.stderr);
    let run = elinvar(path, &["verify", "d.sv", "c.btor2", "--property", "a_same"]);
    assert_eq!(run.code, ACCEPTED, "{}{}", run.stdout, run.stderr);
    let cover = ["check", "d.sv", "--property", "first.c_top", "--witness", "w.txt", "--quiet"];
    assert_eq!(elinvar(path, &cover).stdout, "reached\n");
    let run = elinvar(path, &["verify", "d.sv", "w.txt"]);
    let claim = "The trace shows that cover statement first.c_top is reached in cycle 5.\n";
    assert!(run.stdout.ends_with(claim), "{}", run.stdout);
    let run = elinvar(path, &["convert", "d.sv", "--top", "top", "-o", "m.btor2"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let text = std::fs::read_to_string(path.join("m.btor2")).unwrap();
    for line in [
        " a_same ; d.sv:17.9\n",
        " first.c_top ; cover d.sv:6.9\n",
        " assume:14.19_1 ; d.sv:14.19\n",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    let direct = elinvar(path, &["check", "d.sv", "--json"]);
    let converted = elinvar(path, &["check", "m.btor2", "--json"]);
    assert_eq!(verdicts(&direct), verdicts(&converted));
    let run = elinvar(path, &["stats", "d.sv", "--json"]);
    assert_eq!(json(&run)["sizes"]["safety_properties"], 7, "{}", run.stdout);
    let run = elinvar(path, &["simulate", "d.sv", "--cycles", "3"]);
    assert!(run.stdout.contains("first.q"), "{}", run.stdout);
}

#[test]
fn the_files_are_kept_and_the_script_is_shown() {
    if !has_yosys() {
        return;
    }
    let path = &folder();
    let run = design(path, HIERARCHY, &["--keep", "kept", "--verbose", "--no-cover"]);
    assert!(run.stderr.contains("read_verilog -sv -formal \"d.sv\"\n"), "{}", run.stderr);
    let again = elinvar(path, &["check", "kept/design.btor2", "--no-cover"]);
    assert_eq!((run.code, again.code), (UNSAFE, UNSAFE));
    assert!(path.join("kept/design.ys").is_file());
}

#[test]
fn parameters_and_macros_are_set() {
    if !has_yosys() {
        return;
    }
    let text = "module t #(parameter N = 3) (input clk); reg [3:0] q = 0;
      always @(posedge clk) if (q != N) q <= q + 1;
      always @* a: assert (q != `LIMIT);
      `ifndef FORMAL\n initial b: assert (0);\n `endif\n endmodule";
    let path = &folder();
    for (more, code) in [
        (&["-D", "LIMIT=4"][..], SAFE),
        (&["-D", "LIMIT=3"], UNSAFE),
        (&["-D", "LIMIT=4", "-G", "N=6", "--top", "t"], UNSAFE),
        (&["-D", "LIMIT=4", "-G", "N=6"], USER_ERROR),
        (&["-D", "LIMIT=4", "-U", "FORMAL"], UNSAFE),
        (&["-D", "LIMIT=4", "-U", "OTHER"], USER_ERROR),
        (&["-D", "LIMIT=4; shell", "-G", "N=6"], USER_ERROR),
    ] {
        let run = design(path, text, more);
        assert_eq!(run.code, code, "{more:?} {}{}", run.stdout, run.stderr);
    }
}

/// `elinvar check` without a model does what the project's file says.
#[test]
fn a_project_has_a_file() {
    if !has_yosys() {
        return;
    }
    let path = &folder();
    let run = elinvar(path, &["check"]);
    assert_eq!(run.code, USER_ERROR);
    assert!(run.stderr.contains("there is no elinvar.toml"), "{}", run.stderr);
    std::fs::create_dir(path.join("rtl")).unwrap();
    std::fs::write(path.join("rtl/d.sv"), HIERARCHY).unwrap();
    let file = "[design]\nsources = [\"rtl/*.sv\"]\ntop = \"top\"\n\n[check]\n\
                properties = [\"a_*\", \"first.*\"]\ntimeout = 60\njson = true\n";
    std::fs::write(path.join("elinvar.toml"), file).unwrap();
    let expected = [
        "first.assert:5 rtl/d.sv:5 safe",
        "a_same rtl/d.sv:17 safe",
        "first.c_top rtl/d.sv:6 reached",
    ];
    let run = elinvar(path, &["check"]);
    assert_eq!((verdicts(&run), run.code), (expected.map(str::to_owned).to_vec(), SAFE));
    // From a folder below, and with another engine.
    let run = elinvar(&path.join("rtl"), &["check", "--engine", "pdr"]);
    assert_eq!(json(&run)["engine"], "pdr");
    std::fs::write(path.join("elinvar.toml"), "[design]\nsource = 3\n").unwrap();
    let run = elinvar(path, &["check"]);
    assert!(run.stderr.starts_with("elinvar.toml:2:1: error: [design] has no key source"));
}

/// A Yosys that hangs does not outlive the time limit.
#[cfg(unix)]
#[test]
fn the_time_limit_ends_yosys() {
    use std::os::unix::fs::PermissionsExt;
    let path = &folder();
    let (script, pid) = (path.join("yosys"), path.join("pid"));
    std::fs::write(&script, format!("#!/bin/sh\necho $$ > {}\nexec sleep 1000\n", pid.display()))
        .unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let start = Instant::now();
    let run = design(path, HIERARCHY, &["--yosys", script.to_str().unwrap(), "--timeout", "1"]);
    assert_eq!((run.code, run.stdout.lines().next()), (UNKNOWN, Some("unknown")));
    assert!(start.elapsed() < Duration::from_secs(20));
    let pid = std::fs::read_to_string(pid).unwrap();
    let alive = || Path::new(&format!("/proc/{}", pid.trim())).exists();
    while alive() && start.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(!alive(), "process {pid} still runs");
}

/// Assumptions that contradict each other are named by their places, and assertions under a
/// condition that never holds are told apart.
#[test]
fn vacuous_proofs_are_reported_with_places() {
    if !has_yosys() {
        return;
    }
    let path = &folder();
    let design = |statements: &str| {
        let text = format!(
            "module d(input clk, input [3:0] a);\n reg [3:0] c;\n initial c = 0;\n \
             always @(posedge clk) c <= c == 9 ? 0 : c + 1;\n{statements}\nendmodule\n"
        );
        design(path, &text, &[])
    };
    let run = design(
        " always @* assume (a != 7);\n always @(posedge clk) m_low: assume (a < 3);\n \
         always @* m_high: assume (a > 4);\n always @* assert (c != 5);",
    );
    let line = "safe, vacuously: the assumptions contradict each other in cycle 0: d.sv:6 m_low, \
                d.sv:7 m_high\n";
    assert!(run.code == SAFE && run.stdout.starts_with(line), "{}", run.stdout);
    let run = design(" always @* m: assume (c < 8);\n always @* assert (c != 12);");
    let line = "safe, vacuously: an assumption cannot hold in cycle 8: d.sv:5 m\n";
    assert!(run.code == SAFE && run.stdout.starts_with(line), "{}", run.stdout);
    let run = design(
        " always @* if (c == 12) never: assert (a == 0);\n \
         always @(posedge clk) if (c == 12) clocked: assert (a == 0);\n \
         always @* negated: assert (!(c == 12) || a == 0);\n \
         always @* if (c == 5) reached: assert (c != 12);",
    );
    let line = "vacuous: never, clocked, negated are each checked only under a condition that never \
                holds\n";
    assert!(run.code == SAFE && run.stdout.contains(line), "{}", run.stdout);
}
