//! Expansion of blocked polytopes beyond dropping inequalities: inequalities are combined,
//! and bounds are moved.
//!
//! Every point of a box satisfies Σ c·x ≥ b, where b is the least value of the sum in the
//! box: a half-space that contains the box. If it is blocked, too, a relation between
//! words has been found, such as x₁ + x₂ ≥ 4. Half-spaces that are inductive, relative to
//! F∞, are preferred to all others, and their bounds are moved towards the initial states as
//! far as that stays true.

use dashu_int::IBig;
use rustc_hash::FxHashMap;

use super::adapt::UnitKind;
use super::atom::{Atom, Known, Shape, Terms};
use super::circuit::{Init, WordInfo};
use super::encoding::Encoding;
use super::guess::Guesses;
use super::initial::{floor_half, greatest};
use super::solver::FrameSolver;
use super::statistics::WordsStatistics;
use super::templates::Templates;
use crate::pdr::cube::Cube;
use crate::pdr::domain::{Interruptible, Level};

/// How many half-spaces are tried for one unit.
const ATTEMPTS: usize = 32;
/// With how many inequalities of the unit one of them is tried.
const CONTEXTS: usize = 3;
/// How many words of a unit are paired.
const PAIRED: usize = 6;
/// How many directions are tried when nothing else helps.
const DIRECTIONS: usize = 24;
/// How many flags are looked at.
const FLAGS: usize = 6;
/// How many bounds are tried for one inequality.
const BISECTIONS: usize = 40;

/// A half-space that contains a box: Σ terms ≥ bound.
struct Candidate {
    terms: Terms,
    bound: IBig,
}

/// By direction: the last search for a half-space next to the initial states without
/// reachable states.
#[derive(Default)]
pub(super) struct Nearest(FxHashMap<Terms, NearestSearch>);

struct NearestSearch {
    /// How many lemmas F∞ had.
    lemmas: usize,
    is_found: bool,
}

/// What widening a unit works on.
pub(super) struct Widening<'a> {
    pub solver: &'a mut FrameSolver,
    pub guesses: &'a mut Guesses,
    pub nearest: &'a mut Nearest,
    pub statistics: &'a mut WordsStatistics,
}

impl Widening<'_> {
    /// A set of states that contains the cube, if possible, and is blocked at the level, too.
    pub fn widen(&mut self, cube: Cube<Atom>, level: usize) -> Interruptible<Cube<Atom>> {
        if self.solver.encoding.kind_of(cube.atoms()) == UnitKind::Cube {
            return Ok(cube);
        }
        let mut best = cube.atoms().to_vec();
        if let Some(core) = self.solver.blocked_part(Level::Infinite, &best)? {
            best = core;
            if best.len() == 1 {
                return self.move_bounds(best).map(Cube::new);
            }
        }
        let mut fallback: Option<Vec<Atom>> = None;
        for candidate in self.candidates(&best) {
            for context in contexts(&self.solver.encoding, &best, &candidate) {
                let shortest = fallback.as_ref().map_or(best.len(), Vec::len);
                match self.try_candidate(&candidate, &context, level, shortest)? {
                    Tried::Inductive(core) => {
                        self.statistics.combined += 1;
                        return self.move_bounds(core).map(Cube::new);
                    }
                    Tried::Blocked(core) => fallback = Some(core),
                    Tried::InVain => {}
                }
            }
        }
        if self.is_excluded_by_more(&best)? {
            self.statistics.combined += 1;
            return Ok(Cube::new(best));
        }
        if let Some(unit) = fallback {
            self.statistics.combined += 1;
            best = unit;
        }
        Ok(Cube::new(best))
    }

    /// Tries a half-space with some atoms of the unit. Units that are only blocked at the
    /// level are of interest if they have fewer atoms than `shortest`.
    fn try_candidate(
        &mut self,
        candidate: &Candidate,
        context: &[Atom],
        level: usize,
        mut shortest: usize,
    ) -> Interruptible<Tried> {
        let mut best = Tried::InVain;
        for shape in self.variants(candidate) {
            let atom = self.solver.encoding.atoms.atom(shape);
            let unit: Vec<Atom> = context.iter().copied().chain([atom]).collect();
            if self.solver.meets_initial(&unit) {
                if context.is_empty() {
                    self.try_with_flags(atom)?;
                }
                continue;
            }
            if let Some(core) = self.solver.blocked_part(Level::Infinite, &unit)? {
                return Ok(Tried::Inductive(core));
            }
            if unit.len() < shortest
                && let Some(core) = self.solver.blocked_part(Level::Finite(level - 1), &unit)?
            {
                shortest = core.len();
                best = Tried::Blocked(core);
            }
        }
        Ok(best)
    }

    /// Sums that may separate the unit from what is reachable.
    fn candidates(&self, unit: &[Atom]) -> Vec<Candidate> {
        let Encoding { words, atoms, .. } = &self.solver.encoding;
        let mut known = Known::new(words, atoms.shapes(unit));
        let named: Vec<usize> = atoms.shapes(unit).flat_map(Shape::words).collect();
        known.close(words, &self.guesses.equations);
        let mut involved: Vec<usize> = named.iter().copied().chain(known.words()).collect();
        involved.sort_unstable();
        involved.dedup();
        involved.retain(|&word| !words[word].is_logic);
        let mut found = Vec::new();
        for terms in sums(&self.guesses.templates, &named, &involved) {
            for terms in with_both_signs(&terms) {
                let bound = known.least(words, &terms);
                if bound > Known::default().least(words, &terms) {
                    found.push(Candidate { terms, bound });
                }
            }
        }
        found.truncate(ATTEMPTS);
        found
    }

    /// A candidate with the bounds to be tried: as far as the initial states allow, and
    /// just so that it contains the unit.
    fn variants(&mut self, candidate: &Candidate) -> Vec<Shape> {
        let Candidate { terms, bound } = candidate;
        let mut shapes = Vec::new();
        let next = self.guesses.bounds.greatest(self.solver, terms) + IBig::ONE;
        if next < *bound {
            shapes.push(Shape::sum_at_least(terms, &next));
        }
        shapes.push(Shape::sum_at_least(terms, bound));
        shapes
    }

    /// Looks for more inductive lemmas; true if they exclude the unit.
    fn is_excluded_by_more(&mut self, unit: &[Atom]) -> Interruptible<bool> {
        self.guesses.guess_again(self.solver)?;
        for terms in directions(&self.solver.encoding, &self.guesses.templates, unit) {
            self.find_nearest(&terms)?;
        }
        self.solver.is_excluded(unit)
    }

    /// A half-space with initial states may have no reachable state where a flag differs
    /// from its initial value.
    fn try_with_flags(&mut self, atom: Atom) -> Interruptible<()> {
        let flag = |(word, info): (usize, &WordInfo)| match &info.init {
            Init::Constant(value) if info.width == 1 => {
                Some(Shape::Bit { word, bit: 0, value: value.is_zero() })
            }
            Init::Constant(_) | Init::Free | Init::Expression(_) => None,
        };
        let words = &self.solver.encoding.words;
        let flags: Vec<Shape> = words.iter().enumerate().filter_map(flag).collect();
        for flag in flags.into_iter().take(FLAGS) {
            let unit = [self.solver.encoding.atoms.atom(flag), atom];
            if let Some(core) = self.solver.blocked_part(Level::Infinite, &unit)? {
                self.solver.establish(Cube::new(core));
                self.statistics.combined += 1;
            }
        }
        Ok(())
    }

    /// Establishes the half-space in a direction that has no reachable state and is next
    /// to the initial states, as far as can be proved now.
    fn find_nearest(&mut self, terms: &Terms) -> Interruptible<()> {
        let lemmas = self.solver.inductive_lemmas();
        if let Some(last) = self.nearest.0.get(terms)
            && (last.lemmas == lemmas || last.is_found)
        {
            return Ok(());
        }
        let initial = self.guesses.bounds.greatest(self.solver, terms);
        let greatest = greatest(&self.solver.encoding.words, terms);
        let (mut refused, mut distance) = (initial.clone(), IBig::ONE);
        let mut good = None;
        while good.is_none() && &initial + &distance <= greatest {
            let bound = &initial + &distance;
            match self.try_half_space(terms, &bound)? {
                Some(atom) => good = Some((bound, atom)),
                None => refused = bound,
            }
            distance *= IBig::from(4);
        }
        while let Some((bound, _)) = &good {
            let middle = floor_half(&(&refused + bound));
            if middle <= refused {
                break;
            }
            match self.try_half_space(terms, &middle)? {
                Some(atom) => good = Some((middle, atom)),
                None => refused = middle,
            }
        }
        let search = NearestSearch { lemmas, is_found: good.is_some() };
        self.nearest.0.insert(terms.clone(), search);
        if let Some((_, atom)) = good {
            self.solver.establish(Cube::new(vec![atom]));
            self.statistics.combined += 1;
        }
        Ok(())
    }

    fn try_half_space(&mut self, terms: &Terms, bound: &IBig) -> Interruptible<Option<Atom>> {
        let atom = self.solver.encoding.atoms.atom(Shape::sum_at_least(terms, bound));
        Ok(self.solver.blocked_part(Level::Infinite, &[atom])?.map(|_| atom))
    }

    /// Moves the bounds of an inductive unit, one by one, as far towards the initial states
    /// as it stays inductive.
    fn move_bounds(&mut self, mut unit: Vec<Atom>) -> Interruptible<Vec<Atom>> {
        for position in 0..unit.len() {
            let Some(&atom) = unit.get(position) else { break };
            let shape = self.solver.encoding.atoms.shape(atom).clone();
            let Shape::AtMost { terms, bound } = shape else { continue };
            let negated: Terms = terms.iter().map(|&(c, word)| (-c, word)).collect();
            let initial = self.guesses.bounds.greatest(self.solver, &negated);
            // Σ ≤ bound: the initial states are at -initial, beyond the bound or not.
            let (mut good, mut refused) = (bound.clone(), -initial);
            if refused <= good {
                continue;
            }
            let mut first = true;
            for _ in 0..BISECTIONS {
                let middle: IBig =
                    if first { &refused - IBig::ONE } else { (&good + &refused) / IBig::from(2) };
                first = false;
                if middle <= good || middle >= refused {
                    break;
                }
                let shape = Shape::AtMost { terms: terms.clone(), bound: middle.clone() };
                let mut moved = unit.clone();
                moved[position] = self.solver.encoding.atoms.atom(shape);
                if !self.solver.meets_initial(&moved)
                    && self.solver.blocked_part(Level::Infinite, &moved)?.is_some()
                {
                    unit = moved;
                    good = middle;
                    self.statistics.moved += 1;
                } else {
                    refused = middle;
                }
            }
        }
        Ok(unit)
    }
}

/// What became of a half-space that was tried: the part that is enough.
enum Tried {
    Inductive(Vec<Atom>),
    Blocked(Vec<Atom>),
    InVain,
}

/// The atoms of a unit that a half-space is tried together with: none, those about other
/// words, and single ones about the same words.
fn contexts(encoding: &Encoding, unit: &[Atom], candidate: &Candidate) -> Vec<Vec<Atom>> {
    let support: Vec<usize> = candidate.terms.iter().map(|&(_, word)| word).collect();
    let (related, others): (Vec<Atom>, Vec<Atom>) = unit
        .iter()
        .partition(|&&atom| encoding.atoms.shape(atom).words().any(|word| support.contains(&word)));
    let mut contexts = vec![Vec::new()];
    contexts.extend((!others.is_empty()).then_some(others));
    contexts.extend(related.into_iter().take(CONTEXTS).map(|atom| vec![atom]));
    contexts
}

/// The words that only equations mention, the sums of the model, and pairs.
fn sums(templates: &Templates, named: &[usize], involved: &[usize]) -> Vec<Terms> {
    let mut sums: Vec<Terms> = Vec::new();
    sums.extend(involved.iter().filter(|word| !named.contains(word)).map(|&word| vec![(1, word)]));
    for &word in involved {
        for terms in templates.of_word(word) {
            if terms.iter().all(|(_, word)| involved.contains(word)) && !sums.contains(terms) {
                sums.push(terms.clone());
            }
        }
    }
    let paired = &involved[..involved.len().min(PAIRED)];
    for (position, &x) in paired.iter().enumerate() {
        for &y in &paired[position + 1..] {
            for sign in [-1, 1] {
                let terms = vec![(1, x), (sign, y)];
                if !sums.contains(&terms) {
                    sums.push(terms);
                }
            }
        }
    }
    sums
}

/// The words of a unit, and the sums of the model with them, in both directions.
fn directions(encoding: &Encoding, templates: &Templates, unit: &[Atom]) -> Vec<Terms> {
    let mut named: Vec<usize> = encoding.atoms.shapes(unit).flat_map(Shape::words).collect();
    named.sort_unstable();
    named.dedup();
    named.retain(|&word| !encoding.words[word].is_logic);
    let words = named.iter().map(|&word| vec![(1, word)]);
    let sums = named.iter().flat_map(|&word| templates.of_word(word)).cloned();
    let mut found: Vec<Terms> = Vec::new();
    for terms in words.chain(sums) {
        for terms in with_both_signs(&terms) {
            if !found.contains(&terms) {
                found.push(terms);
            }
        }
    }
    found.truncate(DIRECTIONS);
    found
}

/// A sum, and the one with all signs changed.
pub(super) fn with_both_signs(terms: &Terms) -> [Terms; 2] {
    [1, -1].map(|sign| terms.iter().map(|&(c, word)| (c * sign, word)).collect())
}
