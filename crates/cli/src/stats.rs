//! `elinvar stats`: how large a model is and what it is made of.

use std::sync::Arc;

use anyhow::Result;
use elinvar::readable::align;
use elinvar::sizes::Sizes;
use elinvar::{Problem, Source};

use crate::input::DesignOptions;
use crate::limits::Resources;
use crate::{code, output};

/// Show the sizes of a model and a histogram of its operators
///
/// Exit codes: 0 done, 2 user error, 4 a limit was reached first.
#[derive(clap::Args, Clone)]
pub struct Arguments {
    /// The model, or the source files of a design; `-` reads standard input
    #[arg(required = true, value_name = "MODEL")]
    models: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    resources: Resources,

    #[command(flatten)]
    design: DesignOptions,
}

pub fn run(arguments: &Arguments) -> Result<u8> {
    let (work, source) = (arguments.clone(), arguments.read()?);
    let shown = arguments.design.shown(false);
    let report = arguments.resources.watch("measuring", shown, move || work.report(source))?;
    output::print(&report)?;
    Ok(code::DONE)
}

impl Arguments {
    fn read(&self) -> Result<Arc<Source>> {
        self.design.read(&self.models, &self.resources)
    }

    fn report(&self, source: Arc<Source>) -> Result<String> {
        let problem = Problem::from_source(source, None)?.as_system()?;
        let sizes = Sizes::of(&problem);
        Ok(if self.json { format!("{}\n", sizes.to_json()) } else { text(&sizes) })
    }
}

fn text(Sizes { format, sizes, operators }: &Sizes) -> String {
    let number = |n: u64| format!("{n:>12}");
    let mut text = format!("{format}\n\n");
    let rows: Vec<[String; 2]> =
        sizes.iter().map(|&(what, n)| [what.to_owned(), number(n)]).collect();
    text.push_str(&align(&rows));
    let mut by_count: Vec<(&String, &u64)> = operators.iter().collect();
    by_count.sort_by_key(|&(name, &count)| (std::cmp::Reverse(count), name));
    let rows: Vec<[String; 2]> =
        by_count.iter().map(|&(name, &n)| [name.clone(), number(n)]).collect();
    if !rows.is_empty() {
        text.push('\n');
        text.push_str(&align(&rows));
    }
    text
}
