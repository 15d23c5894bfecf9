//! Expansion of proof obligations by simulation (section 3.3 of the paper).
//!
//! A point with a way to a goal becomes a box or a Boolean cube around it: region after
//! region is proposed, and accepted if the simulated values of all expressions, with the
//! inputs fixed, still show that the goal is reached: check (1) for bad states, check (2)
//! for states that step into another unit. The constraints are part of both. So every
//! state of the result reaches the goal with these inputs.

use dashu_int::IBig;
use dashu_int::ops::BitTest;
use elinvar_ir::{BitVec, ExprId, TransitionSystem};
use elinvar_logic::simulation::{Abstract, Kind, Simulation};
use rustc_hash::FxHashMap;

use super::atom::{Atom, Atoms, Shape, Terms, bits, excludes_residue};
use super::circuit::WordInfo;

/// How many proposals one expansion may cost before it looks at whole words only.
const PROPOSALS: usize = 4_000;

/// What the states of a unit have to reach.
pub(super) enum Goal<'a> {
    Bad(ExprId),
    /// The next state satisfies all of these.
    Next(Vec<&'a Shape>),
}

/// What is chosen in one step.
#[derive(Debug)]
pub(crate) struct StepInputs {
    /// By input; those that matter.
    pub inputs: Vec<Option<BitVec>>,
    /// By word: its next value, if any may follow.
    pub free: Vec<Option<BitVec>>,
}

/// The values that a unit allows for one word.
#[derive(Clone, PartialEq, Debug)]
enum Region {
    Range(IBig, IBig),
    /// Which bits are known, and their values.
    Bits(BitVec, BitVec),
}

pub(super) struct Expander {
    kind: Kind,
    simulation: Simulation,
    /// By symbol: what it is, and its width.
    symbols: FxHashMap<ExprId, (Symbol, u32)>,
    constraints: Vec<ExprId>,
    proposals: usize,
}

#[derive(Clone, Copy)]
enum Symbol {
    Word(usize),
    Input(usize),
}

/// What an expansion is about.
pub(super) struct Question<'a> {
    pub words: &'a [WordInfo],
    pub point: &'a [BitVec],
    pub choice: &'a StepInputs,
    pub goal: &'a Goal<'a>,
    /// The words, those first that had better be free.
    pub order: &'a [usize],
    pub is_cube: bool,
}

/// A unit, and the binary logarithm of the number of its states: of a point it is zero.
pub(super) struct Expansion {
    pub atoms: Vec<Atom>,
    pub volume: f64,
}

impl Expander {
    pub fn new(kind: Kind, system: &TransitionSystem, words: &[WordInfo], bads: &[ExprId]) -> Self {
        let pool = system.pool();
        let next = words.iter().filter_map(|word| word.next);
        let constraints = system.constraints().to_vec();
        let roots = next.chain(bads.iter().copied()).chain(constraints.iter().copied());
        let simulation = Simulation::new(kind, pool, roots);
        let inputs = system.inputs().iter().enumerate().filter_map(|(index, input)| {
            let width = pool.sort(input.symbol).width()?;
            Some((input.symbol, (Symbol::Input(index), width)))
        });
        let symbols = words
            .iter()
            .enumerate()
            .map(|(index, word)| (word.symbol, (Symbol::Word(index), word.width)))
            .chain(inputs)
            .collect();
        Expander { kind, simulation, symbols, constraints, proposals: 0 }
    }

    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// A unit around the point. None if not even the point is seen to reach the goal.
    pub fn expand(&mut self, question: &Question<'_>, atoms: &mut Atoms) -> Option<Expansion> {
        let &Question { words, point, choice, .. } = question;
        let kind = self.kind;
        let symbols = &self.symbols;
        self.simulation.assign_all(|symbol| {
            let (meaning, width) = symbols[&symbol];
            let value = match meaning {
                Symbol::Word(word) => Some(&point[word]),
                Symbol::Input(input) => choice.inputs[input].as_ref(),
            };
            value.map_or_else(|| kind.top(width), |value| kind.point(value))
        });
        if !self.reaches(question) {
            return None;
        }
        self.proposals = 0;
        let mut regions: Vec<Option<Region>> = vec![None; words.len()];
        for &word in question.order {
            let info = &words[word];
            if self.accept(question, word, kind.top(info.width)) {
                continue;
            }
            regions[word] = if question.is_cube || info.is_logic {
                Some(self.free_bits(question, word))
            } else {
                Some(self.move_bounds(question, word))
            };
        }
        Some(describe(words, &regions, atoms))
    }

    fn accept(&mut self, question: &Question<'_>, word: usize, value: Abstract) -> bool {
        self.proposals += 1;
        self.simulation.assign(question.words[word].symbol, value);
        let accepted = self.reaches(question);
        if accepted {
            self.simulation.commit();
        } else {
            self.simulation.undo();
        }
        accepted
    }

    /// Checks (1) and (2).
    fn reaches(&self, question: &Question<'_>) -> bool {
        let is_true = |&id: &ExprId| self.simulation.value(id).is_true();
        let reached = match question.goal {
            Goal::Bad(bad) => is_true(bad),
            Goal::Next(shapes) => shapes.iter().all(|shape| self.leads_into(question, shape)),
        };
        reached && self.constraints.iter().all(is_true)
    }

    fn leads_into(&self, question: &Question<'_>, shape: &Shape) -> bool {
        let next = |word: usize| match question.words[word].next {
            Some(next) => self.simulation.value(next),
            None => {
                let value = question.choice.free[word].as_ref();
                self.kind.point(value.expect("a value was chosen for what is free"))
            }
        };
        let ranges = |terms: &Terms| {
            let (mut low, mut high) = (IBig::ZERO, IBig::ZERO);
            for &(c, word) in terms {
                let (l, h) = next(word).range(question.words[word].reading);
                let (l, h) = if c > 0 { (l, h) } else { (h, l) };
                low += l * c;
                high += h * c;
            }
            (low, high)
        };
        match shape {
            Shape::Bit { word, bit, value } => next(*word).bit(*bit) == Some(*value),
            Shape::AtMost { terms, bound } => ranges(terms).1 <= *bound,
            Shape::Differs { terms, width, value } => {
                let (low, high) = ranges(terms);
                excludes_residue(&low, &high, *width, value)
            }
        }
    }

    /// Frees as many bits of a word as possible: halves first, then halves of these.
    fn free_bits(&mut self, question: &Question<'_>, word: usize) -> Region {
        let width = question.words[word].width;
        let value = question.point[word].clone();
        let mut known = BitVec::ones(width);
        let mut parts = vec![(0, width)];
        while let Some((start, end)) = parts.pop() {
            let whole = end - start == width;
            if self.proposals > PROPOSALS && !whole {
                continue;
            }
            let outside = BitVec::from_bits((0..width).map(|bit| !(start..end).contains(&bit)));
            let fewer = known.and(&outside);
            if !whole {
                let proposal = self.kind.from_bits(&fewer, &value);
                if self.accept(question, word, proposal) {
                    known = fewer;
                    continue;
                }
            }
            if end - start > 1 {
                let middle = start + (end - start) / 2;
                parts.extend([(start, middle), (middle, end)]);
            }
        }
        Region::Bits(known, value)
    }

    /// Relaxes both bounds of a word as far as possible, by bisection.
    fn move_bounds(&mut self, question: &Question<'_>, word: usize) -> Region {
        let info = &question.words[word];
        let value = info.reading.of(&question.point[word]);
        let (least, greatest) = info.extremes();
        let (mut low, mut high) = (value.clone(), value);
        high = self.move_bound(question, word, high, greatest, |bound| (low.clone(), bound));
        low = self.move_bound(question, word, low, least, |bound| (bound, high.clone()));
        Region::Range(low, high)
    }

    /// The bound nearest to the limit that is accepted.
    fn move_bound(
        &mut self,
        question: &Question<'_>,
        word: usize,
        mut good: IBig,
        limit: IBig,
        range: impl Fn(IBig) -> (IBig, IBig),
    ) -> IBig {
        let info = &question.words[word];
        let kind = self.kind;
        let try_bound = |this: &mut Self, bound: &IBig| {
            let (low, high) = range(bound.clone());
            let (low, high) = (bits(&low, info.width), bits(&high, info.width));
            this.accept(question, word, kind.from_range(info.reading, &low, &high))
        };
        if good == limit || try_bound(self, &limit) {
            return limit;
        }
        let mut refused = limit;
        while self.proposals <= PROPOSALS {
            let middle: IBig = (&good + &refused) / IBig::from(2);
            if middle == good || middle == refused {
                break;
            }
            if try_bound(self, &middle) {
                good = middle;
            } else {
                refused = middle;
            }
        }
        good
    }
}

/// The atoms of the regions.
fn describe(words: &[WordInfo], regions: &[Option<Region>], atoms: &mut Atoms) -> Expansion {
    let mut unit = Vec::new();
    let mut volume = 0.0;
    for (word, region) in regions.iter().enumerate() {
        let info = &words[word];
        match region {
            None => volume += f64::from(info.width),
            Some(Region::Bits(known, value)) => {
                volume += f64::from(info.width - known.count_ones());
                for bit in (0..info.width).filter(|&bit| known.bit(bit)) {
                    unit.push(atoms.atom(Shape::Bit { word, bit, value: value.bit(bit) }));
                }
            }
            Some(Region::Range(low, high)) => {
                volume += binary_logarithm(&(high - low + IBig::ONE));
                let (least, greatest) = info.extremes();
                if *low > least {
                    unit.push(atoms.atom(Shape::at_least(word, low.clone())));
                }
                if *high < greatest {
                    unit.push(atoms.atom(Shape::at_most(word, high.clone())));
                }
            }
        }
    }
    Expansion { atoms: unit, volume }
}

/// Of a positive number.
fn binary_logarithm(number: &IBig) -> f64 {
    let length = number.bit_len();
    let shift = length.saturating_sub(53);
    let leading = u64::try_from(number >> shift).expect("53 bits");
    (leading as f64).log2() + shift as f64
}
