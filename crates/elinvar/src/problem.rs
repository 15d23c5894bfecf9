//! Problems: a transition system or a program, with its properties, and a second reading
//! of it that evidence is checked against.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use elinvar_formats::boogie::{self, Dialect, Reading};
use elinvar_formats::model::{Model, is_program, read_model, read_verbatim};
use elinvar_formats::yosys::{YosysMap, read_map};
use elinvar_ir::program::Program;
use elinvar_ir::{Goal, Place, SystemBuilder, TransitionSystem, rewritten};
use elinvar_transform::{Lowered, ProgramLift, lower_with};

use crate::error::Error;
use crate::ltl::Monitors;
use crate::merged;
use crate::report::Location;
use crate::rtl::Elaboration;
use crate::source::Source;
use crate::store::{NormalForms, Normaliser};

/// What is to be checked.
///
/// ```
/// // A latch that toggles: it is bad when it is set.
/// let problem = elinvar::Problem::parse("toggle.aag", "aag 1 0 1 0 0 1\n2 3\n2\n")?;
/// assert_eq!(problem.property_count(), 1);
/// # Ok::<(), elinvar::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum Problem {
    /// A transition system: hardware, or anything that is encoded as such.
    System(SystemProblem),
    /// A program with assertions.
    Program(ProgramProblem),
}

impl Problem {
    /// Reads a model or a program from a file.
    ///
    /// ```
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("toggle.aag");
    /// std::fs::write(&path, "aag 1 0 1 0 0 1\n2 3\n2\n")?;
    /// assert!(matches!(elinvar::Problem::read(&path)?, elinvar::Problem::System(_)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::from_source(Arc::new(Source::read(path)?), None)
    }

    /// Reads a model or a program from memory. The contents tell the format; the ending of
    /// the name helps where they do not.
    ///
    /// ```
    /// let text = "procedure p(x: int) { assert x + 1 > x; }";
    /// let problem = elinvar::Problem::parse("p.bpl", text)?;
    /// assert!(matches!(problem, elinvar::Problem::Program(_)));
    /// let error = elinvar::Problem::parse("m.aag", "aag 1 0 1\n").unwrap_err();
    /// assert!(error.to_string().starts_with("m.aag:1:"));
    /// # Ok::<(), elinvar::Error>(())
    /// ```
    pub fn parse(name: impl Into<String>, text: impl Into<Vec<u8>>) -> Result<Self, Error> {
        Self::from_source(Arc::new(Source::new(name, text)), None)
    }

    /// Reads a model or a program; `dialect` is that of a program, by default the one that
    /// the text names.
    pub fn from_source(source: Arc<Source>, dialect: Option<Dialect>) -> Result<Self, Error> {
        if is_program(source.bytes(), source.name()) {
            return ProgramProblem::from_source(source, dialect).map(Problem::Program);
        }
        if dialect.is_some() {
            let name = source.name();
            let message = format!("a dialect applies only to programs, and {name} is a model");
            return Err(Error::Usage(message));
        }
        SystemProblem::from_source(source).map(Problem::System)
    }

    /// The transition system, into which a program is encoded if all of its values are words.
    ///
    /// # Errors
    /// If a program has other values.
    pub fn as_system(&self) -> Result<SystemProblem, Error> {
        match self {
            Problem::System(problem) => Ok(problem.clone()),
            Problem::Program(problem) => problem.lowered(),
        }
    }

    /// How many properties there are.
    pub fn property_count(&self) -> usize {
        match self {
            Problem::System(problem) => problem.system().properties().len(),
            Problem::Program(problem) => problem.program().properties.len(),
        }
    }
}

impl From<TransitionSystem> for Problem {
    /// A system that was built by a program and not read from a file.
    fn from(system: TransitionSystem) -> Self {
        Problem::System(SystemProblem::new(system))
    }
}

/// A transition system with the format that it was read from.
///
/// ```
/// use elinvar::Problem;
/// let problem = elinvar::Problem::parse("toggle.aag", "aag 1 0 1 0 0 1\n2 3\n2\n")?;
/// let problem = problem.as_system()?;
/// assert_eq!(problem.model().format().to_string(), "AIGER");
/// assert_eq!(problem.system().states().len(), 1);
/// assert!(problem.original().system().is_ok() && !problem.is_combinational());
/// assert_eq!(problem.merged().system().properties()[0].name, "all_properties");
/// # Ok::<(), elinvar::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SystemProblem {
    model: Arc<Model>,
    original: Arc<Original>,
    elaboration: Option<Arc<Elaboration>>,
    names: Option<Arc<Names>>,
    excerpts: Arc<Excerpts>,
}

/// The texts of some lines, by the names of files and the numbers of lines from 1: what a program
/// that builds systems says about its own source.
pub type Excerpts = BTreeMap<(String, usize), String>;

/// Names that come from files beside the model.
#[derive(Debug)]
struct Names {
    map: YosysMap,
    files: Vec<String>,
}

impl AsRef<TransitionSystem> for SystemProblem {
    fn as_ref(&self) -> &TransitionSystem {
        self.system()
    }
}

impl SystemProblem {
    /// A system that was not read from a file. Evidence is checked against the system
    /// itself, since there is no other reading of it.
    pub fn new(system: TransitionSystem) -> Self {
        let model = Arc::new(Model::from(system));
        let original = Arc::new(Original::built(&model));
        SystemProblem { original, model, elaboration: None, names: None, excerpts: Arc::default() }
    }

    /// A system that was built in a verbatim pool ([`SystemBuilder::verbatim`]). Engines work on
    /// a copy in which expressions are rewritten, and evidence is checked against the system as
    /// it was built. Places of the system are shown with these texts.
    ///
    /// ```
    /// use elinvar::ir::{Sort, SystemBuilder};
    /// let mut b = SystemBuilder::verbatim();
    /// let x = b.input(Sort::BOOL, Some("x"))?;
    /// let never = b.pool.and(x, x)?;
    /// b.bad("p", never);
    /// let problem = elinvar::SystemProblem::built(b.finish()?, Default::default());
    /// assert!(problem.system().pool().rewrites());
    /// assert!(!problem.original().system()?.pool().rewrites());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn built(system: TransitionSystem, excerpts: Excerpts) -> Self {
        let model = Arc::new(Model::from(rewritten(&system)));
        let original = Arc::new(Original::ready(system));
        let excerpts = Arc::new(excerpts);
        SystemProblem { model, original, elaboration: None, names: None, excerpts }
    }

    /// Reads a model.
    pub fn from_source(source: Arc<Source>) -> Result<Self, Error> {
        let model = Arc::new(source.located(read_model(source.bytes(), Some(source.name())))?);
        let original = Arc::new(Original::of_file(source));
        let excerpts = Arc::default();
        Ok(SystemProblem { model, original, elaboration: None, names: None, excerpts })
    }

    /// The same problem, which was made from a design.
    pub(crate) fn of_design(self, elaboration: Elaboration) -> Self {
        SystemProblem { elaboration: Some(Arc::new(elaboration)), ..self }
    }

    /// How the model was made from a design, if it was.
    pub fn elaboration(&self) -> Option<&Elaboration> {
        self.elaboration.as_deref()
    }

    /// The same model with the names of a map that Yosys wrote beside it: see
    /// [`elinvar_formats::yosys`]. Of several maps, the first one that names something counts.
    ///
    /// ```
    /// use elinvar::{Problem, Source};
    /// let problem = Problem::parse("toggle.aag", "aag 1 0 1 0 0 1\n2 3\n2\n")?.as_system()?;
    /// let named = problem.with_map(&Source::new("toggle.aim", "latch 0 0 u.led\n"))?;
    /// assert_eq!(named.system().state_name(0), "u.led");
    /// assert_eq!(named.map_files(), ["toggle.aim"]);
    /// # Ok::<(), elinvar::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the file is not a map, or is one of another model.
    pub fn with_map(&self, file: &Source) -> Result<Self, Error> {
        let map = file.located(read_map(file.bytes()))?;
        // Only the new map can be wrong.
        file.located(map.apply(self.system().clone()))?;
        let (map, mut files) = match &self.names {
            Some(names) => (names.map.clone().or(map), names.files.clone()),
            None => (map, Vec::new()),
        };
        files.push(file.name().to_owned());
        let named = file.located(map.apply(self.system().clone()))?;
        let model = Arc::new(Model::clone(&self.model).map_system(|_| named));
        Ok(SystemProblem { model, names: Some(Arc::new(Names { map, files })), ..self.clone() })
    }

    /// The maps that names were taken from.
    pub fn map_files(&self) -> &[String] {
        self.names.as_ref().map_or(&[], |names| &names.files)
    }

    /// The map of the names, if there is one.
    pub(crate) fn map(&self) -> Option<&YosysMap> {
        self.names.as_ref().map(|names| &names.map)
    }

    /// The model, with what its format has beside the transition system.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The transition system.
    pub fn system(&self) -> &TransitionSystem {
        self.model.system()
    }

    /// The model as it was written, which evidence is checked against.
    pub fn original(&self) -> &Original {
        &self.original
    }

    /// The model as it was written, of a program that was lowered.
    pub(crate) fn verbatim_model(&self) -> Model {
        match &self.original.reading {
            SecondReading::Ready(system) => Model::from(TransitionSystem::clone(system)),
            SecondReading::File(_) | SecondReading::Built(_) | SecondReading::Monitored(..) => {
                Model::clone(&self.model)
            }
        }
    }

    /// The same model with formulas of linear temporal logic as further properties, one on each
    /// line of the text: see [`elinvar_formats::ltl`]. Monitors of the formulas are part of the model.
    ///
    /// ```
    /// use elinvar::{Problem, Source};
    /// let problem = Problem::parse("toggle.aag", "aag 1 0 1 1 0\n2 3\n2\nl0 led\n")?.as_system()?;
    /// let problem = problem.with_formulas(&Source::new("<ltl>", "blinks: G F led"))?;
    /// assert_eq!(problem.system().properties()[1].name, "blinks");
    /// let error = problem.with_formulas(&Source::new("<ltl>", "G F light")).unwrap_err();
    /// assert!(error.to_string().starts_with("<ltl>:1:5: error: the model has no signal `light`"));
    /// # Ok::<(), elinvar::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a formula is not well-formed or the model lacks a signal, or if the model is a formula
    /// itself.
    pub fn with_formulas(&self, text: &Source) -> Result<Self, Error> {
        if self.is_combinational() {
            let message = "a formula has no executions that temporal logic could be about";
            return Err(Error::Usage(message.to_owned()));
        }
        let monitors = Monitors::read(text, self.system())?;
        let system = monitors.add(self.system().clone()).map_err(Error::Bug)?;
        let model = Arc::new(Model::clone(&self.model).extended(system));
        let reading = SecondReading::Monitored(Arc::clone(&self.original), Arc::new(monitors));
        let original = Arc::new(Original::new(reading, false));
        Ok(SystemProblem { model, original, ..self.clone() })
    }

    /// The same model with one property: no bad state of any safety property is reachable.
    pub fn merged(&self) -> Self {
        let model = Arc::new(Model::clone(&self.model).map_system(merged::system));
        let original = Arc::new(self.original.merged());
        SystemProblem { model, original, ..self.clone() }
    }

    /// The same model, all of whose safety properties are cover statements.
    pub fn as_covers(&self) -> Self {
        let cover = |system: TransitionSystem| {
            let mut builder = system.into_builder();
            builder.properties.iter_mut().for_each(|property| property.goal = Goal::Cover);
            builder.finish().expect("only the goals have changed")
        };
        let model = Arc::new(Model::clone(&self.model).map_system(cover));
        SystemProblem { model, ..self.clone() }
    }

    /// A place in the sources that the model was made from.
    pub fn locate(&self, place: &Place) -> Location {
        let (file, line) = (place.file.to_string(), place.line as usize);
        let text = match self.elaboration() {
            Some(elaboration) => elaboration.line(&file, line),
            None => self.excerpts.get(&(file.clone(), line)).cloned(),
        };
        Location { file, line, column: place.column.map(|column| column as usize), text }
    }

    /// Does it ask about one moment, without any state?
    pub fn is_combinational(&self) -> bool {
        self.model().is_formula()
    }
}

/// A program with its source.
///
/// ```
/// use elinvar::Problem;
/// let text = "procedure p(x: bv8) { assert x == x; }";
/// let Problem::Program(problem) = Problem::parse("p.bpl", text)? else { unreachable!() };
/// assert_eq!(problem.program().properties.len(), 1);
/// assert_eq!(problem.original()?.properties.len(), 1);
/// assert_eq!(problem.source().name(), "p.bpl");
/// assert!(problem.reading().notes.is_empty());
/// // All of its values are words, so that it has a transition system.
/// assert_eq!(problem.lowered()?.system().properties().len(), 1);
/// # Ok::<(), elinvar::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ProgramProblem {
    source: Arc<Source>,
    reading: Arc<Reading>,
    original: Arc<OnceLock<Result<Program, String>>>,
}

impl AsRef<Program> for ProgramProblem {
    fn as_ref(&self) -> &Program {
        self.program()
    }
}

impl ProgramProblem {
    /// Reads a program in a dialect, or in the one that its text names.
    pub fn from_source(source: Arc<Source>, dialect: Option<Dialect>) -> Result<Self, Error> {
        let reading = source.located(boogie::read_in(source.bytes(), dialect))?;
        Ok(ProgramProblem { source, reading: Arc::new(reading), original: Arc::default() })
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.reading.program
    }

    /// What the reader found beside the program.
    pub fn reading(&self) -> &Reading {
        &self.reading
    }

    /// The text of the program.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The place of some bytes of the text.
    pub fn located(&self, span: &Range<usize>) -> Location {
        Location {
            file: self.source.name().to_owned(),
            line: self.source.line(span.start),
            column: Some(self.source.column(span.start)),
            text: Some(self.source.excerpt(span)),
        }
    }

    /// The program read again without rewriting, which evidence is checked against: a wrong
    /// rewrite then leads to refused evidence instead of a wrong verdict.
    ///
    /// # Errors
    /// If both readings do not have the same parts, which is a bug.
    pub fn original(&self) -> Result<&Program, Error> {
        let read = || {
            let original = boogie::read_verbatim(self.source.bytes(), self.reading.dialect)
                .map_err(|error| format!("the program cannot be read again: {error}"))?;
            elinvar_check::program::agree(&original, self.program())
                .map_err(|refusal| refusal.to_string())?;
            Ok(original)
        };
        self.original.get_or_init(read).as_ref().map_err(|message| Error::Bug(message.clone()))
    }

    /// The program as a transition system over words.
    ///
    /// # Errors
    /// If it has integers, maps or other values that are not words.
    pub fn lowered(&self) -> Result<SystemProblem, Error> {
        Ok(self.lower()?.0)
    }

    /// The program as a transition system over words, with the way back for evidence.
    pub(crate) fn lower(&self) -> Result<(SystemProblem, ProgramLift), Error> {
        let lower = |builder| {
            lower_with(self.program(), builder)
                .map_err(|error| Error::Usage(format!("{}: {error}", self.source.name())))
        };
        let Lowered { system, lift } = lower(SystemBuilder::new())?;
        let original = Original::ready(lower(SystemBuilder::verbatim())?.system);
        let (model, original) = (Arc::new(Model::from(system)), Arc::new(original));
        let (elaboration, names, excerpts) = (None, None, Arc::default());
        let problem = SystemProblem { model, original, elaboration, names, excerpts };
        Ok((problem, lift))
    }
}

/// The system that evidence is checked against: the model as it was written, read
/// again without rewriting when there is evidence to check. A wrong rewrite then leads
/// to refused evidence instead of a wrong verdict.
#[derive(Debug)]
pub struct Original {
    reading: SecondReading,
    merged: bool,
    system: OnceLock<Result<TransitionSystem, String>>,
    /// What makes keys for a store: all properties share its tables.
    normaliser: OnceLock<Mutex<Normaliser>>,
}

#[derive(Clone, Debug)]
enum SecondReading {
    File(Arc<Source>),
    /// There is no file: the model is its own original.
    Built(Arc<Model>),
    /// It was made together with the model.
    Ready(Arc<TransitionSystem>),
    /// Another reading with monitors of formulas.
    Monitored(Arc<Original>, Arc<Monitors>),
}

impl Original {
    fn new(reading: SecondReading, merged: bool) -> Self {
        Original { reading, merged, system: OnceLock::new(), normaliser: OnceLock::new() }
    }

    fn of_file(source: Arc<Source>) -> Self {
        Self::new(SecondReading::File(source), false)
    }

    fn built(model: &Arc<Model>) -> Self {
        Self::new(SecondReading::Built(Arc::clone(model)), false)
    }

    fn ready(system: TransitionSystem) -> Self {
        Self::new(SecondReading::Ready(Arc::new(system)), false)
    }

    fn merged(&self) -> Self {
        Self::new(self.reading.clone(), true)
    }

    /// The normal forms of the properties, or why the model cannot be read without rewriting.
    pub(crate) fn normal_forms(&self) -> Result<NormalForms<'_>, &str> {
        let system = self.system()?;
        let normaliser = self.normaliser.get_or_init(|| Mutex::new(Normaliser::new(system)));
        Ok(NormalForms { system, normaliser })
    }

    /// The system, or why the model cannot be read without rewriting.
    pub fn system(&self) -> Result<&TransitionSystem, &str> {
        match (&self.reading, self.merged) {
            (SecondReading::Built(model), false) => Ok(model.system()),
            (SecondReading::Ready(system), false) => Ok(system),
            (SecondReading::Built(model), true) => {
                self.keep(|| Ok(merged::system(model.system().clone())))
            }
            (SecondReading::Ready(system), true) => {
                self.keep(|| Ok(merged::system(TransitionSystem::clone(system))))
            }
            (SecondReading::Monitored(original, monitors), is_merged) => self.keep(|| {
                let system = monitors.add(original.system()?.clone())?;
                Ok(if is_merged { merged::system(system) } else { system })
            }),
            (SecondReading::File(source), is_merged) => self.keep(|| {
                let system = verbatim(source).map_err(|error| error.to_string())?.into_system();
                Ok(if is_merged { merged::system(system) } else { system })
            }),
        }
    }

    fn keep(
        &self,
        make: impl FnOnce() -> Result<TransitionSystem, String>,
    ) -> Result<&TransitionSystem, &str> {
        self.system.get_or_init(make).as_ref().map_err(String::as_str)
    }
}

/// A model without any rewriting of its expressions, for the checker.
pub(crate) fn verbatim(source: &Source) -> Result<Model, Error> {
    source.located(read_verbatim(source.bytes(), Some(source.name())))
}
