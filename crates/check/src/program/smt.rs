//! A solver for SMT-LIB that runs as a process of its own.
//!
//! One process answers many questions, each after a `(reset)`: so it never works
//! incrementally, which is where solvers are strongest. A process that takes too long is
//! killed; the next question starts another one. A caller with many proofs can keep the
//! process between them, which saves its start ([`SolverProcess`]). The text is written and the answers are
//! read by threads, so that no full pipe can hold up the deadline.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use super::refusal::ProgramRefusal;
use crate::solver::Budget;

/// How to start a solver that reads SMT-LIB from its input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SmtSolver {
    /// The program and its arguments.
    pub command: Vec<String>,
}

/// `z3 -in -smt2`.
impl Default for SmtSolver {
    fn default() -> Self {
        SmtSolver { command: ["z3", "-in", "-smt2"].map(String::from).to_vec() }
    }
}

/// A solver whose process is kept between proofs.
///
/// Every question starts with a `(reset)`, whether it is of the same proof as the one before
/// or of another. The process is killed, and the next proof starts another one, after a
/// question that was not answered in time and after an answer that is an error.
pub struct SolverProcess {
    solver: SmtSolver,
    process: Option<Process>,
}

impl SolverProcess {
    /// The process is started by the first question.
    pub fn new(solver: SmtSolver) -> Self {
        SolverProcess { solver, process: None }
    }

    /// Does some work in a session. During the work the session owns the process, so that a
    /// panic ends it.
    pub(super) fn session<T>(
        &mut self,
        budget: &Budget,
        work: impl FnOnce(&mut Session<'_>) -> Result<T, ProgramRefusal>,
    ) -> Result<T, ProgramRefusal> {
        let mut session = Session::new(&self.solver, budget);
        session.process = self.process.take();
        let result = work(&mut session);
        self.process = session.process;
        result
    }
}

/// What the solver says of a conjunction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Reply {
    Unsat,
    /// Which of the symbols that were asked about are true in the model.
    Sat(Vec<bool>),
    Unknown,
    /// Neither in time.
    Late,
}

/// How often the budget is looked at.
const TICK: Duration = Duration::from_millis(20);

/// What the solver is told to say when it has said all. No answer looks like it.
const END: &str = "that-is-all";

/// A solver, started when it is needed.
pub(super) struct Session<'a> {
    solver: &'a SmtSolver,
    budget: &'a Budget,
    process: Option<Process>,
}

impl<'a> Session<'a> {
    pub(super) fn new(solver: &'a SmtSolver, budget: &'a Budget) -> Self {
        Session { solver, budget, process: None }
    }

    /// Are the assertions of this text satisfiable together? If they are, it is told
    /// which of some Boolean symbols are true then.
    pub(super) fn ask(
        &mut self,
        text: &str,
        symbols: &[String],
        patience: Option<Duration>,
    ) -> Result<Reply, ProgramRefusal> {
        let until = patience.map(|patience| Instant::now() + patience);
        let question = format!(
            "(reset)\n(set-option :produce-models true)\n(set-logic ALL)\n{text}(check-sat)\n"
        );
        let Some(answer) = self.converse(question, until)? else { return Ok(Reply::Late) };
        match answer.trim() {
            "unsat" => Ok(Reply::Unsat),
            "unknown" => Ok(Reply::Unknown),
            "sat" if symbols.is_empty() => Ok(Reply::Sat(Vec::new())),
            "sat" => {
                let question = format!("(get-value ({}))\n", symbols.join(" "));
                let Some(model) = self.converse(question, until)? else { return Ok(Reply::Late) };
                let is_true = |symbol| model.contains(&format!("({symbol} true)"));
                Ok(Reply::Sat(symbols.iter().map(is_true).collect()))
            }
            other => {
                self.process = None;
                Err(ProgramRefusal::Solver(other.chars().take(300).collect()))
            }
        }
    }

    /// All that the solver says to this; `None` if that takes too long.
    fn converse(
        &mut self,
        text: String,
        until: Option<Instant>,
    ) -> Result<Option<String>, ProgramRefusal> {
        let process = match &mut self.process {
            Some(process) => process,
            None => self.process.insert(Process::start(self.solver)?),
        };
        // A process that has ended says so by ending its output, below.
        let _ = process.input.send(format!("{text}(echo \"{END}\")\n"));
        let mut answer = String::new();
        loop {
            match process.output.recv_timeout(TICK) {
                Ok(line) if line.trim().trim_matches('"') == END => return Ok(Some(answer)),
                Ok(line) => answer = answer + &line + "\n",
                Err(RecvTimeoutError::Disconnected) => {
                    self.process = None;
                    let said =
                        if answer.is_empty() { "it ended without an answer" } else { &answer };
                    return Err(ProgramRefusal::Solver(said.trim().to_string()));
                }
                Err(RecvTimeoutError::Timeout) => {
                    let late = until.is_some_and(|until| Instant::now() >= until);
                    if late || self.budget.is_spent() {
                        self.process = None;
                        return Ok(None);
                    }
                }
            }
        }
    }
}

/// Killed when dropped; its threads end when its pipes are closed.
struct Process {
    child: Child,
    input: Sender<String>,
    output: Receiver<String>,
}

impl Process {
    fn start(solver: &SmtSolver) -> Result<Self, ProgramRefusal> {
        let missing = |error: String| {
            let command = solver.command.first().cloned().unwrap_or_default();
            ProgramRefusal::NoSolver { command, error }
        };
        let Some((program, arguments)) = solver.command.split_first() else {
            return Err(missing("no command is given".to_string()));
        };
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| missing(error.to_string()))?;
        let mut stdin = child.stdin.take().expect("the input is piped");
        let stdout = child.stdout.take().expect("the output is piped");
        let (input, texts) = mpsc::channel::<String>();
        thread::spawn(move || {
            // An error means that the process has ended, which its output tells.
            for text in texts {
                if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    break;
                }
            }
        });
        let (lines, output) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let Ok(line) = line else { break };
                if lines.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Process { child, input, output })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hard enough for any solver: the sum of three cubes that is 33 has 16 digits.
    const HARD: &str = "(declare-fun x () Int) (declare-fun y () Int) (declare-fun z () Int)
        (assert (= 33 (+ (* x x x) (* y y y) (* z z z))))\n";

    fn ask(command: &[&str], text: &str) -> Result<Reply, ProgramRefusal> {
        let solver = SmtSolver { command: command.iter().map(|part| part.to_string()).collect() };
        Session::new(&solver, &Budget::default()).ask(text, &[], None)
    }

    #[test]
    fn says_which_symbols_hold_and_forgets_between_questions() {
        let (solver, budget) = (SmtSolver::default(), Budget::default());
        let mut session = Session::new(&solver, &budget);
        let symbols = ["p", "q"].map(String::from);
        let text = "(declare-fun p () Bool) (declare-fun q () Bool) (assert (and p (not q)))";
        let sat = Ok(Reply::Sat(vec![true, false]));
        assert_eq!(session.ask(text, &symbols, None), sat);
        assert_eq!(session.ask("(assert false)", &symbols, None), Ok(Reply::Unsat));
        assert_eq!(session.ask(text, &symbols, None), sat);
    }

    #[test]
    fn a_process_is_kept_between_sessions_and_forgets_the_one_before() {
        let mut kept = SolverProcess::new(SmtSolver::default());
        let budget = Budget::default();
        let mut ask = |text: &str, patience: Option<Duration>| {
            let answer = kept.session(&budget, |session| session.ask(text, &[], patience));
            (answer, kept.process.as_ref().map(|process| process.child.id()))
        };
        let (sat, first) = ask("(declare-fun p () Bool) (assert p)", None);
        assert_eq!(sat, Ok(Reply::Sat(Vec::new())));
        assert!(first.is_some());
        // Neither the assertion nor the declaration of `p` is left.
        let other = "(declare-fun p () Int) (assert (= p 3))";
        assert_eq!(ask(other, None), (Ok(Reply::Sat(Vec::new())), first));
        assert_eq!(ask("(assert false)", None), (Ok(Reply::Unsat), first));
        // An error may leave anything behind, and so may a question that takes too long.
        let (error, none) = ask("(assert unheard-of)", None);
        assert!(matches!(error, Err(ProgramRefusal::Solver(_))) && none.is_none());
        let (unsat, second) = ask("(assert false)", None);
        assert_eq!(unsat, Ok(Reply::Unsat));
        assert!(second.is_some() && second != first);
        let (late, process) = ask(HARD, Some(Duration::from_millis(100)));
        match late {
            Ok(Reply::Late) => assert_eq!(process, None),
            reply => assert_eq!(reply, Ok(Reply::Unknown)),
        }
        assert_eq!(ask("(assert false)", None).0, Ok(Reply::Unsat));
    }

    #[test]
    fn kills_who_takes_too_long_and_starts_again() {
        let solver = SmtSolver::default();
        let budget = Budget::default();
        let mut session = Session::new(&solver, &budget);
        let patience = Some(Duration::from_millis(100));
        let started = Instant::now();
        // It may also give up by itself.
        let reply = session.ask(HARD, &[], patience);
        assert!(matches!(reply, Ok(Reply::Late | Reply::Unknown)), "{reply:?}");
        assert!(started.elapsed() < Duration::from_secs(30));
        // The new process has all the time it needs to start.
        assert_eq!(session.ask("(assert false)", &[], None), Ok(Reply::Unsat));
        let spent = Budget { deadline: Some(Instant::now()), ..Budget::default() };
        let sleeper = SmtSolver { command: ["sleep", "100"].map(String::from).to_vec() };
        assert_eq!(Session::new(&sleeper, &spent).ask("", &[], None), Ok(Reply::Late));
    }

    #[test]
    fn a_missing_solver_is_told_with_what_to_install() {
        let refusal = ask(&["no-such-solver", "-in"], "").unwrap_err();
        let message = refusal.to_string();
        assert!(message.contains("(package z3)"), "{message}");
        assert!(message.contains("no-such-solver"));
        assert!(matches!(ask(&[], ""), Err(ProgramRefusal::NoSolver { .. })));
    }

    #[test]
    fn complaints_are_no_answers() {
        let complains = ask(&["z3", "-in", "-smt2"], "(assert unheard-of) (assert false)\n");
        assert!(
            matches!(&complains, Err(ProgramRefusal::Solver(said)) if said.contains("unheard"))
        );
        assert!(matches!(ask(&["true"], ""), Err(ProgramRefusal::Solver(_))));
    }
}
