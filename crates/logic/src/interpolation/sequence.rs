//! Sequence interpolants from one refutation, by McMillan's system [Interpolation and
//! SAT-Based Model Checking, CAV 2003] or Pudlák's [Lower Bounds for Resolution and
//! Cutting Plane Proofs and Monotone Computations, JSL 1997].
//!
//! For the cut before part j, the parts below j are A and the others B. Each clause of
//! the proof gets a partial interpolant; that of the empty clause is the interpolant. A
//! clause that was derived from A alone is as good as one of A itself, and one derived
//! from B alone as one of B. So a clause needs work only at the cuts that its
//! derivation spans, and those are few: this is what makes one pass enough for all.

use rustc_hash::FxHashMap;

use elinvar_sat::{Lit, StepId, Var};

use super::refutation::Refutation;
use crate::aig::{Aig, AigLit};

/// How interpolants are read off a proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum System {
    /// Stronger interpolants, of clauses where A has clauses.
    McMillan,
    /// Symmetric in A and B.
    Pudlak,
}

/// The interpolants of all cuts, over variables of the solver.
pub struct Sequence {
    /// The graph of all interpolants.
    pub aig: Aig,
    /// The variables of the interpolants, each with its input of the graph.
    pub inputs: Vec<(Var, AigLit)>,
    /// I₁, I₂, …: one less than there are parts.
    pub interpolants: Vec<AigLit>,
}

impl Sequence {
    /// The interpolants of a refutation of so many parts, where `part` says to which
    /// one a given clause, or an assumption, belongs.
    pub fn new(
        refutation: &Refutation<'_>,
        parts: usize,
        part: &dyn Fn(&[Lit]) -> usize,
        system: System,
    ) -> Self {
        let spans = Spans::new(refutation, part);
        let mut reader = Reader {
            refutation,
            spans: &spans,
            system,
            aig: Aig::new(),
            inputs: Inputs::default(),
            partial: Vec::new(),
            starts: Vec::with_capacity(refutation.len()),
            resolvent: Resolvent::default(),
        };
        for index in 0..refutation.len() {
            reader.read(index);
        }
        let interpolants = (1..parts).map(|cut| reader.conclude(cut, part)).collect();
        Sequence { aig: reader.aig, inputs: reader.inputs.list, interpolants }
    }
}

/// The first and the last part of something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Span {
    pub first: u32,
    pub last: u32,
}

impl Span {
    const EMPTY: Span = Span { first: u32::MAX, last: 0 };

    fn of(part: usize) -> Self {
        Span { first: part as u32, last: part as u32 }
    }

    fn join(self, other: Span) -> Self {
        Span { first: self.first.min(other.first), last: self.last.max(other.last) }
    }

    /// Is there something on both sides of the cut?
    pub fn crosses(self, cut: usize) -> bool {
        (self.first as usize) < cut && cut <= self.last as usize
    }

    fn is_before(self, cut: usize) -> bool {
        (self.last as usize) < cut
    }

    fn cuts(self) -> std::ops::Range<usize> {
        self.first as usize + 1..(self.last as usize + 1).max(self.first as usize + 1)
    }
}

/// Which parts the steps of a proof rest on, and which parts variables occur in.
pub(super) struct Spans {
    /// By place in the refutation.
    steps: Vec<Span>,
    /// By step of the log, from the first one of the refutation: its place.
    places: Vec<u32>,
    first: usize,
    vars: Vec<Span>,
}

impl Spans {
    pub fn new(refutation: &Refutation<'_>, part: &dyn Fn(&[Lit]) -> usize) -> Self {
        let log = refutation.log;
        let first = refutation.steps.first().map_or(0, |step| step.index());
        let last = refutation.steps.last().map_or(0, |step| step.index());
        let mut spans = Spans {
            steps: Vec::with_capacity(refutation.len()),
            places: vec![u32::MAX; last + 1 - first],
            first,
            vars: Vec::new(),
        };
        for (place, &step) in refutation.steps.iter().enumerate() {
            spans.places[step.index() - first] = place as u32;
            let antecedents = log.antecedents(step);
            let span = if antecedents.is_empty() {
                let span = Span::of(part(log.lits(step)));
                spans.note(log.lits(step), span);
                span
            } else {
                let spans_of = antecedents.iter().map(|&antecedent| spans.step(antecedent));
                spans_of.fold(Span::EMPTY, Span::join)
            };
            spans.steps.push(span);
        }
        for lit in refutation.assumptions() {
            spans.note(&[lit], Span::of(part(&[lit])));
        }
        spans
    }

    fn note(&mut self, lits: &[Lit], span: Span) {
        for lit in lits {
            let index = lit.var().index();
            if self.vars.len() <= index {
                self.vars.resize(index + 1, Span::EMPTY);
            }
            self.vars[index] = self.vars[index].join(span);
        }
    }

    fn place(&self, step: StepId) -> usize {
        self.places[step.index() - self.first] as usize
    }

    fn step(&self, step: StepId) -> Span {
        self.steps[self.place(step)]
    }

    pub fn var(&self, var: Var) -> Span {
        self.vars.get(var.index()).copied().unwrap_or(Span::EMPTY)
    }
}

#[derive(Default)]
struct Inputs {
    by_var: FxHashMap<Var, AigLit>,
    list: Vec<(Var, AigLit)>,
}

impl Inputs {
    fn lit(&mut self, aig: &mut Aig, lit: Lit) -> AigLit {
        let input = *self.by_var.entry(lit.var()).or_insert_with(|| {
            let input = aig.input();
            self.list.push((lit.var(), input));
            input
        });
        input.complement_if(lit.is_negative())
    }
}

/// The clause in the middle of a chain of resolutions.
#[derive(Default)]
struct Resolvent {
    has: Vec<bool>,
    lits: Vec<Lit>,
}

impl Resolvent {
    fn start(&mut self, lits: &[Lit]) {
        for lit in self.lits.drain(..) {
            self.has[lit.code()] = false;
        }
        lits.iter().for_each(|&lit| self.add(lit));
    }

    fn add(&mut self, lit: Lit) {
        let size = lit.code().max((!lit).code()) + 1;
        if self.has.len() < size {
            self.has.resize(size, false);
        }
        if !std::mem::replace(&mut self.has[lit.code()], true) {
            self.lits.push(lit);
        }
    }

    /// Resolves with a clause; the literal of it that is resolved upon. None if there
    /// is none: then the clause was not needed.
    fn resolve(&mut self, clause: &[Lit]) -> Option<Lit> {
        let clashes = |lit: &&Lit| self.has.get((!**lit).code()).copied().unwrap_or(false);
        let pivot = *clause.iter().find(clashes)?;
        self.has[(!pivot).code()] = false;
        clause.iter().filter(|&&lit| lit != pivot).for_each(|&lit| self.add(lit));
        Some(pivot)
    }
}

struct Reader<'a> {
    refutation: &'a Refutation<'a>,
    spans: &'a Spans,
    system: System,
    aig: Aig,
    inputs: Inputs,
    /// The partial interpolants of steps at the cuts that they span.
    partial: Vec<AigLit>,
    /// By place in the refutation: where these are.
    starts: Vec<usize>,
    resolvent: Resolvent,
}

impl Reader<'_> {
    /// Finds the partial interpolants of a step.
    fn read(&mut self, place: usize) {
        let start = self.partial.len();
        self.starts.push(start);
        let cuts = self.spans.steps[place].cuts();
        if cuts.is_empty() {
            return;
        }
        let log = self.refutation.log;
        let antecedents = log.antecedents(self.refutation.steps[place]);
        let (&last, others) = antecedents.split_last().expect("a derived clause spans a cut");
        for cut in cuts.clone() {
            let partial = self.partial_of(last, cut);
            self.partial.push(partial);
        }
        let mut resolvent = std::mem::take(&mut self.resolvent);
        resolvent.start(log.lits(last));
        for &antecedent in others.iter().rev() {
            let Some(pivot) = resolvent.resolve(log.lits(antecedent)) else { continue };
            for cut in cuts.clone() {
                let index = start + cut - cuts.start;
                let other = self.partial_of(antecedent, cut);
                self.partial[index] = self.resolve(cut, pivot, other, self.partial[index]);
            }
        }
        self.resolvent = resolvent;
    }

    /// The interpolant at a cut: the conclusion is resolved with the assumptions.
    fn conclude(&mut self, cut: usize, part: &dyn Fn(&[Lit]) -> usize) -> AigLit {
        let Some(&conclusion) = self.refutation.steps.last() else { return AigLit::TRUE };
        let mut result = self.partial_of(conclusion, cut);
        let assumptions: Vec<Lit> = self.refutation.assumptions().collect();
        for lit in assumptions {
            let unit = if part(&[lit]) < cut { self.leaf(&[lit], cut) } else { AigLit::TRUE };
            result = self.resolve(cut, lit, unit, result);
        }
        result
    }

    fn partial_of(&mut self, step: StepId, cut: usize) -> AigLit {
        let place = self.spans.place(step);
        let span = self.spans.steps[place];
        if span.crosses(cut) {
            self.partial[self.starts[place] + cut - span.cuts().start]
        } else if span.is_before(cut) {
            self.leaf(self.refutation.log.lits(step), cut)
        } else {
            AigLit::TRUE
        }
    }

    /// The partial interpolant of a clause of A.
    fn leaf(&mut self, lits: &[Lit], cut: usize) -> AigLit {
        match self.system {
            System::Pudlak => AigLit::FALSE,
            System::McMillan => {
                let shared = lits.iter().filter(|lit| self.spans.var(lit.var()).crosses(cut));
                let shared: Vec<AigLit> =
                    shared.map(|&lit| self.inputs.lit(&mut self.aig, lit)).collect();
                self.aig.or_all(&shared)
            }
        }
    }

    /// The partial interpolant of a resolvent upon `pivot`: of the clause that has it,
    /// and of the one that has its negation.
    fn resolve(&mut self, cut: usize, pivot: Lit, with: AigLit, without: AigLit) -> AigLit {
        let span = self.spans.var(pivot.var());
        if span.is_before(cut) {
            return self.aig.or(with, without);
        }
        match self.system {
            System::Pudlak if span.crosses(cut) => {
                let pivot = self.inputs.lit(&mut self.aig, pivot);
                let left = self.aig.or(pivot, with);
                let right = self.aig.or(!pivot, without);
                self.aig.and(left, right)
            }
            System::McMillan | System::Pudlak => self.aig.and(with, without),
        }
    }
}
