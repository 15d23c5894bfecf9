//! The HTML report as a file; `tests/browser.rs` looks at it in a browser.

use super::*;

/// The data of a page.
fn data(page: &Path) -> Json {
    let page = std::fs::read_to_string(page).unwrap();
    let (_, after) = page.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    serde_json::from_str(after.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn the_page_is_one_of_the_written_files() {
    let path = &folder();
    let text = elinvar(path, &["check", "@several.btor2", "--html", "r.html"]).stdout;
    assert!(text.ends_with("\nwrote r.html\n"), "{text}");
    let (code, report) = report(path, &["@counter.aag", "--html", "c.html", "--witness", "w"]);
    assert_eq!(code, UNSAFE);
    assert_eq!(report["files"], serde_json::json!([{ "kind": "html", "path": "c.html" }]));
    let page = data(&path.join("c.html"));
    assert_eq!(page["properties"][0]["files"], serde_json::json!([["witness", "w"]]));
    assert!(page["command"].as_str().unwrap().starts_with("elinvar check "), "{page}");
    let quiet = elinvar(path, &["check", "@counter.aag", "--html", "q.html", "--quiet"]);
    assert_eq!((quiet.code, &quiet.stdout[..]), (UNSAFE, "unsafe\n"));
    assert!(path.join("q.html").is_file());
}

#[test]
fn the_page_of_a_run_without_a_verdict_is_written() {
    let path = &folder();
    let words = ["check", "@counter.btor2", "--engine", "bmc", "--bound", "2", "--html", "r.html"];
    assert_eq!(elinvar(path, &words).code, UNKNOWN);
    let property = &data(&path.join("r.html"))["properties"][0];
    assert_eq!(property["verdict"], "unknown");
    assert!(property["sentence"].as_str().unwrap().contains("undecided"), "{property}");
}

/// A Yosys that does not end.
#[cfg(unix)]
#[test]
fn the_page_of_a_model_that_was_not_read_is_written() {
    use std::os::unix::fs::PermissionsExt;
    let path = &folder();
    std::fs::write(path.join("yosys"), "#!/bin/sh\nexec sleep 1000\n").unwrap();
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(path.join("yosys"), mode).unwrap();
    std::fs::write(path.join("d.sv"), "module t; endmodule\n").unwrap();
    let words = ["check", "d.sv", "--yosys", "./yosys", "--timeout", "0.5", "--html", "r.html"];
    assert_eq!(elinvar(path, &words).code, UNKNOWN);
    let page = data(&path.join("r.html"));
    assert_eq!((&page["verdict"], &page["title"]), (&"unknown".into(), &"d.sv".into()));
    assert!(page["sentence"].as_str().unwrap().starts_with("The model was not read: "), "{page}");
}

#[test]
fn a_page_that_cannot_be_written_is_refused_before_any_work() {
    let path = &folder();
    std::fs::copy(example("counter.aag"), path.join("m.aag")).unwrap();
    for words in [
        &["check", "m.aag", "--html", "m.aag"][..],
        &["check", "m.aag", "--html", "no/such/folder/r.html"],
        &["check", "m.aag", "--html", "r", "--witness", "r"],
    ] {
        let run = elinvar(path, words);
        assert_eq!((run.code, &run.stdout[..]), (USER_ERROR, ""), "{words:?}");
        assert!(run.stderr.starts_with("error: cannot write "), "{words:?} {}", run.stderr);
    }
    let words = ["check", "m.aag", "--html", "r.html", "--parameter", "x", "--range", "1..2"];
    let run = elinvar(path, &words);
    assert!(run.stderr.contains("--html cannot be combined with --parameter"), "{}", run.stderr);
    assert!(!path.join("r.html").exists());
}

/// The evidence in a page, written to a file, is accepted by the command in the page.
#[test]
fn the_commands_of_a_page_accept_its_evidence() {
    let path = &folder();
    for name in ["several.btor2", "arbiter.aag", "double.bpl", "overdraft.bpl", "memclear.btor"] {
        std::fs::copy(example(name), path.join(name)).unwrap();
        elinvar(path, &["check", name, "--html", "r.html", "--quiet"]);
        let page = data(&path.join("r.html"));
        for property in page["properties"].as_array().unwrap() {
            let evidence = &property["evidence"];
            let file = path.join(evidence["file"].as_str().unwrap());
            std::fs::write(file, evidence["text"].as_str().unwrap()).unwrap();
            let words: Vec<&str> = evidence["verify"].as_str().unwrap().split(' ').collect();
            assert_eq!(words[0], "elinvar");
            let run = elinvar(path, &words[1..]);
            assert_eq!(run.code, ACCEPTED, "{words:?}: {}{}", run.stdout, run.stderr);
        }
    }
}

/// The hash in the page is that of the file, in each form of a certificate.
#[test]
fn the_hashes_of_a_page_are_those_of_the_files() {
    let path = &folder();
    for file in ["c.aag", "c.aig"] {
        let words = ["check", "@arbiter.aag", "--certificate", file, "--html", "r.html", "-q"];
        assert_eq!(elinvar(path, &words).code, SAFE);
        let page = data(&path.join("r.html"));
        let evidence = &page["properties"][0]["evidence"];
        let bytes = std::fs::read(path.join(file)).unwrap();
        assert_eq!(evidence["sha256"], elinvar::page::sha256(&bytes), "{file}");
        assert_eq!(evidence["file"], file);
    }
}
