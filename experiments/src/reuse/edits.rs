//! Small random edits of a system that keep what is true of its properties, as people
//! and their tools make them between two proofs.
//!
//! Each keeps the paths of the old registers and inputs, up to what is added: so even
//! the lengths of shortest counterexamples stay. Initial values are left alone but for
//! what a proof cannot depend on.

use clap::ValueEnum;
use elinvar_ir::{
    BitVec, Expr, ExprId, Input, PropertyKind, Rng, Sort, State, SystemBuilder, TransitionSystem,
    cone, substitute,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::restructure::{forms, resize};

/// What is done to a system.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Edit {
    /// A few gates are written in another way
    Restructure,
    /// There is one more register, which no property depends on
    AddRegister,
    /// A few registers have another name, or a name
    Rename,
    /// A constant, an initial value or a complement is another, where no property
    /// depends on it
    UnrelatedConstant,
    /// There are more registers, which are read where the properties depend on it; but
    /// to no effect
    AddReadRegister,
    /// An input is the conjunction of two
    MaskInput,
    /// All registers and inputs have longer names, as in a larger hierarchy
    RenameAll,
}

impl Edit {
    pub const ALL: [Edit; 7] = [
        Edit::Restructure,
        Edit::AddRegister,
        Edit::Rename,
        Edit::UnrelatedConstant,
        Edit::AddReadRegister,
        Edit::MaskInput,
        Edit::RenameAll,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Edit::Restructure => "restructure",
            Edit::AddRegister => "add-register",
            Edit::Rename => "rename",
            Edit::UnrelatedConstant => "unrelated-constant",
            Edit::AddReadRegister => "add-read-register",
            Edit::MaskInput => "mask-input",
            Edit::RenameAll => "rename-all",
        }
    }
}

/// The system after an edit, or none if it has nothing that could be edited so.
pub fn edit(system: &TransitionSystem, edit: Edit, rng: &mut Rng) -> Option<TransitionSystem> {
    let mut editor = Editor::new(system, rng);
    match edit {
        Edit::Restructure => editor.restructure()?,
        Edit::AddRegister => {
            editor.add_register();
        }
        Edit::Rename => editor.rename()?,
        Edit::UnrelatedConstant => editor.unrelated_constant(),
        Edit::AddReadRegister => editor.add_read_register()?,
        Edit::MaskInput => editor.mask_input()?,
        Edit::RenameAll => editor.rename_all()?,
    }
    Some(editor.builder.finish().expect("edits keep systems well-formed"))
}

const SORTS: &str = "operands are made to fit";

struct Editor<'a> {
    builder: SystemBuilder,
    /// The symbols of the registers on which a property or a constraint depends.
    related: FxHashSet<ExprId>,
    rng: &'a mut Rng,
}

/// Where expressions are replaced.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Everywhere,
    /// Initial values stay: they might come to depend on themselves.
    AfterStart,
}

impl<'a> Editor<'a> {
    fn new(system: &TransitionSystem, rng: &'a mut Rng) -> Self {
        let builder = system.clone().into_builder();
        let states = system.cone_of_influence(judged(&builder));
        let related = states.into_iter().map(|state| system.states()[state].symbol).collect();
        Editor { builder, related, rng }
    }

    // ---- names --------------------------------------------------------------------

    fn rename(&mut self) -> Option<()> {
        let symbols: Vec<ExprId> = self.builder.states.iter().map(|state| state.symbol).collect();
        if symbols.is_empty() {
            return None;
        }
        for _ in 0..1 + self.rng.below(4) {
            let symbol = self.rng.pick(&symbols);
            let old = self.name_of(symbol).unwrap_or("register");
            let new = self.unused_name(&format!("{old}_renamed"));
            self.set_name(symbol, &new);
        }
        Some(())
    }

    fn rename_all(&mut self) -> Option<()> {
        let inputs = self.builder.inputs.iter().map(|input| ("input", input.symbol));
        let states = self.builder.states.iter().map(|state| ("register", state.symbol));
        let symbols: Vec<_> = inputs.chain(states).collect();
        if symbols.is_empty() {
            return None;
        }
        for (number, (kind, symbol)) in symbols.into_iter().enumerate() {
            let old = self.name_of(symbol).map_or(format!("{kind}{number}"), str::to_owned);
            self.set_name(symbol, &format!("wrapper.{old}"));
        }
        Some(())
    }

    fn name_of(&self, symbol: ExprId) -> Option<&str> {
        let pool = &self.builder.pool;
        pool.as_symbol(symbol).and_then(|symbol| pool.symbol_name(symbol))
    }

    fn set_name(&mut self, symbol: ExprId, name: &str) {
        let symbol = self.builder.pool.as_symbol(symbol).expect("a symbol");
        self.builder.pool.rename(symbol, name);
    }

    fn unused_name(&self, wish: &str) -> String {
        let pool = &self.builder.pool;
        let used: FxHashSet<&str> = (0..pool.symbol_count())
            .filter_map(|number| pool.symbol_name(pool.nth_symbol(number)))
            .collect();
        let mut names = std::iter::once(wish.to_owned())
            .chain((1usize..).map(|number| format!("{wish}{number}")));
        names.find(|name| !used.contains(&name[..])).expect("names do not end")
    }

    // ---- registers ----------------------------------------------------------------

    /// A register whose value depends on others, at any place in their order: its number.
    fn add_register(&mut self) -> usize {
        let words = self.words(|_| true);
        let width = if words.is_empty() { 1 } else { self.word_width(&words) };
        let register = self.declare(width);
        let mut next = register;
        for _ in 0..2 + self.rng.below(3) {
            let other = self.signal(&words, width).unwrap_or(register);
            let choice = self.signal(&words, 1);
            let pool = &mut self.builder.pool;
            let built = match (self.rng.below(3), choice) {
                (0, Some(choice)) => pool.ite(choice, other, next),
                (1, _) => pool.and(next, other).and_then(|both| pool.not(both)),
                _ => pool.xor(next, other),
            };
            next = built.expect(SORTS);
        }
        let init = match self.rng.below(3) {
            0 => None,
            1 => Some(BitVec::zero(width)),
            _ => Some(self.rng.bitvec(width)),
        };
        self.define(register, init, next)
    }

    fn add_read_register(&mut self) -> Option<()> {
        let moving = |state: &&State| {
            self.related.contains(&state.symbol)
                && state.next.is_some_and(|next| next != state.symbol)
        };
        let targets: Vec<ExprId> =
            self.builder.states.iter().filter(moving).map(|state| state.symbol).collect();
        if targets.is_empty() {
            return None;
        }
        let target = self.rng.pick(&targets);
        let never = self.never();
        let number = self.number_of(target);
        let SystemBuilder { pool, states, .. } = &mut self.builder;
        let next = states[number].next.expect("chosen for it");
        states[number].next = Some(pool.ite(never, target, next).expect(SORTS));
        Some(())
    }

    /// A bit that is never true, for a reason in new registers.
    fn never(&mut self) -> ExprId {
        let words = self.words(|symbol| self.related.contains(&symbol));
        let zero = || Some(BitVec::zero(1));
        let first = self.declare(1);
        let signal = self.signal(&words, 1).unwrap_or(first);
        match self.rng.below(3) {
            // A bit that could only ever be cleared.
            0 => {
                let next = self.builder.pool.and_bits(first, signal);
                self.define(first, zero(), next);
                first
            }
            // The same signal, delayed twice, differs from itself.
            1 => {
                let second = self.declare(1);
                self.define(first, zero(), signal);
                self.define(second, zero(), signal);
                self.builder.pool.xor(first, second).expect(SORTS)
            }
            // Phases 00, 10, 01, 00: no two at once.
            _ => {
                let second = self.declare(1);
                let some = self.builder.pool.or(first, second).expect(SORTS);
                let none = self.builder.pool.not_bit(some);
                self.define(first, zero(), none);
                self.define(second, zero(), first);
                self.builder.pool.and_bits(first, second)
            }
        }
    }

    /// A new register, named if others are.
    fn declare(&mut self, width: u32) -> ExprId {
        let named = self.builder.states.iter().any(|state| self.name_of(state.symbol).is_some());
        let name = named.then(|| self.unused_name("added"));
        let symbol = self.builder.pool.symbol(Sort::Bv(width), name.as_deref()).expect(SORTS);
        let place = self.rng.below(self.builder.states.len() + 1);
        self.builder.states.insert(place, State { symbol, init: None, next: None });
        symbol
    }

    fn define(&mut self, register: ExprId, init: Option<BitVec>, next: ExprId) -> usize {
        let number = self.number_of(register);
        let init = init.map(|value| self.builder.pool.constant(value));
        self.builder.states[number] = State { symbol: register, init, next: Some(next) };
        number
    }

    fn number_of(&self, register: ExprId) -> usize {
        let states = &mut self.builder.states.iter();
        states.position(|state| state.symbol == register).expect("a register")
    }

    // ---- inputs -------------------------------------------------------------------

    /// x → x & y for a new y. As y is free, x & y takes the values that x took.
    fn mask_input(&mut self) -> Option<()> {
        let logic = self.logic();
        let inputs = self.builder.inputs.iter().map(|input| input.symbol);
        let word = |&symbol: &ExprId| !self.builder.pool.sort(symbol).is_array();
        let used = |symbol: &ExprId| logic.binary_search(symbol).is_ok();
        let inputs: Vec<ExprId> = inputs.filter(word).filter(used).collect();
        if inputs.is_empty() {
            return None;
        }
        let input = self.rng.pick(&inputs);
        let name = self.name_of(input).map(|name| self.unused_name(&format!("{name}_enable")));
        let pool = &mut self.builder.pool;
        let symbol = pool.symbol(pool.sort(input), name.as_deref()).expect(SORTS);
        let masked = pool.and(input, symbol).expect(SORTS);
        let place = self.rng.below(self.builder.inputs.len() + 1);
        self.builder.inputs.insert(place, Input { symbol });
        self.replace(input, masked, Scope::Everywhere);
        Some(())
    }

    // ---- logic --------------------------------------------------------------------

    fn restructure(&mut self) -> Option<()> {
        let mut changed = None;
        for _ in 0..1 + self.rng.below(3) {
            changed = self.restructure_gate().or(changed);
        }
        changed
    }

    fn restructure_gate(&mut self) -> Option<()> {
        /// Some gates have no other form, and some forms are rewritten to the gate.
        const ATTEMPTS: usize = 50;
        let (leaves, gates): (Vec<ExprId>, Vec<ExprId>) =
            self.logic().into_iter().partition(|&node| self.is_leaf(node));
        let words: Vec<ExprId> = leaves.into_iter().filter(|&leaf| self.is_word(leaf)).collect();
        if gates.is_empty() {
            return None;
        }
        for _ in 0..ATTEMPTS {
            let gate = self.rng.pick(&gates);
            let Some(width) = self.builder.pool.sort(gate).width() else { continue };
            let Some(signal) = self.signal(&words, width) else { continue };
            let forms = forms(&mut self.builder.pool, gate, signal).unwrap_or_default();
            if !forms.is_empty() {
                let form = self.rng.pick(&forms);
                if self.replace(gate, form, Scope::AfterStart) {
                    return Some(());
                }
            }
        }
        None
    }

    fn unrelated_constant(&mut self) {
        let unrelated = |number: &usize| {
            let state = self.builder.states[*number];
            !self.related.contains(&state.symbol)
                && !self.builder.pool.sort(state.symbol).is_array()
        };
        let numbers: Vec<usize> = (0..self.builder.states.len()).filter(unrelated).collect();
        let number = match numbers[..] {
            [] => self.add_register(),
            _ => self.rng.pick(&numbers),
        };
        let State { symbol, init, next } = self.builder.states[number];
        let changes = self.changes(init, next);
        if changes.is_empty() {
            // It takes any value in every cycle: let it start at one.
            let value = self.rng.bitvec(self.builder.pool.width(symbol));
            self.builder.states[number].init = Some(self.builder.pool.constant(value));
            return;
        }
        let (init, next) = match self.rng.pick(&changes) {
            Change::Init(init) => (Some(self.other_constant(init)), next),
            Change::Complement(next) => (init, Some(self.builder.pool.not(next).expect(SORTS))),
            Change::Constant { next, constant } => {
                let other = FxHashMap::from_iter([(constant, self.other_constant(constant))]);
                (init, Some(substitute(&mut self.builder.pool, &[next], &other)[0]))
            }
        };
        self.builder.states[number] = State { symbol, init, next };
    }

    /// What could be another constant in a register.
    fn changes(&self, init: Option<ExprId>, next: Option<ExprId>) -> Vec<Change> {
        let pool = &self.builder.pool;
        let mut changes: Vec<Change> =
            init.filter(|&init| pool.is_const(init)).map(Change::Init).into_iter().collect();
        if let Some(next) = next {
            changes.push(Change::Complement(next));
            let constants = cone(pool, [next]).into_iter().filter(|&node| pool.is_const(node));
            changes.extend(constants.map(|constant| Change::Constant { next, constant }));
        }
        changes
    }

    fn other_constant(&mut self, constant: ExprId) -> ExprId {
        let old = self.builder.pool.const_value(constant).expect("a constant");
        let new = self.rng.bitvec(old.width());
        self.builder.pool.constant(if new == old { old.not() } else { new })
    }

    /// What the properties depend on in any cycle, in the order of the pool.
    fn logic(&self) -> Vec<ExprId> {
        let states = self.builder.states.iter();
        let related = states.filter(|state| self.related.contains(&state.symbol));
        let next = related.filter_map(|state| state.next);
        cone(&self.builder.pool, judged(&self.builder).into_iter().chain(next))
    }

    /// The inputs and registers that are words, of those wanted.
    fn words(&self, wanted: impl Fn(ExprId) -> bool) -> Vec<ExprId> {
        let inputs = self.builder.inputs.iter().map(|input| input.symbol);
        let states = self.builder.states.iter().map(|state| state.symbol);
        inputs.chain(states).filter(|&symbol| self.is_word(symbol) && wanted(symbol)).collect()
    }

    fn is_leaf(&self, node: ExprId) -> bool {
        matches!(self.builder.pool.get(node), Expr::Const(_) | Expr::Symbol(_))
    }

    /// Is this an input or a register, but no memory?
    fn is_word(&self, node: ExprId) -> bool {
        let pool = &self.builder.pool;
        matches!(pool.get(node), Expr::Symbol(_)) && !pool.sort(node).is_array()
    }

    fn word_width(&mut self, words: &[ExprId]) -> u32 {
        let word = self.rng.pick(words);
        self.builder.pool.width(word)
    }

    /// One of the words in the wanted width, possibly complemented.
    fn signal(&mut self, words: &[ExprId], width: u32) -> Option<ExprId> {
        if words.is_empty() {
            return None;
        }
        let word = self.rng.pick(words);
        let pool = &mut self.builder.pool;
        let signal = resize(pool, word, width).expect(SORTS);
        Some(if self.rng.one_in(2) { pool.not(signal).expect(SORTS) } else { signal })
    }

    /// Puts one expression in place of another. Has anything changed?
    fn replace(&mut self, old: ExprId, new: ExprId, scope: Scope) -> bool {
        let SystemBuilder {
            pool, states, constraints, properties, fairness, outputs, labels, ..
        } = &mut self.builder;
        let mut places: Vec<&mut ExprId> = Vec::new();
        for State { init, next, .. } in states {
            places.extend(next);
            places.extend(init.as_mut().filter(|_| scope == Scope::Everywhere));
        }
        places.extend(constraints.iter_mut().chain(fairness));
        for property in properties {
            match &mut property.kind {
                PropertyKind::Bad(bad) => places.push(bad),
                PropertyKind::Justice(conditions) => places.extend(conditions),
            }
        }
        places.extend(outputs.iter_mut().chain(labels).map(|named| &mut named.expr));
        let before: Vec<ExprId> = places.iter().map(|place| **place).collect();
        let after = substitute(pool, &before, &FxHashMap::from_iter([(old, new)]));
        for (place, &new) in places.into_iter().zip(&after) {
            *place = new;
        }
        before != after
    }
}

/// What could be changed in a register without a property noticing.
#[derive(Clone, Copy)]
enum Change {
    /// This initial value.
    Init(ExprId),
    /// The complement in front of this next function.
    Complement(ExprId),
    /// A constant in it.
    Constant { next: ExprId, constant: ExprId },
}

/// What the verdicts are about: properties, constraints and fairness.
fn judged(builder: &SystemBuilder) -> Vec<ExprId> {
    let mut roots: Vec<ExprId> =
        builder.constraints.iter().chain(&builder.fairness).copied().collect();
    for property in &builder.properties {
        match &property.kind {
            PropertyKind::Bad(bad) => roots.push(*bad),
            PropertyKind::Justice(conditions) => roots.extend(conditions),
        }
    }
    roots
}

#[cfg(test)]
mod tests {
    use elinvar_formats::same_system;
    use elinvar_models::{Generator, Outcome, Shape, search};

    use super::*;

    const SHAPES: [Shape; 3] = [Shape::BITS, Shape::WORDS, Shape::ARRAYS];

    /// A register that no property depends on, after one that the property is about.
    fn two_registers() -> TransitionSystem {
        let mut b = SystemBuilder::new();
        let input = b.input(Sort::BOOL, Some("go")).unwrap();
        for name in ["judged", "free"] {
            b.state(Sort::BOOL, Some(name)).unwrap();
        }
        let [judged, free] = [0, 1].map(|number| b.states[number].symbol);
        for number in 0..2 {
            b.states[number].init = Some(b.pool.bool(false));
        }
        b.states[0].next = Some(b.pool.and_bits(judged, input));
        b.states[1].next = Some(b.pool.and_bits(free, judged));
        b.bad("p", judged);
        b.finish().unwrap()
    }

    #[test]
    fn edits_change_systems_and_keep_their_verdicts() {
        let mut searched = [0; Edit::ALL.len()];
        let (mut safe, mut deep) = (0, 0);
        for seed in 0..240 {
            let system = Generator::system(seed, SHAPES[seed as usize % SHAPES.len()]);
            let Ok(truth) = search(&system, 20_000) else { continue };
            safe += truth.iter().filter(|(_, outcome)| *outcome == Outcome::Safe).count();
            deep += truth.iter().filter(|(_, o)| matches!(o, Outcome::Unsafe(1..))).count();
            for (number, kind) in Edit::ALL.into_iter().enumerate() {
                let Some(edited) = edit(&system, kind, &mut Rng::new(seed)) else { continue };
                assert!(!same_system(&system, &edited), "seed {seed}: {kind:?} changed nothing");
                if let Ok(found) = search(&edited, 200_000) {
                    assert_eq!(found, truth, "seed {seed}: {kind:?}");
                    searched[number] += 1;
                }
            }
        }
        assert!(searched.iter().all(|&count| count > 80), "{searched:?}");
        assert!(safe > 50 && deep > 10, "{safe} {deep}");
    }

    #[test]
    fn edits_are_the_same_for_the_same_seed() {
        let system = two_registers();
        for kind in Edit::ALL {
            let draw = |seed| edit(&system, kind, &mut Rng::new(seed)).unwrap();
            assert!(same_system(&draw(1), &draw(1)), "{kind:?}");
        }
    }

    #[test]
    fn constants_change_only_where_no_property_sees_it() {
        let system = two_registers();
        for seed in 0..20 {
            let edited = edit(&system, Edit::UnrelatedConstant, &mut Rng::new(seed)).unwrap();
            assert_eq!(edited.states()[0], system.states()[0]);
            assert_ne!(edited.states()[1], system.states()[1]);
        }
        let mut b = system.into_builder();
        let free = b.states[1].symbol;
        b.properties[0].kind = PropertyKind::Bad(free);
        let system = b.finish().unwrap();
        let edited = edit(&system, Edit::UnrelatedConstant, &mut Rng::new(1)).unwrap();
        assert_eq!(edited.states().len(), 3, "there is nothing unrelated but a new register");
    }

    #[test]
    fn registers_are_added_at_any_place_and_read_or_not() {
        let system = two_registers();
        let mut places = FxHashSet::default();
        for seed in 0..40 {
            let edited = edit(&system, Edit::AddRegister, &mut Rng::new(seed)).unwrap();
            let bads = |system: &TransitionSystem| system.bads().map(|(_, bad)| bad).collect();
            let behind = |system: &TransitionSystem| {
                let roots: Vec<ExprId> = bads(system);
                system.cone_of_influence(roots).len()
            };
            assert_eq!(behind(&edited), 1);
            places.extend((0..3).find(|&place| edited.state_name(place) == "added"));
            let edited = edit(&system, Edit::AddReadRegister, &mut Rng::new(seed)).unwrap();
            assert!(behind(&edited) >= 2, "seed {seed}");
        }
        assert_eq!(places.len(), 3);
    }

    #[test]
    fn names_are_new_and_stay_apart() {
        let system = two_registers();
        let names = |system: &TransitionSystem| [0, 1].map(|number| system.state_name(number));
        for seed in 0..20 {
            let renamed = names(&edit(&system, Edit::Rename, &mut Rng::new(seed)).unwrap());
            assert!(renamed != names(&system) && renamed[0] != renamed[1], "{renamed:?}");
        }
        let all = edit(&system, Edit::RenameAll, &mut Rng::new(0)).unwrap();
        assert_eq!(names(&all), ["wrapper.judged", "wrapper.free"]);
        assert_eq!(all.input_name(0), "wrapper.go");
    }

    #[test]
    fn there_may_be_nothing_to_edit() {
        let mut b = SystemBuilder::new();
        let bad = b.pool.bool(false);
        b.bad("p", bad);
        let system = b.finish().unwrap();
        let possible = |&kind: &Edit| edit(&system, kind, &mut Rng::new(0)).is_some();
        let possible: Vec<Edit> = Edit::ALL.into_iter().filter(possible).collect();
        assert_eq!(possible, [Edit::AddRegister, Edit::UnrelatedConstant]);
    }
}
