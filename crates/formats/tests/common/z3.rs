//! Z3 as a judge of what is written for it.

use std::io::Write;
use std::process::{Command, Stdio};

/// The first line of Z3's answer to a script.
pub fn ask(arguments: &[&str], script: &str) -> String {
    let mut child = Command::new("z3")
        .arg("-in")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("z3 is installed");
    child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    String::from_utf8(output.stdout).unwrap().lines().next().unwrap_or_default().to_owned()
}
