//! The engines that learn from interpolants, as users call them.

use super::{
    ACCEPTED, Json, SAFE, UNSAFE, USER_ERROR, at, elinvar, expect_verdicts, folder, json,
    without_times,
};

#[test]
fn options_do_not_change_verdicts() {
    expect_verdicts(
        &[("peterson.btor2", SAFE), ("counter.aag", UNSAFE), ("several.btor2", UNSAFE)],
        &[
            "--engine itp",
            "--engine imc",
            "--engine avy",
            "--engine itp --interpolation pudlak --passes none",
            "--engine imc --interpolation pudlak --no-elimination",
            "--engine avy --interpolation pudlak --no-incremental",
            "--engine avy --step 3",
            "--engine avy --no-global-trace --no-shallow-push",
            "--engine avy --no-min-suffix --interleave 2",
            "--engine avy --min-core --ctg 3 --ctg-depth 2",
        ],
    );
}

#[test]
fn evidence_is_written_and_verified() {
    let folder = folder();
    for engine in ["itp", "imc", "avy"] {
        for (model, proof) in [("arbiter.aag", "c.aag"), ("peterson.btor2", "c.btor2")] {
            let model = at(model);
            let words = ["check", "-q", &model, "--engine", engine, "--certificate", proof];
            assert_eq!(elinvar(&folder, &words).code, SAFE, "{engine} {model}");
            let verdict = elinvar(&folder, &["verify", &model, proof]);
            assert_eq!(verdict.code, ACCEPTED, "{engine} {model}: {}", verdict.stdout);
        }
        let model = at("counter.aag");
        let words = ["check", "-q", &model, "--engine", engine, "--witness", "w.aiw"];
        assert_eq!(elinvar(&folder, &words).code, UNSAFE, "{engine}");
        assert_eq!(elinvar(&folder, &["verify", &model, "w.aiw"]).code, ACCEPTED);
    }
}

#[test]
fn statistics_are_complete() {
    for engine in ["itp", "imc", "avy"] {
        let (code, report) = json(&["check", "@peterson.btor2", "--engine", engine, "--json"]);
        assert_eq!((code, &report["engine"]), (SAFE, &engine.into()));
        assert!(report["properties"][0]["depth"].as_u64() > Some(0));
        let statistics = &report["statistics"]["interpolation"];
        for key in ["path_queries", "refutations", "proof_clauses", "interpolant_gates", "frames"] {
            assert!(statistics[key].as_u64() > Some(0), "{engine} {key}: {statistics}");
        }
        for key in ["sat_seconds", "extraction_seconds"] {
            assert!(statistics[key].as_f64() > Some(0.0), "{engine} {key}: {statistics}");
        }
        let words = ["check", "@peterson.btor2", "--engine", engine, "--stats", "-q"];
        let table = elinvar(&folder(), &words).stderr;
        for part in ["paths ", "interpolants:", "clauses of a proof:", "frames that it spans:"] {
            assert!(table.contains(part), "{part}: {table}");
        }
    }
}

#[test]
fn one_thread_does_the_same_each_time() {
    for engine in ["itp", "imc", "avy"] {
        let run = || -> Json {
            let (_, mut report) = json(&["check", "@peterson.btor2", "--engine", engine, "--json"]);
            without_times(&mut report);
            report
        };
        assert_eq!(run(), run(), "{engine}");
    }
}

#[test]
fn lemmas_serve_a_later_run() {
    let folder = folder();
    let save = ["check", "-q", "@peterson.btor2", "--engine", "avy", "--save", "proof"];
    assert_eq!(elinvar(&folder, &save).code, SAFE);
    let again = ["check", "-q", "@peterson.btor2", "--engine", "avy", "--reuse", "proof"];
    assert_eq!(elinvar(&folder, &again).code, SAFE);
    let steps = [&again[..], &["--step", "2"]].concat();
    let run = elinvar(&folder, &steps);
    assert_eq!(run.code, USER_ERROR);
    assert!(run.stderr.contains("cannot be used with --engine avy --step"), "{}", run.stderr);
}
