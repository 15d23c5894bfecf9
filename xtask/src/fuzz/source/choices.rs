//! The choices of runs: all of them one after the other, or random ones.

use std::rc::Rc;

use super::evaluate::{Chooser, Typed};
use super::random::Random;
use super::syntax::*;
use super::value::{self, Map, Ratio, Value};

pub struct Choices {
    way: Way,
    /// Was something left out that a run could have chosen?
    pub incomplete: bool,
    /// Integers worth trying.
    integers: Vec<i128>,
}

enum Way {
    /// Each decision with the number of its alternatives. A run repeats those known and takes the
    /// first alternative of new ones.
    All {
        decisions: Vec<(usize, usize)>,
        at: usize,
    },
    Random(Random),
}

impl Choices {
    pub fn all(program: &Program) -> Self {
        let way = Way::All { decisions: Vec::new(), at: 0 };
        Choices { way, incomplete: false, integers: integers(program) }
    }

    pub fn random(program: &Program, seed: u64) -> Self {
        let way = Way::Random(Random::new(seed));
        Choices { way, incomplete: true, integers: integers(program) }
    }

    pub fn is_random(&self) -> bool {
        matches!(self.way, Way::Random(_))
    }

    /// Is the run beyond what an earlier run has done?
    pub fn is_fresh(&self) -> bool {
        match &self.way {
            Way::All { decisions, at } => *at == decisions.len(),
            Way::Random(_) => false,
        }
    }

    /// Goes on to the next run; false if there is none.
    pub fn advance(&mut self) -> bool {
        let Way::All { decisions, at } = &mut self.way else { return true };
        *at = 0;
        while let Some((chosen, count)) = decisions.last_mut() {
            *chosen += 1;
            if chosen < count {
                return true;
            }
            decisions.pop();
        }
        false
    }

    /// One of so many alternatives.
    pub fn choose(&mut self, count: usize) -> usize {
        if count == 1 {
            return 0;
        }
        match &mut self.way {
            Way::All { decisions, at } => {
                if *at == decisions.len() {
                    decisions.push((0, count));
                }
                *at += 1;
                decisions[*at - 1].0
            }
            Way::Random(random) => random.below(count),
        }
    }
}

impl Chooser for Choices {
    fn value(&mut self, ty: &Type, known: &[Typed<'_>]) -> Value {
        if let Way::Random(random) = &mut self.way {
            return Sampler { random, integers: &self.integers, known }.value(ty);
        }
        match value::all(ty) {
            Some(mut values) => values.swap_remove(self.choose(values.len())),
            None => {
                self.incomplete = true;
                Value::zero(ty)
            }
        }
    }
}

/// The integers of the program and their neighbours, and those around zero.
fn integers(program: &Program) -> Vec<i128> {
    let mut found = vec![-1, 0, 1, 2];
    for expr in program.expressions() {
        expr.visit(&mut |inner| {
            if let ExprKind::Int(number) = inner.kind {
                let number = i128::from(number);
                found.extend([number - 1, number, number + 1, -number]);
            }
        });
    }
    found.sort_unstable();
    found.dedup();
    found
}

struct Sampler<'s> {
    random: &'s mut Random,
    integers: &'s [i128],
    known: &'s [Typed<'s>],
}

impl Sampler<'_> {
    /// A value of the type, often one that is known already, so that equations hold.
    fn value(&mut self, ty: &Type) -> Value {
        if self.random.chance(35) {
            let same: Vec<&Value> =
                self.known.iter().filter(|(known, _)| *known == ty).map(|(_, v)| *v).collect();
            if !same.is_empty() {
                return (*self.random.pick(&same)).clone();
            }
        }
        match ty {
            Type::Bool => Value::Bool(self.random.chance(50)),
            Type::Int => Value::Int(*self.random.pick(self.integers)),
            Type::Real => {
                let halves = *self.random.pick(self.integers);
                let denominator = if self.random.chance(50) { 1 } else { 2 };
                Value::Real(Ratio::new(halves, denominator).expect("the numbers are small"))
            }
            Type::Word(width) => self.word(*width),
            Type::Named(number) => Value::Element(*number, self.random.below(3) as u32),
            Type::Map(indices, element) => self.map(indices, element),
        }
    }

    fn word(&mut self, width: u32) -> Value {
        let ones = (1_u128 << width) - 1;
        let bits = match self.random.below(5) {
            0 => 0,
            1 => 1,
            2 => ones,
            3 => 1 << (width - 1),
            _ => u128::from(self.random.next()),
        };
        Value::Word(width, bits & ones)
    }

    fn map(&mut self, indices: &[Type], element: &Type) -> Value {
        let mut map = Map::constant(indices, self.value(element));
        let writes = self.random.below(4);
        for _ in 0..writes {
            let index = indices.iter().map(|index| self.value(index)).collect();
            map.write(index, self.value(element));
        }
        Value::Map(Rc::new(map))
    }
}
