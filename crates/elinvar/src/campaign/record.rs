//! Writes what a worker finds: evidence files first, then the line of the log that names them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use elinvar_ir::{PropertyId, Verdict};

use super::formula::in_text_form;
use super::log::{Line, LogWriter, PropertyLine, Source, cpu_seconds, now, peak_memory};
use crate::error::Error;
use crate::evidence::{program_certificate, program_witness, text_certificate};
use crate::files;
use crate::options::Cancellation;
use crate::problem::Problem;
use crate::report::{Proof, PropertyKind, Summary, Trace};

/// The folder of the evidence within that of a campaign.
const FOLDER: &str = "evidence";

/// So many lines are held back at most, and for so long.
const HELD: (usize, Duration) = (100, Duration::from_secs(1));

/// A confirmed verdict, or why there is none.
pub(crate) struct Found {
    pub property: PropertyId,
    pub verdict: Verdict<Proof, Trace>,
    pub engine: Option<&'static str>,
    pub depth: Option<usize>,
    pub source: Source,
    pub depends: Vec<usize>,
}

/// What all lines of a task have in common.
#[derive(Clone, Debug)]
pub(crate) struct Heading {
    pub task: String,
    /// The name of the model, and its position in the plan.
    pub model: (String, usize),
    pub strategy: String,
    pub stage: usize,
    pub attempt: u32,
}

/// Writes the lines of one task.
pub(crate) struct Recorder {
    campaign: PathBuf,
    log: LogWriter,
    heading: Option<Heading>,
    /// How many tasks have begun.
    tasks: u64,
    recorded: BTreeSet<PropertyId>,
    /// When the last line was written, and the processor time by then.
    last: (Instant, f64),
    /// Why a line could not be written.
    failure: Option<Error>,
    bugs: Vec<String>,
    /// Lines that are written together, if they are.
    held: Option<Vec<PropertyLine>>,
    /// Is there a folder for evidence?
    has_folder: bool,
    /// Ends the task when nothing can be written any more.
    cancellation: Cancellation,
}

impl Recorder {
    pub fn new(campaign: &Path, log: LogWriter, cancellation: Cancellation) -> Self {
        Recorder {
            campaign: campaign.to_owned(),
            log,
            heading: None,
            tasks: 0,
            recorded: BTreeSet::new(),
            last: (Instant::now(), cpu_seconds()),
            failure: None,
            bugs: Vec::new(),
            held: None,
            has_folder: false,
            cancellation,
        }
    }

    /// The name of the worker.
    pub fn worker(&self) -> String {
        self.log.worker().to_owned()
    }

    /// Begins with the lines of a task.
    pub fn begin(&mut self, heading: Heading) {
        self.heading = Some(heading);
        self.tasks += 1;
        self.recorded.clear();
        self.bugs.clear();
        self.last = (Instant::now(), cpu_seconds());
    }

    /// Tells the task that has begun last from others.
    pub fn task(&self) -> u64 {
        self.tasks
    }

    /// Writes a line.
    pub fn append(&mut self, line: &Line) -> Result<(), Error> {
        self.log.append(line)
    }

    /// Has the property a line of this task?
    pub fn is_recorded(&self, property: PropertyId) -> bool {
        self.recorded.contains(&property)
    }

    /// Lines of results are written together from now on, some at a time, because they come
    /// faster than the disk takes them. Their evidence is in the store, so its files are not
    /// synchronised with the disk one by one.
    pub fn hold(&mut self) {
        self.held.get_or_insert_default();
    }

    /// Writes what was held back; from now on every line is written at once.
    pub fn release(&mut self) {
        self.flush();
        self.held = None;
    }

    fn flush(&mut self) {
        let Some(mut lines) = self.held.replace(Vec::new()).filter(|lines| !lines.is_empty())
        else {
            return;
        };
        // The time is that of all of them.
        let (before, cpu_before) = self.last;
        self.last = (Instant::now(), cpu_seconds());
        let (share, memory) = (1.0 / lines.len() as f64, peak_memory());
        for line in &mut lines {
            line.seconds = (self.last.0 - before).as_secs_f64() * share;
            line.cpu_seconds = (self.last.1 - cpu_before) * share;
            line.memory_bytes = memory;
        }
        let lines: Vec<Line> = lines.into_iter().map(Line::Result).collect();
        if let Err(error) = self.log.append_all(&lines) {
            self.fail(error);
        }
    }

    fn fail(&mut self, error: Error) {
        self.failure = Some(error);
        self.cancellation.cancel();
    }

    /// Could a line not be written?
    pub fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// Why a line could not be written.
    pub fn take_failure(&mut self) -> Option<Error> {
        self.failure.take()
    }

    /// Notes refused evidence and the like.
    pub fn note_bugs(&mut self, bugs: &[String]) {
        self.bugs.extend_from_slice(bugs);
    }

    /// The bugs of this task.
    pub fn bugs(&self) -> &[String] {
        &self.bugs
    }

    /// Writes the evidence and the line of a property. The first verdict counts.
    pub fn record(&mut self, problem: &Problem, found: Found) {
        if self.is_recorded(found.property) || self.has_failed() {
            return;
        }
        let property = found.property;
        match self.try_record(problem, found) {
            Ok(()) => {
                self.recorded.insert(property);
            }
            Err(error) => self.fail(error),
        }
    }

    fn try_record(&mut self, problem: &Problem, found: Found) -> Result<(), Error> {
        let heading = self.heading.clone().expect("a task has begun");
        let Found { property, verdict, engine, depth, source, depends } = found;
        let kind = problem.property_kind(property);
        let summary = match kind {
            PropertyKind::Cover => Summary::of_cover(&verdict),
            PropertyKind::Safety | PropertyKind::Liveness | PropertyKind::Program(_) => {
                Summary::of(&verdict)
            }
        };
        let base = format!("{FOLDER}/m{}-p{}", heading.model.1, property.0);
        let certificate = self.write(&base, certificate(problem, property, &verdict)?)?;
        let trace = self.write(&base, trace(problem, &verdict))?;
        let (before, cpu_before) = self.last;
        let is_held = self.held.is_some();
        if !is_held {
            self.last = (Instant::now(), cpu_seconds());
        }
        let line = PropertyLine {
            task: heading.task,
            model: heading.model.0,
            property: property.0,
            name: problem.property_name(property).to_owned(),
            kind: kind.name().to_owned(),
            strategy: heading.strategy,
            stage: heading.stage,
            verdict: summary.word().to_owned(),
            reason: verdict.reason().map(ToString::to_string),
            engine: engine.map(str::to_owned),
            seconds: (self.last.0 - before).as_secs_f64(),
            cpu_seconds: self.last.1 - cpu_before,
            memory_bytes: if is_held { 0 } else { peak_memory() },
            depth,
            source,
            depends,
            certificate,
            trace,
            worker: self.worker(),
            time: now(),
            attempt: heading.attempt,
        };
        let Some(held) = &mut self.held else { return self.log.append(&Line::Result(line)) };
        held.push(line);
        if held.len() >= HELD.0 || before.elapsed() > HELD.1 {
            self.flush();
        }
        Ok(())
    }

    /// Writes an evidence file with this ending, and returns its path within the campaign.
    fn write(
        &mut self,
        base: &str,
        contents: Option<(&str, Vec<u8>)>,
    ) -> Result<Option<String>, Error> {
        let Some((ending, contents)) = contents else { return Ok(None) };
        let name = format!("{base}.{ending}");
        let path = self.campaign.join(&name);
        if let Some(folder) = path.parent().filter(|_| !self.has_folder) {
            std::fs::create_dir_all(folder).map_err(|cause| {
                let context = format!("cannot create {}", files::shown(folder));
                Error::File { context, cause }
            })?;
        }
        self.has_folder = true;
        match self.held {
            // The line that names the file is written after it.
            Some(_) => files::write_unsynchronised(&path, &contents)?,
            None => files::write(&path, &contents)?,
        }
        Ok(Some(name))
    }
}

/// The ending and the contents of a file with the proof. A proof that cannot be written is a proof
/// nevertheless.
fn certificate(
    problem: &Problem,
    property: PropertyId,
    verdict: &Verdict<Proof, Trace>,
) -> Result<Option<(&'static str, Vec<u8>)>, Error> {
    let Verdict::Safe(proof) = verdict else { return Ok(None) };
    let text = match (proof, problem) {
        (Proof::Certificate(proof), Problem::System(problem)) => {
            let Some(proof) = in_text_form(problem.system(), proof) else { return Ok(None) };
            text_certificate(problem.system(), property, &proof)
        }
        (Proof::Certificate(proof), Problem::Program(problem)) => {
            let lowered = problem.lowered()?;
            let Some(proof) = in_text_form(lowered.system(), proof) else { return Ok(None) };
            text_certificate(lowered.system(), property, &proof)
        }
        (Proof::Invariants(proof), Problem::Program(problem)) => {
            Ok(program_certificate(problem, property, proof).into_bytes())
        }
        (Proof::Invariants(_), Problem::System(_)) => return Ok(None),
    };
    match text {
        Ok(text) => Ok(Some(("cert", text))),
        Err(Error::Usage(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The ending and the contents of a file with the counterexample.
fn trace(problem: &Problem, verdict: &Verdict<Proof, Trace>) -> Option<(&'static str, Vec<u8>)> {
    match (verdict, problem) {
        (Verdict::Unsafe(Trace::System(trace)), Problem::System(problem)) => {
            Some(("wit", problem.witness(trace)))
        }
        (Verdict::Unsafe(Trace::Program(trace)), Problem::Program(problem)) => {
            Some(("json", format!("{:#}\n", program_witness(problem, trace)).into_bytes()))
        }
        (Verdict::Unsafe(_) | Verdict::Safe(_) | Verdict::Unknown(_), _) => None,
    }
}
