//! A process that cannot load libraries. This file has one test, since that holds for the whole
//! process.

use std::sync::Arc;

use elinvar_smt::{Context, MissingSolver, declare_static};

#[test]
fn a_static_binary_says_why_it_has_no_solver() {
    declare_static();
    let Err(error) = Context::new(Arc::new(|| false)) else { panic!("nothing is loaded") };
    assert_eq!(error, MissingSolver::Static);
    assert!(error.to_string().contains("linked statically"), "{error}");
}
