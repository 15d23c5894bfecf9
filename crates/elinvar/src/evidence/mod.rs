//! Evidence as files: writing the evidence of a report, and checking evidence that somebody
//! else may have written.

mod program;
mod system;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use elinvar_check::{Budget, Refusal, SmtSolver};
use elinvar_formats::boogie::Dialect;
use elinvar_formats::model::{Model, is_program};
use elinvar_formats::waveform::WaveformFormat;
use elinvar_formats::yosys::{YosysMap, read_map, write_witness};
use elinvar_ir::{Certificate, PropertyId, StopReason, Verdict};

pub(crate) use self::program::{certificate as program_certificate, witness as program_witness};
pub(crate) use self::system::text_certificate;

use self::system::EvidenceError;
use crate::confirm::{judge_proof, judge_run};
use crate::error::Error;
use crate::files;
use crate::options::Cancellation;
use crate::problem::{Problem, ProgramProblem, SystemProblem, verbatim};
use crate::readable::waveform;
use crate::report::{Proof, PropertyReport, Report, Trace, WrittenFile};
use crate::source::Source;
use crate::supervisor::Supervisor;
use crate::{merged, property};

/// The evidence is wrong, for this reason.
#[derive(Debug)]
pub(crate) struct Unusable(pub String);

/// The kinds of evidence files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EvidenceKind {
    /// A counterexample: an AIGER witness, a BTOR2 witness, or a run of a program in JSON.
    Witness,
    /// A proof: a witness circuit in the format of the model, or text.
    Certificate,
    /// A counterexample as a waveform in the Value Change Dump format.
    Vcd,
    /// A counterexample as a waveform in the Fast Signal Trace format.
    Fst,
    /// A counterexample that Yosys replays on the design.
    Yw,
}

impl EvidenceKind {
    /// `witness`, `certificate`, `vcd`, `fst` or `yw`.
    pub fn name(self) -> &'static str {
        match self {
            EvidenceKind::Witness => "witness",
            EvidenceKind::Certificate => "certificate",
            EvidenceKind::Vcd => "vcd",
            EvidenceKind::Fst => "fst",
            EvidenceKind::Yw => "yw",
        }
    }
}

impl Report {
    /// The contents of an evidence file about a property, or nothing if its verdict does not
    /// come with this kind of evidence. `path` is where it is going to be written: an ending
    /// `.aig` means binary AIGER.
    ///
    /// ```
    /// use elinvar::EvidenceKind;
    /// let problem = elinvar::Problem::parse("toggle.aag", "aag 1 0 1 0 0 1\n2 3\n2\n")?;
    /// let report = elinvar::check(&problem, &elinvar::Options::default())?;
    /// let property = &report.properties[0];
    /// let witness = report.evidence(property, EvidenceKind::Witness, "w.txt".as_ref())?;
    /// assert!(witness.is_some_and(|text| text.starts_with(b"1\nb0\n")));
    /// assert!(report.evidence(property, EvidenceKind::Certificate, "c.aag".as_ref())?.is_none());
    /// # Ok::<(), elinvar::Error>(())
    /// ```
    pub fn evidence(
        &self,
        property: &PropertyReport,
        kind: EvidenceKind,
        path: &Path,
    ) -> Result<Option<Vec<u8>>, Error> {
        match (kind, &property.verdict) {
            (EvidenceKind::Witness, Verdict::Unsafe(trace)) => Ok(self.witness(trace)),
            (EvidenceKind::Vcd, Verdict::Unsafe(trace)) => {
                Ok(self.waveform(trace, WaveformFormat::Vcd))
            }
            (EvidenceKind::Fst, Verdict::Unsafe(trace)) => {
                Ok(self.waveform(trace, WaveformFormat::Fst))
            }
            (EvidenceKind::Yw, Verdict::Unsafe(trace)) => Ok(self.yosys_witness(trace)),
            (EvidenceKind::Certificate, Verdict::Safe(proof)) => {
                self.certificate(property.id, proof, path)
            }
            (
                EvidenceKind::Witness | EvidenceKind::Vcd | EvidenceKind::Fst | EvidenceKind::Yw,
                Verdict::Safe(_),
            )
            | (EvidenceKind::Certificate, Verdict::Unsafe(_))
            | (_, Verdict::Unknown(_)) => Ok(None),
        }
    }

    fn witness(&self, trace: &Trace) -> Option<Vec<u8>> {
        match (trace, &self.problem) {
            (Trace::System(trace), Problem::System(problem)) => Some(problem.witness(trace)),
            (Trace::Program(trace), Problem::Program(problem)) => {
                Some(format!("{:#}\n", program::witness(problem, trace)).into_bytes())
            }
            (Trace::System(_), Problem::Program(_)) | (Trace::Program(_), Problem::System(_)) => {
                None
            }
        }
    }

    fn waveform(&self, trace: &Trace, format: WaveformFormat) -> Option<Vec<u8>> {
        let (problem, trace) = self.of_system(trace)?;
        Some(match self.options.concrete_waveforms {
            true => waveform::of_execution(problem.system(), trace, format),
            false => waveform::of_counterexample(problem.system(), trace, format),
        })
    }

    /// A warning about a witness whose loop does not close in every state.
    fn open_loop(&self, property: &PropertyReport, path: &Path) -> Option<String> {
        let Verdict::Unsafe(trace) = &property.verdict else { return None };
        let (problem, trace) = self.of_system(trace)?;
        if trace.with_closed_loop(problem.system()).is_some() {
            return None;
        }
        Some(format!(
            "the loop in {} closes only in the states that {} depends on; tools that compare all \
             states refuse it",
            files::shown(path),
            property.name
        ))
    }

    fn yosys_witness(&self, trace: &Trace) -> Option<Vec<u8>> {
        let (problem, trace) = self.of_system(trace)?;
        Some(problem.yosys_witness(trace))
    }

    /// The problem and the trace, if they are about a transition system.
    fn of_system<'a>(
        &'a self,
        trace: &'a Trace,
    ) -> Option<(&'a SystemProblem, &'a elinvar_ir::Trace)> {
        match (trace, &self.problem) {
            (Trace::System(trace), Problem::System(problem)) => Some((problem, trace)),
            (Trace::Program(_), _) | (_, Problem::Program(_)) => None,
        }
    }

    fn certificate(
        &self,
        property: PropertyId,
        proof: &Proof,
        path: &Path,
    ) -> Result<Option<Vec<u8>>, Error> {
        Ok(match (proof, &self.problem) {
            (Proof::Certificate(proof), Problem::System(problem)) => {
                Some(problem.certificate(property, proof, path)?)
            }
            (Proof::Invariants(proof), Problem::Program(problem)) => {
                Some(program::certificate(problem, property, proof).into_bytes())
            }
            (Proof::Certificate(proof), Problem::Program(problem)) => {
                Some(system::text_certificate(problem.lowered()?.system(), property, proof)?)
            }
            (Proof::Invariants(_), Problem::System(_)) => None,
        })
    }

    /// Writes the evidence of this kind about each property, and notes the files in the
    /// report. If there are several properties, the number of each stands before the ending
    /// of its file: `w.txt` becomes `w.0.txt`, `w.1.txt`. If no property comes with such evidence,
    /// the report notes that nothing was written. Files of earlier runs at these paths are not
    /// removed; a warning names them.
    ///
    /// ```
    /// let folder = tempfile::tempdir()?;
    /// let problem = elinvar::Problem::parse("toggle.aag", "aag 1 0 1 0 0 1\n2 3\n2\n")?;
    /// let mut report = elinvar::check(&problem, &elinvar::Options::default())?;
    /// let path = folder.path().join("w.txt");
    /// report.write_evidence(elinvar::EvidenceKind::Witness, &path)?;
    /// assert_eq!(report.properties[0].files[0].path, path);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write_evidence(&mut self, kind: EvidenceKind, path: &Path) -> Result<(), Error> {
        let several = self.properties.len() > 1;
        let mut others: Vec<PathBuf> = several.then(|| path.to_owned()).into_iter().collect();
        let mut is_written = false;
        for at in 0..self.properties.len() {
            let property = &self.properties[at];
            let path = files::numbered(path, several.then_some(property.id));
            if let Some(contents) = self.evidence(property, kind, &path)? {
                files::write(&path, &contents)?;
                let open = (kind == EvidenceKind::Witness).then(|| self.open_loop(property, &path));
                self.warnings.extend(open.flatten());
                self.properties[at].files.push(WrittenFile { kind: kind.name(), path });
                is_written = true;
            } else {
                others.push(path);
            }
        }
        if !is_written {
            self.unwritten.push(WrittenFile { kind: kind.name(), path: path.to_owned() });
        }
        self.warnings.extend(stale(&others));
        Ok(())
    }
}

/// A warning about files that are easily taken for the evidence of this run.
fn stale(unwritten: &[PathBuf]) -> Option<String> {
    let existing: Vec<String> =
        unwritten.iter().filter(|path| path.is_file()).map(|path| files::shown(path)).collect();
    match &existing[..] {
        [] => None,
        [one] => Some(format!("{one} is left from an earlier run; this run did not write it")),
        several => Some(format!(
            "{} are left from an earlier run; this run did not write them",
            several.join(", ")
        )),
    }
}

/// What the checker says about evidence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// It is right; the text says what it shows.
    Accepted(String),
    /// It is wrong, for this reason.
    Refused(String),
    /// It was neither accepted nor refused before a limit was reached.
    Stopped(String),
}

/// How evidence is to be checked.
#[derive(Clone, Default)]
pub struct VerifyOptions {
    /// The property that the evidence is about, by name or number; by default the one that
    /// the evidence names, or the only one.
    pub property: Option<String>,
    /// The dialect of a program; by default the one that its text names.
    pub dialect: Option<Dialect>,
    /// Maps with names for the model: see [`SystemProblem::with_map`]. Those that do not fit are
    /// ignored.
    pub maps: Vec<Arc<Source>>,
    /// The solvers that check proofs about programs, all of which must accept; Z3 if there
    /// is none.
    pub smt_solvers: Vec<SmtSolver>,
    /// Stop after this time.
    pub timeout: Option<Duration>,
    /// Stop when the process holds more than this many bytes.
    pub memory: Option<u64>,
    /// Ends the check from another thread.
    pub cancellation: Cancellation,
}

/// Checks evidence about a model or a program, whoever wrote it. Both are read without
/// rewriting.
///
/// ```
/// use std::sync::Arc;
/// use elinvar::{Judgement, Source, VerifyOptions, verify};
///
/// let model = Arc::new(Source::new("toggle.aag", "aag 1 0 1 0 0 1\n2 3\n2\n"));
/// let check = |witness: &str| {
///     let witness = Arc::new(Source::new("w.txt", witness));
///     verify(&model, &witness, &VerifyOptions::default())
/// };
/// // The latch starts at 0 and is 1 in the second cycle.
/// assert!(matches!(check("1\nb0\n0\n\n\n.\n")?, Judgement::Accepted(_)));
/// assert!(matches!(check("1\nb0\n0\n\n.\n")?, Judgement::Refused(_)));
/// # Ok::<(), elinvar::Error>(())
/// ```
///
/// # Errors
/// If the model cannot be read, or the evidence does not fit to it in kind.
pub fn verify(
    model: &Arc<Source>,
    evidence: &Arc<Source>,
    options: &VerifyOptions,
) -> Result<Judgement, Error> {
    let VerifyOptions { timeout, memory, .. } = *options;
    let supervisor = Supervisor::start(timeout, memory, options.cancellation.clone());
    let budget = Budget { deadline: supervisor.deadline(), ..Budget::default() };
    let (model, evidence, options) = (Arc::clone(model), Arc::clone(evidence), options.clone());
    let work = move || {
        if is_program(model.bytes(), model.name()) && program::is_evidence(evidence.bytes()) {
            verify_program(&model, &evidence, &options, &budget)
        } else {
            verify_system(&model, &evidence, &options, &budget)
        }
    };
    match supervisor.watch(work) {
        Ok(judgement) => judgement,
        Err(reason) => Ok(Judgement::Stopped(reason.to_string())),
    }
}

fn verify_system(
    source: &Arc<Source>,
    file: &Source,
    options: &VerifyOptions,
    budget: &Budget,
) -> Result<Judgement, Error> {
    // The evidence is judged about the model as it is written.
    let is_program = is_program(source.bytes(), source.name());
    let lowered = match is_program {
        true => Some(ProgramProblem::from_source(Arc::clone(source), options.dialect)?.lowered()?),
        false => None,
    };
    let model = match &lowered {
        Some(lowered) => lowered.verbatim_model(),
        None => named(verbatim(source)?, &options.maps),
    };
    let chosen = options.property.as_deref();
    let about_all = system::is_about_all(&model, file, chosen);
    let model = if about_all { model.map_system(merged::system) } else { model };
    let names = property::names(model.system());
    let chosen = chosen.map(|text| property::find(&names, "model", text)).transpose()?;
    let evidence = match system::Evidence::read(&model, file, chosen) {
        Ok(evidence) => evidence,
        Err(EvidenceError::Unusable(Unusable(reason))) => return Ok(Judgement::Refused(reason)),
        Err(EvidenceError::Other(error)) => return Err(error),
    };
    let simplified = || {
        let problem = match &lowered {
            Some(lowered) => lowered.clone(),
            None => SystemProblem::from_source(Arc::clone(source)).ok()?,
        };
        let problem = if about_all { problem.merged() } else { problem };
        Some(problem.system().clone())
    };
    Ok(match evidence.judge(model.system(), simplified, budget) {
        Ok(claim) => Judgement::Accepted(claim),
        Err(Refusal::OutOfBudget) if has_passed(budget) => timed_out(),
        Err(refusal @ Refusal::OutOfBudget) => Judgement::Stopped(refusal.to_string()),
        Err(refusal) => Judgement::Refused(refusal.to_string()),
    })
}

/// The model with the names of maps. Names decide nothing, so a map that does not fit is ignored.
fn named(model: Model, maps: &[Arc<Source>]) -> Model {
    let fits = |map: &YosysMap| map.apply(model.system().clone()).is_ok();
    let maps = maps.iter().filter_map(|file| read_map(file.bytes()).ok()).filter(fits);
    let all = maps.fold(YosysMap::default(), YosysMap::or);
    model.map_system(|system| all.apply(system.clone()).unwrap_or(system))
}

fn verify_program(
    source: &Arc<Source>,
    file: &Source,
    options: &VerifyOptions,
    budget: &Budget,
) -> Result<Judgement, Error> {
    // The evidence is judged about the program as it is written.
    let problem = ProgramProblem::from_source(Arc::clone(source), options.dialect)?;
    let chosen = options.property.as_deref();
    if let Some(text) = chosen {
        Problem::Program(problem.clone()).find(text)?;
    }
    let program = problem.original()?;
    let evidence = match program::Evidence::read(program, file, chosen) {
        Ok(evidence) => evidence,
        Err(Unusable(reason)) => return Ok(Judgement::Refused(reason)),
    };
    let name = |property: PropertyId| &program.property(property).name;
    let (judgement, claim) = match &evidence {
        program::Evidence::Proof(property, proof) => {
            let solvers = crate::options::solvers(&options.smt_solvers);
            let judgement = judge_proof(program, &[*property], proof, &solvers, budget);
            (judgement, format!("The invariants prove that {} holds.", name(*property)))
        }
        program::Evidence::Run(trace) => {
            let judgement = judge_run(program, trace.property, trace);
            let (name, steps) = (name(trace.property), trace.steps.len());
            (judgement, format!("The run shows that {name} fails after {steps} steps."))
        }
    };
    match judgement {
        Ok(()) => Ok(Judgement::Accepted(claim)),
        Err(unaccepted) => match unaccepted.missing_solver() {
            Some(message) => Err(Error::NoSolver(message)),
            // A check that had too little time says nothing about the evidence.
            None if has_passed(budget) => Ok(timed_out()),
            None => Ok(Judgement::Refused(unaccepted.to_string())),
        },
    }
}

fn has_passed(budget: &Budget) -> bool {
    budget.deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

fn timed_out() -> Judgement {
    Judgement::Stopped(StopReason::Timeout.to_string())
}

impl SystemProblem {
    /// The contents of a witness file, in the format of the model.
    pub fn witness(&self, trace: &elinvar_ir::Trace) -> Vec<u8> {
        self.model().write_witness(trace)
    }

    /// The contents of a witness file that Yosys replays on the design.
    pub fn yosys_witness(&self, trace: &elinvar_ir::Trace) -> Vec<u8> {
        write_witness(self.system(), trace, self.map()).into_bytes()
    }

    /// The contents of a certificate file: a witness circuit in the format of the model, or
    /// text where no circuit can express the proof. If the path ends in `.aig`, an AIGER
    /// circuit is binary.
    ///
    /// # Errors
    /// If the proof is too large to be written.
    pub fn certificate(
        &self,
        property: PropertyId,
        proof: &Certificate,
        path: &Path,
    ) -> Result<Vec<u8>, Error> {
        system::certificate(self.model(), property, proof, path)
    }

    /// Reads a witness file. The trace is complete, but not judged.
    ///
    /// # Errors
    /// If the text is not a witness of the model's format.
    pub fn read_witness(&self, file: &Source) -> Result<elinvar_ir::Witness, Error> {
        file.located(self.model().read_witness(file.bytes()))
    }
}
