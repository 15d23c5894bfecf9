//! Expansion of blocked polytopes beyond dropping inequalities: inequalities are combined,
//! and bounds are moved.
//!
//! Every point of a box satisfies Σ c·x ≥ b, where b is the least value of the sum in the
//! box: a half-space that contains the box. If it is blocked, too, a relation between
//! words has been found, such as x₁ + x₂ ≥ 4. Half-spaces that are blocked for ever are
//! preferred to all else, and their bounds are moved towards the initial states as far as
//! that stays true.

use dashu_int::IBig;

use super::atom::{Atom, Known, Shape, Terms, sum};
use super::circuit::{Init, WordInfo};
use super::domain::Words;
use crate::pdr::cube::Cube;
use crate::pdr::domain::{Asked, Domain, Level};

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

pub(super) fn widen(domain: &mut Words, cube: Cube<Atom>, level: usize) -> Asked<Cube<Atom>> {
    if domain.atoms.shapes(cube.atoms()).all(Shape::is_bit) {
        return Ok(cube);
    }
    let mut best = cube.atoms().to_vec();
    if let Some(core) = domain.is_blocked(Level::Infinite, &best)? {
        best = core;
        if best.len() == 1 {
            return move_bounds(domain, best).map(Cube::new);
        }
    }
    let mut fallback: Option<Vec<Atom>> = None;
    for candidate in candidates(domain, &best) {
        let support: Vec<usize> = candidate.terms.iter().map(|&(_, word)| word).collect();
        let others = best
            .iter()
            .copied()
            .filter(|&atom| !domain.atoms.shape(atom).words().any(|word| support.contains(&word)));
        let others: Vec<Atom> = others.collect();
        let mut contexts = vec![Vec::new()];
        contexts.extend((!others.is_empty()).then_some(others));
        let kept = best
            .iter()
            .filter(|&&atom| domain.atoms.shape(atom).words().any(|w| support.contains(&w)));
        contexts.extend(kept.take(CONTEXTS).map(|&atom| vec![atom]));
        for context in &contexts {
            for shape in domain.variants(&candidate)? {
                let atom = domain.atoms.atom(shape);
                let unit: Vec<Atom> = context.iter().copied().chain([atom]).collect();
                if domain.meets_initial(&unit) {
                    if context.is_empty() {
                        domain.try_with_flags(atom)?;
                    }
                    continue;
                }
                if let Some(core) = domain.is_blocked(Level::Infinite, &unit)? {
                    domain.statistics.combined += 1;
                    return move_bounds(domain, core).map(Cube::new);
                }
                let shorter = fallback.as_ref().map_or(best.len(), Vec::len);
                if unit.len() < shorter
                    && let Some(core) = domain.is_blocked(Level::Finite(level - 1), &unit)?
                {
                    fallback = Some(core);
                }
            }
        }
    }
    if domain.is_excluded_by_more(&best)? {
        domain.statistics.combined += 1;
        return Ok(Cube::new(best));
    }
    if let Some(unit) = fallback {
        domain.statistics.combined += 1;
        best = unit;
    }
    Ok(Cube::new(best))
}

/// Sums that may separate the unit from what is reachable.
fn candidates(domain: &Words, unit: &[Atom]) -> Vec<Candidate> {
    let words = &domain.words;
    let mut known = Known::new(words, domain.atoms.shapes(unit));
    let named: Vec<usize> = domain.atoms.shapes(unit).flat_map(Shape::words).collect();
    known.close(words, &domain.equations);
    let mut involved: Vec<usize> = named.iter().copied().chain(known.words()).collect();
    involved.sort_unstable();
    involved.dedup();
    involved.retain(|&word| !words[word].is_logic);
    let mut found = Vec::new();
    let mut sums: Vec<Terms> = Vec::new();
    // Words that only equations speak of.
    sums.extend(involved.iter().filter(|word| !named.contains(word)).map(|&word| vec![(1, word)]));
    for &word in &involved {
        for &index in domain.templates.by_word.get(word).map_or(&[][..], Vec::as_slice) {
            let terms = &domain.templates.directions[index];
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
    for terms in sums {
        for sign in [1, -1] {
            let terms: Terms = terms.iter().map(|&(c, word)| (c * sign, word)).collect();
            let bound = known.least(words, &terms);
            if bound > Known::default().least(words, &terms) {
                found.push(Candidate { terms, bound });
            }
        }
    }
    found.truncate(ATTEMPTS);
    found
}

impl Words {
    /// A candidate with the bounds to be tried: as far as the initial states allow, and
    /// just so that it contains the unit.
    fn variants(&mut self, candidate: &Candidate) -> Asked<Vec<Shape>> {
        let Candidate { terms, bound } = candidate;
        let mut shapes = Vec::new();
        let next = self.greatest_initial(terms)? + IBig::ONE;
        if next < *bound {
            shapes.push(Shape::sum_at_least(terms, &next));
        }
        shapes.push(Shape::sum_at_least(terms, bound));
        Ok(shapes)
    }

    /// The greatest value of a sum in the initial states.
    pub(super) fn greatest_initial(&mut self, terms: &Terms) -> Asked<IBig> {
        let is_constant =
            |&(_, word): &(i64, usize)| matches!(self.words[word].init, Init::Constant(_));
        if terms.iter().all(is_constant) {
            return Ok(sum(terms, |word| self.words[word].reading.of(&self.origin[word])));
        }
        if let Some(known) = self.initial_bounds.get(terms) {
            return Ok(known.clone());
        }
        // Some initial state has `low`, none has more than `high`.
        let mut low = Known::default().least(&self.words, terms);
        let mut high = greatest(&self.words, terms);
        while low < high {
            let middle: IBig = floor_half(&(&low + &high + IBig::ONE));
            let atom = self.atoms.atom(Shape::sum_at_least(terms, &middle));
            if self.meets_initial(&[atom]) {
                low = middle;
            } else {
                high = middle - IBig::ONE;
            }
        }
        self.initial_bounds.insert(terms.clone(), low.clone());
        Ok(low)
    }

    /// Looks for more that holds for ever; true if that excludes the unit.
    fn is_excluded_by_more(&mut self, unit: &[Atom]) -> Asked<bool> {
        self.guess_again()?;
        for terms in self.directions(unit) {
            self.find_nearest(&terms)?;
        }
        self.is_excluded(unit)
    }

    /// A half-space with initial states may have no reachable state where a flag is no
    /// longer as it was.
    fn try_with_flags(&mut self, atom: Atom) -> Asked<()> {
        let flag = |(word, info): (usize, &WordInfo)| match &info.init {
            Init::Constant(value) if info.width == 1 => {
                Some(Shape::Bit { word, bit: 0, value: value.is_zero() })
            }
            Init::Constant(_) | Init::Free | Init::Expression(_) => None,
        };
        let flags: Vec<Shape> = self.words.iter().enumerate().filter_map(flag).collect();
        for flag in flags.into_iter().take(FLAGS) {
            let unit = [self.atoms.atom(flag), atom];
            if let Some(core) = self.is_blocked(Level::Infinite, &unit)? {
                self.establish(Cube::new(core));
                self.statistics.combined += 1;
            }
        }
        Ok(())
    }

    /// Sums that have something to do with the unit.
    fn directions(&self, unit: &[Atom]) -> Vec<Terms> {
        let mut named: Vec<usize> = self.atoms.shapes(unit).flat_map(Shape::words).collect();
        named.sort_unstable();
        named.dedup();
        named.retain(|&word| !self.words[word].is_logic);
        let mut found: Vec<Terms> = Vec::new();
        let mut add = |terms: Terms| {
            for sign in [1, -1] {
                let terms: Terms = terms.iter().map(|&(c, word)| (c * sign, word)).collect();
                if !found.contains(&terms) {
                    found.push(terms);
                }
            }
        };
        for &word in &named {
            add(vec![(1, word)]);
        }
        for &word in &named {
            let templates = self.templates.by_word.get(word).map_or(&[][..], Vec::as_slice);
            templates.iter().for_each(|&index| add(self.templates.directions[index].clone()));
        }
        found.truncate(DIRECTIONS);
        found
    }

    /// Establishes the half-space in a direction that has no reachable state and is next
    /// to the initial states, as far as can be proved now.
    fn find_nearest(&mut self, terms: &Terms) -> Asked<()> {
        let forever = self.forever();
        if let Some((size, found)) = self.nearest.get(terms)
            && (*size == forever || *found)
        {
            return Ok(());
        }
        let initial = self.greatest_initial(terms)?;
        let greatest = greatest(&self.words, terms);
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
        self.nearest.insert(terms.clone(), (forever, good.is_some()));
        if let Some((_, atom)) = good {
            self.establish(Cube::new(vec![atom]));
            self.statistics.combined += 1;
        }
        Ok(())
    }

    fn try_half_space(&mut self, terms: &Terms, bound: &IBig) -> Asked<Option<Atom>> {
        let atom = self.atoms.atom(Shape::sum_at_least(terms, bound));
        Ok(self.is_blocked(Level::Infinite, &[atom])?.map(|_| atom))
    }
}

/// Moves the bounds of a unit that is blocked for ever, one by one, as far towards the
/// initial states as it stays so.
fn move_bounds(domain: &mut Words, mut unit: Vec<Atom>) -> Asked<Vec<Atom>> {
    for position in 0..unit.len() {
        let Some(&atom) = unit.get(position) else { break };
        let Shape::AtMost { terms, bound } = domain.atoms.shape(atom).clone() else { continue };
        let negated: Terms = terms.iter().map(|&(c, word)| (-c, word)).collect();
        let initial = domain.greatest_initial(&negated)?;
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
            moved[position] = domain.atoms.atom(shape);
            if !domain.meets_initial(&moved)
                && domain.is_blocked(Level::Infinite, &moved)?.is_some()
            {
                unit = moved;
                good = middle;
                domain.statistics.moved += 1;
            } else {
                refused = middle;
            }
        }
    }
    Ok(unit)
}

/// The greatest value that a sum can have at all.
pub(super) fn greatest(words: &[WordInfo], terms: &Terms) -> IBig {
    let negated: Terms = terms.iter().map(|&(c, word)| (-c, word)).collect();
    -Known::default().least(words, &negated)
}

/// Half of a number, rounded down.
fn floor_half(number: &IBig) -> IBig {
    number >> 1
}
