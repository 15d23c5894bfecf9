//! The way back from the bits to the system that they were made from.
//!
//! Each register of the simplified system *is* a bit of an old state, and each of its inputs
//! determines a bit of an old input or of a state without next function. The simplification
//! also used facts: clauses over old states that are inductive together. Therefore
//!
//! - a trace is mapped bit by bit. Dropped bits are zero, and values that the old system
//!   determines (initial values that are expressions) are computed by the reference
//!   evaluator;
//! - an inductive invariant is mapped literal by literal, and the facts are added: in states
//!   where the facts hold, both systems make the same steps.
//!
//! Properties keep their numbers.

use std::sync::Arc;

use elinvar_ir::{
    ArrayValue, BitVec, Certificate, Evaluator, ExprId, Fact, Formula, Pool, PropertyId, Role,
    Sort, State, StateBit, Step, Trace, TransitionSystem, Value, Verdict, cone, import, zero_of,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::bitblast::size;
use super::ranking::bit_of;
use super::system::BitSystem;
use crate::lift::{Inexpressible, Lift};

/// A bit of a state or of an input, by the symbol's number in its list. The elements
/// of an array count one after another: bit i of address a is `a * width + i`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Bit {
    /// The number of the symbol.
    pub index: usize,
    /// The number of the bit within it.
    pub position: usize,
}

/// What an input of the new system decides in the old one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputOrigin {
    /// A bit of an input.
    Input(Bit),
    /// A bit of a state without next function, in the same cycle.
    State(Bit),
    /// A bit of a state without next function, in the cycle after.
    Next(Bit),
}

/// A bit of a state, or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Literal {
    /// The bit.
    pub bit: Bit,
    /// Is it the bit itself?
    pub positive: bool,
}

impl std::ops::Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        Literal { positive: !self.positive, ..self }
    }
}

/// A fact that holds in every reachable state of the old system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BitFact {
    /// The literal is true.
    Always(Literal),
    /// The bit equals the literal; the new system has at most the latter.
    Equal(Bit, Literal),
}

impl BitFact {
    /// The same, said of other bits.
    fn map(self, bit: impl Fn(Bit) -> Bit) -> Self {
        let literal = |l: Literal| Literal { bit: bit(l.bit), ..l };
        match self {
            BitFact::Always(l) => BitFact::Always(literal(l)),
            BitFact::Equal(b, l) => BitFact::Equal(bit(b), literal(l)),
        }
    }

    /// The states that it mentions.
    fn states(self) -> Vec<usize> {
        match self {
            BitFact::Always(literal) => vec![literal.bit.index],
            BitFact::Equal(bit, literal) => vec![bit.index, literal.bit.index],
        }
    }

    /// The fact as clauses.
    pub fn clauses(self) -> Vec<Vec<Literal>> {
        match self {
            BitFact::Always(literal) => vec![vec![literal]],
            BitFact::Equal(bit, literal) => {
                let bit = Literal { bit, positive: true };
                vec![vec![!bit, literal], vec![bit, !literal]]
            }
        }
    }
}

/// Maps evidence about a new system to evidence about an old one.
#[derive(Clone, Debug)]
pub struct BitLift {
    pub(super) old: Arc<TransitionSystem>,
    /// By input of the new system.
    pub(super) inputs: Vec<InputOrigin>,
    /// By state of the new system: the old bit that it is.
    pub(super) states: Vec<Bit>,
    /// By state of the new system.
    pub(super) symbols: Vec<ExprId>,
    /// The states of the new system that have no next function.
    pub(super) free: Vec<usize>,
    /// In the order in which they were found. Each mentions only bits that had not been
    /// replaced before.
    pub(super) facts: Vec<BitFact>,
    /// Further facts, by which gates were merged.
    pub(super) clauses: Vec<Vec<Literal>>,
}

impl BitLift {
    /// From a system of bits to itself.
    ///
    /// # Panics
    /// If there are words in the system.
    pub fn identity(system: &TransitionSystem) -> Self {
        let bit = |index| Bit { index, position: 0 };
        let inputs = (0..system.inputs().len()).map(|i| InputOrigin::Input(bit(i))).collect();
        let states = (0..system.states().len()).map(bit).collect();
        let symbols: Vec<ExprId> = system.states().iter().map(|state| state.symbol).collect();
        assert!(symbols.iter().all(|&s| system.pool().sort(s) == Sort::BOOL), "a system of bits");
        let free = system.free_states().to_vec();
        let old = Arc::new(system.clone());
        let (facts, clauses) = (Vec::new(), Vec::new());
        BitLift { old, inputs, states, symbols, free, facts, clauses }
    }

    /// First back through `later`, then through `self`: the way from the newest
    /// system to the oldest.
    pub fn then(self, later: BitLift) -> BitLift {
        let state = |bit: Bit| self.states[bit.index];
        let inputs = later.inputs.iter().map(|origin| match *origin {
            InputOrigin::Input(bit) => self.inputs[bit.index],
            InputOrigin::State(bit) => InputOrigin::State(state(bit)),
            InputOrigin::Next(bit) => InputOrigin::Next(state(bit)),
        });
        let inputs = inputs.collect();
        let states = later.states.iter().map(|&bit| state(bit)).collect();
        let further: Vec<BitFact> = later.facts.iter().map(|fact| fact.map(state)).collect();
        let mut facts = self.facts;
        facts.extend(further);
        let literal = |l: &Literal| Literal { bit: state(l.bit), ..*l };
        let clause = |clause: &Vec<Literal>| clause.iter().map(literal).collect();
        let further: Vec<Vec<Literal>> = later.clauses.iter().map(clause).collect();
        let mut clauses = self.clauses;
        clauses.extend(further);
        let BitLift { symbols, free, .. } = later;
        BitLift { old: self.old, inputs, states, symbols, free, facts, clauses }
    }

    /// The system that evidence is mapped to.
    pub fn old(&self) -> &TransitionSystem {
        &self.old
    }

    /// Which registers were merged, because of what holds in the old system's reachable
    /// states.
    pub fn facts(&self) -> &[BitFact] {
        &self.facts
    }

    /// All that was used of the old system's reachable states: clauses that are inductive
    /// together.
    pub fn fact_clauses(&self) -> impl Iterator<Item = Vec<Literal>> + '_ {
        let facts = self.facts.iter().flat_map(|fact| fact.clauses());
        facts.chain(self.clauses.iter().cloned())
    }

    /// The old bit that a state of the new system is.
    pub fn origin(&self, state: usize) -> Bit {
        self.states[state]
    }

    /// What became of the old bits: the way forward.
    pub fn forward(&self) -> Forward {
        let mut places = FxHashMap::default();
        for fact in &self.facts {
            match *fact {
                BitFact::Always(literal) => {
                    places.insert(literal.bit, Place::Constant(literal.positive));
                }
                BitFact::Equal(bit, literal) => {
                    places.insert(bit, Place::Same(literal));
                }
            }
        }
        for (state, &bit) in self.states.iter().enumerate() {
            places.insert(bit, Place::State(state));
        }
        Forward { places }
    }

    /// The verdict on a property of the old system. A proof states only those facts that may
    /// matter to the property: the bits may have been prepared for many others.
    pub fn verdict_on(&self, property: PropertyId, verdict: Verdict) -> Verdict {
        match &verdict {
            Verdict::Safe(
                proof @ (Certificate::Inductive { .. }
                | Certificate::Facts { .. }
                | Certificate::Formula(_)),
            ) => self.with_facts_about(property, proof).verdict(verdict),
            Verdict::Safe(Certificate::KInductive { .. } | Certificate::Ranking(_))
            | Verdict::Unsafe(_)
            | Verdict::Unknown(_) => self.verdict(verdict),
        }
    }

    /// The same with those facts only that mention a state which the property, the constraints,
    /// the proof or another one of these facts depends on. The others mention none of these
    /// states, so that the rest is as inductive as the whole.
    fn with_facts_about(&self, property: PropertyId, proof: &Certificate) -> BitLift {
        let old = &*self.old;
        let symbol = |state: usize| old.states()[state].symbol;
        let of_clause = |clause: &Vec<Literal>| clause.iter().map(|l| l.bit.index).collect();
        let of_facts = self.facts.iter().map(|fact| fact.states());
        let sets: Vec<Vec<usize>> = of_facts.chain(self.clauses.iter().map(of_clause)).collect();
        let mut sets_of: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for (number, states) in sets.iter().enumerate() {
            states.iter().for_each(|&state| sets_of.entry(state).or_default().push(number));
        }
        let mut is_kept = vec![false; sets.len()];
        let mut seen: FxHashSet<ExprId> = FxHashSet::default();
        let mut stack: Vec<ExprId> = old.property(property).bits().to_vec();
        stack.extend(old.constraints());
        let mentioned = self.mentioned(proof).into_iter();
        stack.extend(mentioned.map(|state| symbol(self.states[state].index)));
        while let Some(node) = stack.pop().map(ExprId::regular) {
            if !seen.insert(node) {
                continue;
            }
            if let Some(Role::State(state)) = old.role_of(node) {
                let State { init, next, .. } = old.states()[state];
                stack.extend(init.into_iter().chain(next));
                for &number in sets_of.get(&state).into_iter().flatten() {
                    if !std::mem::replace(&mut is_kept[number], true) {
                        stack.extend(sets[number].iter().map(|&state| symbol(state)));
                    }
                }
            }
            old.pool().for_each_operand(node, |operand| stack.push(operand));
        }
        let (of_facts, of_clauses) = is_kept.split_at(self.facts.len());
        BitLift {
            facts: chosen(&self.facts, of_facts),
            clauses: chosen(&self.clauses, of_clauses),
            ..self.clone()
        }
    }

    /// By symbol: the number of the state of the new system.
    fn numbers(&self) -> FxHashMap<ExprId, usize> {
        self.symbols.iter().enumerate().map(|(number, &symbol)| (symbol, number)).collect()
    }

    /// The states of the new system that a proof mentions.
    fn mentioned(&self, proof: &Certificate) -> Vec<usize> {
        let numbers = self.numbers();
        match proof {
            Certificate::Inductive { clauses } => {
                clauses.iter().flatten().map(|literal| numbers[&literal.state]).collect()
            }
            Certificate::Facts { clauses } => {
                let words = clauses.iter().flatten().flat_map(Fact::words);
                words.map(|word| numbers[&word.state]).collect()
            }
            Certificate::Formula(formula) => {
                let state = |role: &Role| match *role {
                    Role::State(state) => Some(state),
                    Role::Input(_) => None,
                };
                let nodes = cone(&formula.pool, [formula.expr]).into_iter();
                let symbols = nodes.filter_map(|node| formula.pool.as_symbol(node));
                symbols.filter_map(|symbol| state(&formula.symbols[symbol.index()])).collect()
            }
            Certificate::KInductive { .. } | Certificate::Ranking(_) => Vec::new(),
        }
    }

    /// What an input of the new system decides.
    pub fn input_origin(&self, input: usize) -> InputOrigin {
        self.inputs[input]
    }

    /// The initial values of all old states, from the bits that the new system has.
    fn initial(&self, states: &mut Bits, inputs: &[Value]) -> Vec<Value> {
        // A bit that was merged with another may have been that of an earlier fact.
        for fact in self.facts.iter().rev() {
            match *fact {
                BitFact::Always(literal) => states.set(literal.bit, literal.positive),
                BitFact::Equal(bit, literal) => {
                    let value = states.get(literal.bit) == literal.positive;
                    states.set(bit, value);
                }
            }
        }
        let old = &*self.old;
        let mut initial: Vec<Value> = (0..old.states().len()).map(|i| states.value(i)).collect();
        for &index in old.init_order() {
            let Some(init) = old.states()[index].init else { continue };
            initial[index] = match old.pool().const_value(init) {
                Some(constant) => constant.into(),
                None => evaluate(old.pool(), init, |symbol| {
                    match old.role_of(symbol).expect("a symbol") {
                        Role::Input(i) => inputs[i].clone(),
                        Role::State(i) => initial[i].clone(),
                    }
                }),
            };
        }
        initial
    }

    fn formula(&self, formula: &Formula) -> Certificate {
        let mut claim = Claim::new(&self.old);
        let mut conjuncts = vec![self.import(formula, &mut claim)];
        conjuncts.extend(self.fact_clauses().map(|clause| claim.clause(&clause)));
        claim.conjoin(conjuncts)
    }

    /// Facts about the states of the new system as a formula about them.
    fn claim_of(&self, clauses: &[Vec<Fact>]) -> Formula {
        let must = "a fact about bits of the new system";
        let mut pool = Pool::new();
        let bits = self.symbols.iter().map(|&s| (s, pool.symbol(Sort::BOOL, None).expect(must)));
        let bits: FxHashMap<ExprId, ExprId> = bits.collect();
        let mut expr = pool.bool(true);
        for clause in clauses {
            let facts = clause.iter().map(|fact| fact.rename(|state| bits[&state]));
            let facts: Vec<ExprId> =
                facts.map(|fact| fact.to_expr(&mut pool).expect(must)).collect();
            let any = pool.disjoin(facts).expect(must);
            expr = pool.and(expr, any).expect(must);
        }
        Formula { pool, expr, symbols: (0..self.symbols.len()).map(Role::State).collect() }
    }

    fn inductive(&self, clauses: Vec<Vec<Literal>>) -> Certificate {
        let pool = self.old.pool();
        let symbol = |l: &Literal| self.old.states()[l.bit.index].symbol;
        if clauses.iter().flatten().any(|l| pool.sort(symbol(l)).is_array()) {
            let mut claim = Claim::new(&self.old);
            let conjuncts = clauses.iter().map(|clause| claim.clause(clause)).collect();
            return claim.conjoin(conjuncts);
        }
        let state_bit = |l: &Literal| StateBit {
            state: symbol(l),
            bit: l.bit.position as u32,
            positive: l.positive,
        };
        let clauses = clauses.iter().map(|clause| clause.iter().map(state_bit).collect()).collect();
        Certificate::Inductive { clauses }
    }

    /// The formula of the new system over symbols of the old one.
    fn import(&self, formula: &Formula, claim: &mut Claim) -> ExprId {
        let mut meaning = FxHashMap::default();
        for node in cone(&formula.pool, [formula.expr]) {
            let Some(symbol) = formula.pool.as_symbol(node) else { continue };
            let old = match formula.symbols[symbol.index()] {
                Role::State(index) => claim.state_bit(self.states[index]),
                Role::Input(index) => match self.inputs[index] {
                    InputOrigin::Input(bit) => claim.bit(Role::Input(bit.index), bit.position),
                    InputOrigin::State(_) | InputOrigin::Next(_) => claim.pool.bool(false),
                },
            };
            meaning.insert(node, old);
        }
        import(&mut claim.pool, &formula.pool, formula.expr, &meaning)
    }
}

impl Lift for BitLift {
    type From = BitSystem;
    type To = TransitionSystem;

    fn trace(&self, trace: Trace) -> Trace {
        let old = &*self.old;
        let is_true = |value: &Value| value.bv().is_true();
        let mut inputs = Bits::new(old.pool(), old.inputs().iter().map(|input| input.symbol));
        let mut states = Bits::new(old.pool(), old.states().iter().map(|state| state.symbol));
        for (&bit, value) in self.states.iter().zip(&trace.initial) {
            states.set(bit, is_true(value));
        }
        let mut initial = Vec::new();
        let mut steps: Vec<Step> = Vec::with_capacity(trace.steps.len());
        for (cycle, step) in trace.steps.iter().enumerate() {
            for (&state, value) in self.free.iter().zip(&step.free) {
                states.set(self.states[state], is_true(value));
            }
            for (number, origin) in self.inputs.iter().enumerate() {
                match *origin {
                    InputOrigin::Input(bit) => inputs.set(bit, is_true(&step.inputs[number])),
                    InputOrigin::State(bit) => states.set(bit, is_true(&step.inputs[number])),
                    InputOrigin::Next(bit) if cycle > 0 => {
                        states.set(bit, is_true(&trace.steps[cycle - 1].inputs[number]));
                    }
                    InputOrigin::Next(_) => {}
                }
            }
            let inputs: Vec<Value> = (0..old.inputs().len()).map(|i| inputs.value(i)).collect();
            let free = if cycle == 0 {
                initial = self.initial(&mut states, &inputs);
                Vec::new()
            } else {
                old.free_states().iter().map(|&i| states.value(i)).collect()
            };
            steps.push(Step { inputs: inputs.into(), free });
        }
        Trace {
            property: trace.property,
            initial,
            steps: steps.into(),
            loop_start: trace.loop_start,
        }
    }

    /// Inductive clauses become clauses again, or a formula if they mention elements of
    /// memories. Facts become a formula, because they are sums of bits of words. The other
    /// kinds are passed on as claims about the old system, and the checker decides: a
    /// k-induction may depend on facts that it does not state, and in a formula that is
    /// quantified over an input that is a state of the old system, that input is zero.
    fn proof(&self, proof: Certificate) -> Result<Certificate, Inexpressible> {
        Ok(match proof {
            Certificate::Inductive { clauses } => {
                let facts = self.fact_clauses();
                let numbers = self.numbers();
                let literal = |l: &StateBit| Literal {
                    bit: self.states[numbers[&l.state]],
                    positive: l.positive,
                };
                let lifted = clauses.iter().map(|clause| clause.iter().map(literal).collect());
                self.inductive(facts.chain(lifted).collect())
            }
            Certificate::Facts { clauses } => self.formula(&self.claim_of(&clauses)),
            Certificate::KInductive { .. } => proof,
            Certificate::Formula(formula) => self.formula(&formula),
            Certificate::Ranking(ranking) => {
                Certificate::Ranking(Box::new(self.ranking(&ranking)?))
            }
        })
    }
}

/// The items that are marked.
fn chosen<T: Clone>(items: &[T], is_chosen: &[bool]) -> Vec<T> {
    items
        .iter()
        .zip(is_chosen)
        .filter(|(_, chosen)| **chosen)
        .map(|(item, _)| item.clone())
        .collect()
}

/// Maps bits of the old system to the new one.
pub struct Forward {
    places: FxHashMap<Bit, Place>,
}

#[derive(Clone, Copy)]
enum Place {
    State(usize),
    Same(Literal),
    Constant(bool),
}

/// An old literal in a new system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Image {
    /// A state, or its negation.
    State {
        /// The number of the state.
        index: usize,
        /// Is it the state itself?
        positive: bool,
    },
    /// It is always true, or always false.
    Constant(bool),
    /// The new system does not have it.
    Dropped,
}

impl Forward {
    /// What became of a literal.
    pub fn image(&self, literal: Literal) -> Image {
        let Literal { mut bit, mut positive } = literal;
        loop {
            match self.places.get(&bit) {
                Some(&Place::State(index)) => return Image::State { index, positive },
                Some(&Place::Constant(value)) => return Image::Constant(value == positive),
                // Facts speak of bits that were still there: this ends.
                Some(&Place::Same(other)) => {
                    bit = other.bit;
                    positive = positive == other.positive;
                }
                None => return Image::Dropped,
            }
        }
    }
}

/// The bits of a list of symbols; zero where nothing was set. Only symbols of which
/// a bit was set take room, so that a dropped memory may be of any size.
struct Bits {
    sorts: Vec<Sort>,
    start: Vec<Option<usize>>,
    bits: Vec<bool>,
}

impl Bits {
    fn new(pool: &Pool, symbols: impl Iterator<Item = ExprId>) -> Self {
        let sorts: Vec<Sort> = symbols.map(|symbol| pool.sort(symbol)).collect();
        Bits { start: vec![None; sorts.len()], sorts, bits: Vec::new() }
    }

    fn set(&mut self, bit: Bit, value: bool) {
        let start = *self.start[bit.index].get_or_insert_with(|| {
            let start = self.bits.len();
            self.bits.resize(start + size(self.sorts[bit.index]) as usize, false);
            start
        });
        self.bits[start + bit.position] = value;
    }

    fn get(&self, bit: Bit) -> bool {
        self.start[bit.index].is_some_and(|start| self.bits[start + bit.position])
    }

    fn value(&self, index: usize) -> Value {
        let sort = self.sorts[index];
        let Some(start) = self.start[index] else { return zero_of(sort) };
        let bits = &self.bits[start..start + size(sort) as usize];
        match sort {
            Sort::Bv(_) => BitVec::from_bits(bits.iter().copied()).into(),
            Sort::Array { index, element } => {
                let mut array = ArrayValue::constant(index, BitVec::zero(element));
                for (address, bits) in bits.chunks(element as usize).enumerate() {
                    let element = BitVec::from_bits(bits.iter().copied());
                    array.write(BitVec::new(index, address as u64), element);
                }
                array.into()
            }
        }
    }
}

/// The value of one expression; costs what its cone costs, not what the pool does.
fn evaluate(pool: &Pool, expr: ExprId, value: impl Fn(ExprId) -> Value) -> Value {
    let mut small = Pool::new();
    let (mut symbols, mut values) = (FxHashMap::default(), FxHashMap::default());
    for node in cone(pool, [expr]) {
        if pool.as_symbol(node).is_some() {
            let copy = small.symbol(pool.sort(node), None).expect("the sort of a symbol");
            symbols.insert(node, copy);
            values.insert(copy, value(node));
        }
    }
    let copy = import(&mut small, pool, expr, &symbols);
    let mut evaluator = Evaluator::new(&small, [copy]);
    evaluator.run(|symbol| values[&symbol].clone());
    evaluator.value(copy)
}

/// A formula about a system under construction.
struct Claim<'a> {
    system: &'a TransitionSystem,
    pool: Pool,
    symbols: Vec<Role>,
    inputs: FxHashMap<usize, ExprId>,
    states: FxHashMap<usize, ExprId>,
}

impl<'a> Claim<'a> {
    fn new(system: &'a TransitionSystem) -> Self {
        Claim {
            system,
            pool: Pool::new(),
            symbols: Vec::new(),
            inputs: FxHashMap::default(),
            states: FxHashMap::default(),
        }
    }

    fn symbol(&mut self, role: Role) -> ExprId {
        let (table, index, original) = match role {
            Role::Input(index) => (&mut self.inputs, index, self.system.inputs()[index].symbol),
            Role::State(index) => (&mut self.states, index, self.system.states()[index].symbol),
        };
        *table.entry(index).or_insert_with(|| {
            self.symbols.push(role);
            let sort = self.system.pool().sort(original);
            self.pool.symbol(sort, None).expect("the sort of a symbol")
        })
    }

    fn bit(&mut self, role: Role, position: usize) -> ExprId {
        let symbol = self.symbol(role);
        bit_of(&mut self.pool, symbol, position)
    }

    fn state_bit(&mut self, bit: Bit) -> ExprId {
        self.bit(Role::State(bit.index), bit.position)
    }

    fn clause(&mut self, clause: &[Literal]) -> ExprId {
        let must = "bits";
        let mut any = self.pool.bool(false);
        for literal in clause {
            let bit = self.state_bit(literal.bit);
            let bit = if literal.positive { bit } else { self.pool.not(bit).expect(must) };
            any = self.pool.or(any, bit).expect(must);
        }
        any
    }

    fn conjoin(mut self, conjuncts: Vec<ExprId>) -> Certificate {
        let expr = self.pool.conjoin(conjuncts).expect("bits");
        Certificate::Formula(Box::new(Formula { pool: self.pool, expr, symbols: self.symbols }))
    }
}
