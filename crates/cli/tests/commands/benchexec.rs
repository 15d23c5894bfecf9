//! The tool-info module of `contrib/benchexec`, in the real BenchExec. Without it, the tests are
//! skipped; without the control groups that it needs for a run, only the module itself is tested.
#![cfg(unix)]

use super::*;

fn contrib() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contrib/benchexec").canonicalize().unwrap()
}

/// A command of BenchExec that finds our module and our binary.
fn benchexec(program: &str, folder: &Path) -> Command {
    let binary = Path::new(env!("CARGO_BIN_EXE_elinvar")).parent().unwrap();
    let search = std::env::var("PATH").unwrap();
    let mut command = Command::new(program);
    command
        .current_dir(folder)
        .env("PYTHONPATH", contrib())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PATH", format!("{}:{search}", binary.display()));
    command
}

/// The interpreter of the environment in which BenchExec is installed.
fn interpreter() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let found =
        std::env::split_paths(&folders).find(|folder| folder.join("benchexec").is_file())?;
    Some(found.join("python3"))
}

const MODULE: &str = r#"
from collections import namedtuple
from benchexec.tools.template import BaseTool2
from benchexec.util import ProcessExitCode
from tools.elinvar import Tool
Run = namedtuple("Run", "exit_code output was_timeout")
tool = Tool()
def result(code, *lines):
    return tool.determine_result(Run(ProcessExitCode.create(value=code), lines, False))
report = '{"verdict": "safe", "engine": "pdr", "properties": [{"depth": 7}]}'
print(result(20, "safe\n"), result(10, "unsafe\n"), result(0, "unknown\n"), sep="|")
print(result(20, report), result(10, report), result(20, "unsafe\n"), result(20), sep="|")
print(result(2), result(3), result(101), sep="|")
print(tool.get_value_from_output([report], "properties.0.depth"),
      tool.get_value_from_output([report], "engine"),
      tool.get_value_from_output([report], "properties.1.depth"),
      tool.get_value_from_output(["safe\n"], "engine"), sep="|")
Task = BaseTool2.Task
limits = BaseTool2.ResourceLimits(cputime=60, walltime=62, memory=1000 * 2**20)
task = Task.with_files(["m.aig"])
print(*tool.cmdline("elinvar", ["--engine", "pdr"], task, limits))
"#;

#[test]
fn results_and_columns_are_read() {
    let Some(interpreter) = interpreter() else {
        return eprintln!("skipped: BenchExec is not installed");
    };
    let folder = folder();
    let program = interpreter.to_str().unwrap();
    let output = benchexec(program, &folder).args(["-c", MODULE]).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{errors}");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "true|false|unknown");
    let contradiction = "ERROR (exit code 10 contradicts the output)";
    assert!(lines[1].starts_with(&format!("true|{contradiction}|ERROR (exit code 20")), "{text}");
    assert_eq!(lines[2], "ERROR (input or options)|ERROR (evidence refused)|ERROR (101)");
    assert_eq!(lines[3], "7|pdr|None|None");
    assert_eq!(lines[4], "elinvar check --engine pdr --memory 900 --timeout 60 m.aig");
}

#[test]
fn verdicts_of_a_benchmark_are_correct() {
    let Some(interpreter) = interpreter() else {
        return eprintln!("skipped: BenchExec is not installed");
    };
    let folder = folder();
    let program = interpreter.with_file_name("benchexec");
    let output = benchexec(program.to_str().unwrap(), &folder)
        .arg(contrib().join("elinvar.xml"))
        .args(["--no-container", "-r", "default", "-o", "results/"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    if errors.to_lowercase().contains("cgroup") && !text.contains("Statistics:") {
        return eprintln!("skipped: BenchExec cannot use control groups here");
    }
    let count = |what: &str| {
        let line = text.lines().find(|line| line.trim_start().starts_with(what));
        line.and_then(|line| line.split_whitespace().last()?.parse::<u32>().ok())
    };
    assert_eq!((count("correct:"), count("incorrect:")), (Some(3), Some(0)), "{text}{errors}");
}
