//! The GitHub Action and the job for GitLab in `contrib`, as far as they run without these
//! services.
#![cfg(unix)]

use std::collections::BTreeMap;

use yaml_rust2::{Yaml, YamlLoader};

use super::*;

fn contrib(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contrib").join(path)
}

fn yaml(path: &str) -> Yaml {
    let text = std::fs::read_to_string(contrib(path)).unwrap();
    YamlLoader::load_from_str(&text).unwrap().remove(0)
}

/// The names of `${{ inputs.NAME }}` and of conditions on inputs.
fn used_inputs(text: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '-';
    let after = text.match_indices("inputs.").map(|(at, found)| &text[at + found.len()..]);
    after.map(|rest| &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())]).collect()
}

#[test]
fn the_action_is_consistent() {
    let text = std::fs::read_to_string(contrib("github-action/action.yml")).unwrap();
    let readme = std::fs::read_to_string(contrib("github-action/README.md")).unwrap();
    let action = yaml("github-action/action.yml");
    let inputs: Vec<&str> =
        action["inputs"].as_hash().unwrap().keys().map(|key| key.as_str().unwrap()).collect();
    for used in used_inputs(&text) {
        assert!(inputs.contains(&used), "{used} is not an input");
    }
    for input in &inputs {
        assert!(used_inputs(&text).contains(input), "{input} has no effect");
        assert!(readme.contains(&format!("| `{input}` |")), "{input} is not documented");
        let default = action["inputs"][*input]["default"].as_str().unwrap();
        let cell = if default.is_empty() { "| |".to_owned() } else { format!("| `{default}` |") };
        assert!(readme.contains(&format!("| `{input}` {cell}")), "{input}: {default}");
    }
    assert_eq!(action["runs"]["using"].as_str(), Some("composite"));
    for step in action["runs"]["steps"].as_vec().unwrap() {
        let is_script = !step["run"].is_badvalue();
        assert_eq!(is_script, step["shell"].as_str() == Some("bash"), "{step:?}");
        assert_ne!(is_script, step["uses"].as_str().is_some(), "{step:?}");
        // Inputs reach scripts through the environment; in a script they would be code.
        assert!(!step["run"].as_str().unwrap_or("").contains("${{"), "{step:?}");
    }
}

/// Runs the script of a step, with the variables of its environment replaced by these inputs.
fn step(folder: &Path, name: &str, inputs: &[(&str, &str)]) -> (u8, String) {
    let action = yaml("github-action/action.yml");
    let steps = action["runs"]["steps"].as_vec().unwrap();
    let step = steps.iter().find(|step| step["name"].as_str() == Some(name)).unwrap();
    let binary = Path::new(env!("CARGO_BIN_EXE_elinvar")).parent().unwrap();
    let search = std::env::var("PATH").unwrap();
    let mut command = Command::new("bash");
    command.current_dir(folder).args(["-c", step["run"].as_str().unwrap()]);
    command.env("PATH", format!("{}:{search}", binary.display()));
    command.env("GITHUB_ACTION_PATH", contrib("github-action"));
    for name in ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH"] {
        command.env(name, folder.join(name));
    }
    command.env("RUNNER_TEMP", folder);
    let inputs: BTreeMap<&str, &str> = inputs.iter().copied().collect();
    for (variable, value) in step["env"].as_hash().unwrap() {
        let mut value = value.as_str().unwrap().to_owned();
        for (input, given) in &inputs {
            value = value.replace(&format!("${{{{ {input} }}}}"), given);
        }
        assert!(!value.contains("${{"), "{value} is not given");
        command.env(variable.as_str().unwrap(), value);
    }
    let output = command.output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap() as u8, String::from_utf8(text).unwrap())
}

#[test]
fn the_action_checks_and_keeps_reports() {
    for (model, options, html, code) in [
        ("several.btor2", "--property 1 --vcd t.vcd", "true", "1"),
        ("counter.btor2", "", "false", "0"),
        ("counter.btor2", "--engine bmc --bound 3", "true", "2"),
        ("no-such-file", "", "true", "4"),
    ] {
        let path = &folder();
        if example(model).exists() {
            std::fs::copy(example(model), path.join(model)).unwrap();
        }
        let temporary = path.to_str().unwrap();
        let inputs = [
            ("inputs.files", model),
            ("inputs.options", options),
            ("inputs.html", html),
            ("inputs.name", "reports"),
            ("runner.temp", temporary),
        ];
        let (status, text) = step(path, "Check", &inputs);
        assert_eq!(status, 0, "the reports are uploaded before the job fails: {text}");
        let read = |name: &str| std::fs::read_to_string(path.join(name)).unwrap();
        assert_eq!(read("GITHUB_OUTPUT"), format!("code={code}\n"), "{model}: {text}");
        assert!(read("GITHUB_STEP_SUMMARY").starts_with("### Elinvar: "));
        assert!(read("reports/elinvar.xml").contains("<testsuites"));
        assert!(read("reports/elinvar.sarif").contains("\"2.1.0\""));
        assert_eq!(path.join("reports/elinvar.html").exists(), html == "true" && code != "4");
        let (status, _) = step(path, "Result", &[("steps.check.outputs.code", code)]);
        assert_eq!(status.to_string(), code);
    }
}

/// A release is downloaded from a folder, checked and put into the path.
#[test]
fn the_action_installs_a_release() {
    let path = &folder();
    let machine = Command::new("uname").arg("-m").output().unwrap().stdout;
    let machine = String::from_utf8(machine).unwrap();
    let name = format!("elinvar-1.2.3-{}-unknown-linux-gnu", machine.trim());
    let releases = path.join("releases/v1.2.3");
    std::fs::create_dir_all(releases.join(&name).join("bin")).unwrap();
    std::fs::write(releases.join(&name).join("bin/elinvar"), "#!/bin/sh\n").unwrap();
    let script = format!("tar -czf {name}.tar.gz {name} && sha256sum {name}.tar.gz");
    let sum = Command::new("sh").current_dir(&releases).args(["-c", &script]).output().unwrap();
    std::fs::write(releases.join(format!("{name}.tar.gz.sha256")), sum.stdout).unwrap();
    let install = |path: &Path| {
        let mut command = Command::new(contrib("github-action/install.sh"));
        command.env("ELINVAR_RELEASES", format!("file://{}/releases", path.display()));
        command.env("VERSION", "1.2.3").env("GITHUB_PATH", path.join("path"));
        command.env("RUNNER_TEMP", path).output()
    };
    if Command::new("curl").arg("--version").output().is_err() {
        return eprintln!("skipped: curl is not installed");
    }
    let output = install(path).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let added = std::fs::read_to_string(path.join("path")).unwrap();
    assert!(Path::new(added.trim()).join("elinvar").exists(), "{added}");
    // A damaged archive is refused.
    std::fs::write(releases.join(format!("{name}.tar.gz")), "damaged").unwrap();
    assert!(!install(path).unwrap().status.success());
}

/// The script of the job, run by a shell.
#[test]
fn the_job_for_gitlab_runs() {
    let job = &yaml("gitlab-ci/elinvar.yml")[".elinvar"];
    assert_eq!(job["artifacts"]["reports"]["junit"].as_str(), Some("elinvar.xml"));
    let script = job["script"][0].as_str().unwrap();
    let path = &folder();
    std::fs::copy(example("counter.aag"), path.join("m.aag")).unwrap();
    let binary = Path::new(env!("CARGO_BIN_EXE_elinvar")).parent().unwrap();
    let search = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell.current_dir(path).env("PATH", search).args(["-c", script]);
    shell.env("ELINVAR_FILES", "m.aag").env("ELINVAR_OPTIONS", "--timeout 60");
    let run = Run::of(shell.output().unwrap());
    assert_eq!(run.code, 1, "{}", run.stderr);
    for name in ["elinvar.xml", "elinvar.sarif", "elinvar.html"] {
        assert!(path.join(name).exists(), "{name}");
    }
}
