//! Random Boogie programs as source text, decided by the whole tool, against an interpreter of their
//! own syntax tree.
//!
//! ```text
//! seed ─ generate ─► syntax ─ print ─► text ─ reader, engine, checker ─► answers
//!                       └──── explore ─────────────────► claims ───────────┴─► complaint ─ shrink
//! ```
//!
//! `syntax`, `print`, `value`, `evaluate`, `code` and `explore` use nothing of the other crates, so
//! that the reader and the evaluator are compared with something that does not share their mistakes.

mod choices;
mod code;
mod decide;
mod evaluate;
mod explore;
mod generate;
mod print;
mod random;
mod shrink;
mod syntax;
#[cfg(test)]
mod tests;
mod value;

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex, Once};
use std::time::{Duration, Instant};

use elinvar_engines::cfg::{CfgOptions, Strategy};

use super::Tally;
use decide::{Answer, Answers, Way, decide};
use explore::{Claims, explore};
use syntax::Program;

/// After so long without an answer the process ends.
const HANGS: Duration = Duration::from_secs(120);

/// What is wrong with an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    /// The reader refuses the program.
    Refused,
    Panic,
    /// The checker refuses evidence.
    Evidence,
    /// Safe, but a run fails.
    WrongSafe,
    /// Unsafe, but no run fails.
    WrongUnsafe,
    /// Two ways to decide the program contradict each other.
    Contradiction,
    /// The time limit is not kept.
    Late,
}

#[derive(Clone, Debug)]
struct Complaint {
    class: Class,
    detail: String,
}

impl Complaint {
    fn new(class: Class, detail: String) -> Self {
        Complaint { class, detail }
    }
}

/// Examines the program of a seed. A complaint has the program in it, made smaller.
pub fn examine(seed: u64, tally: &mut Tally) -> Result<(), String> {
    let mut program = generate::program(seed);
    let ways = ways(seed);
    let Err(complaint) = judge(&mut program, &ways, Some(tally)) else { return Ok(()) };
    let mut smaller = shrink::shrink(&program, |candidate| {
        judge(candidate, &ways, None).is_err_and(|other| other.class == complaint.class)
    });
    let text = print::print(&mut smaller);
    let detail = judge(&mut smaller, &ways, None).err().unwrap_or(complaint);
    Err(format!("{:?}: {}\n{text}", detail.class, detail.detail))
}

/// The ways in which a program is decided.
fn ways(seed: u64) -> Vec<Way> {
    let mut ways = vec![Way::Program(CfgOptions::default())];
    match seed % 4 {
        0 => {
            let strategy = Strategy::TraceAbstraction;
            ways.push(Way::Program(CfgOptions { strategy, ..CfgOptions::default() }));
        }
        1 => ways.push(Way::Program(super::programs::Settings::Drawn.choose(seed))),
        2 => ways.push(Way::System),
        _ => {}
    }
    ways
}

/// Decides a program and compares the answers with the oracle and with each other.
fn judge(
    program: &mut Program,
    ways: &[Way],
    mut tally: Option<&mut Tally>,
) -> Result<(), Complaint> {
    let text = print::print(program);
    let claims = explore(program);
    let mut before: Option<Answers> = None;
    for way in ways {
        let Some(answers) = quietly(|| decide(&text, way))? else { continue };
        compare(&claims, &answers)?;
        if let Some(before) = &before {
            contradict(before, &answers)?;
        }
        if let Some(tally) = &mut tally {
            count(tally, &claims, &answers, before.is_none());
        }
        before = Some(answers);
    }
    Ok(())
}

fn count(tally: &mut Tally, claims: &Claims, answers: &Answers, first: bool) {
    if first {
        tally.searched += u64::from(claims.complete || !claims.failing.is_empty());
    }
    for answer in answers.values() {
        match answer {
            Answer::Safe => tally.safe += 1,
            Answer::Unsafe => tally.unsafe_ += 1,
            Answer::Unknown => tally.unknown += 1,
        }
    }
}

/// A property that the tool does not know counts as one that holds.
fn compare(claims: &Claims, answers: &Answers) -> Result<(), Complaint> {
    for failing in &claims.failing {
        let is_safe = |property| answers.get(property).is_none_or(|a| *a == Answer::Safe);
        if failing.iter().all(is_safe) {
            let detail = format!("a run fails, but all of these are said to hold: {failing:?}");
            return Err(Complaint::new(Class::WrongSafe, detail));
        }
    }
    for (property, answer) in answers {
        let holds = claims.valid.contains(property)
            || (claims.complete && !claims.possible.contains(property));
        if holds && *answer == Answer::Unsafe {
            let detail = format!("no run fails, but this is said to fail: {property:?}");
            return Err(Complaint::new(Class::WrongUnsafe, detail));
        }
    }
    Ok(())
}

fn contradict(before: &Answers, after: &Answers) -> Result<(), Complaint> {
    for (property, answer) in after {
        let other = before.get(property);
        if matches!(
            (other, answer),
            (Some(Answer::Safe), Answer::Unsafe) | (Some(Answer::Unsafe), Answer::Safe)
        ) {
            let detail = format!("one way says {other:?}, another {answer:?}: {property:?}");
            return Err(Complaint::new(Class::Contradiction, detail));
        }
    }
    Ok(())
}

thread_local! {
    /// The message of a panic, while messages are kept from the terminal.
    static MESSAGE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// A panic becomes a complaint with its place instead of a message on the terminal. Other threads are
/// not concerned.
fn quietly<T>(work: impl FnOnce() -> Result<T, Complaint>) -> Result<T, Complaint> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            MESSAGE.with_borrow_mut(|message| match message {
                Some(message) => *message = info.to_string(),
                None => before(info),
            });
        }));
    });
    MESSAGE.set(Some(String::new()));
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    let message = MESSAGE.take().unwrap_or_default();
    result.unwrap_or_else(|_| Err(Complaint::new(Class::Panic, message)))
}

/// Ends the process with a message if one program takes much too long.
pub struct Watch(Arc<Mutex<(u64, Instant)>>);

impl Watch {
    pub fn start() -> Self {
        let shared = Arc::new(Mutex::new((0, Instant::now())));
        let watched = Arc::clone(&shared);
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(Duration::from_secs(1));
                let (seed, since) = *watched.lock().expect("nothing panics while it is held");
                if since.elapsed() > HANGS {
                    let text = print::print(&mut generate::program(seed));
                    println!("seed {seed}, Source: it hangs\n{text}");
                    std::process::exit(1);
                }
            }
        });
        Watch(shared)
    }

    pub fn begin(&self, seed: u64) {
        *self.0.lock().expect("nothing panics while it is held") = (seed, Instant::now());
    }
}
