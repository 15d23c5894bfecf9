//! The signals of a model by their names: inputs, registers, and the wires that the model names.

use std::collections::{BTreeMap, VecDeque};

use elinvar_formats::names::path;
use elinvar_ir::{ExprId, PropertyId, PropertyKind, Role, Sort, TransitionSystem};

/// What a signal is in the model.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// An input that is a clock: every cycle is one period of it.
    Clock,
    /// Another input.
    Input,
    /// A register or a memory.
    Register,
    /// A net between them that has a name.
    Wire,
    /// The bit of a property, which is set where an assertion fails or a cover statement is
    /// reached.
    Property,
}

/// A signal of a model.
///
/// ```
/// use elinvar::readable::nets::{Kind, all};
/// let text = "1 sort bitvec 4\n2 input 1 step\n3 state 1 count\n4 add 1 2 3 sum\n5 next 1 3 4\n";
/// let problem = elinvar::Problem::parse("count.btor2", text)?.as_system()?;
/// let nets = all(problem.system());
/// let names: Vec<(&str, Kind)> = nets.iter().map(|net| (&net.name[..], net.kind)).collect();
/// assert_eq!(names, [("step", Kind::Input), ("count", Kind::Register), ("sum", Kind::Wire)]);
/// # Ok::<(), elinvar::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Net {
    /// Its name, with the scopes before it: `fifo.count`.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Its expression, or the bits of a word, the lowest first, that are separate signals of
    /// the model.
    pub parts: Vec<ExprId>,
    /// False if the model has no name for it, or one that a tool made up.
    pub is_named: bool,
    /// How far it is from the property, if that is known and depends on it.
    pub distance: Option<Distance>,
}

impl Net {
    fn new(name: String, kind: Kind, expr: ExprId, is_named: bool) -> Self {
        Net { name, kind, parts: vec![expr], is_named, distance: None }
    }

    /// The sort of its values.
    pub fn sort(&self, system: &TransitionSystem) -> Sort {
        match self.parts[..] {
            [expr] => system.pool().sort(expr),
            _ => Sort::Bv(self.parts.len() as u32),
        }
    }
}

/// All signals, in the order of the model: inputs, states, labels and outputs. Signals with the
/// same name and the same value are listed once.
pub fn all(system: &TransitionSystem) -> Vec<Net> {
    let pool = system.pool();
    let is_named = |symbol: ExprId| {
        let name = pool.as_symbol(symbol).and_then(|symbol| pool.symbol_name(symbol));
        name.is_some_and(is_users_name)
    };
    let mut nets = Vec::new();
    for (i, input) in system.inputs().iter().enumerate() {
        let kind = if system.clocks().contains(&i) { Kind::Clock } else { Kind::Input };
        let name = system.input_name(i);
        nets.push(Net::new(name, kind, input.symbol, is_named(input.symbol)));
    }
    for (i, state) in system.states().iter().enumerate() {
        let name = system.state_name(i);
        nets.push(Net::new(name, Kind::Register, state.symbol, is_named(state.symbol)));
    }
    for wire in system.labels().iter().chain(system.outputs()) {
        let is_named = is_users_name(&wire.name);
        nets.push(Net::new(wire.name.clone(), Kind::Wire, wire.expr, is_named));
    }
    let mut seen = std::collections::BTreeSet::new();
    nets.retain(|net| seen.insert((net.name.clone(), net.parts.clone())));
    nets
}

/// Names of Yosys with a `$` are its own.
fn is_users_name(name: &str) -> bool {
    !path(name).iter().any(|scope| scope.starts_with('$'))
}

/// Bits that are called like the bits of a word (`data[0]`, `data[1]`, …) become that word,
/// `data[7:0]`, at the place of the first of them.
pub fn gather_words(system: &TransitionSystem, nets: Vec<Net>) -> Vec<Net> {
    let mut words: BTreeMap<(Kind, &str), Bits> = BTreeMap::new();
    for (place, net) in nets.iter().enumerate() {
        if let Some((word, index)) = bit_of_word(system, net) {
            words.entry((net.kind, word)).or_default().insert(index, place);
        }
    }
    let mut gathered: BTreeMap<usize, Net> = BTreeMap::new();
    let mut taken = vec![false; nets.len()];
    for ((_, word), bits) in &words {
        if is_range(bits) {
            let first = *bits.values().min().expect("a word has bits");
            gathered.insert(first, join(word, bits, &nets));
            bits.values().for_each(|&place| taken[place] = true);
        }
    }
    let alone = nets.into_iter().enumerate().filter(|(place, _)| !taken[*place]);
    gathered.extend(alone);
    gathered.into_values().collect()
}

/// The bits of a word: by index, their places in the list of signals.
type Bits = BTreeMap<u32, usize>;

/// `name[index]`, when the signal is a bit.
fn bit_of_word<'a>(system: &TransitionSystem, net: &'a Net) -> Option<(&'a str, u32)> {
    let (word, index) = net.name.strip_suffix(']')?.rsplit_once('[')?;
    let canonical = index == "0" || !index.starts_with('0');
    let digits = !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit());
    let is_bit = net.sort(system) == Sort::BOOL;
    if is_bit && digits && canonical { Some((word, index.parse().ok()?)) } else { None }
}

/// Two bits or more, without gaps.
fn is_range(bits: &Bits) -> bool {
    let (Some((low, _)), Some((high, _))) = (bits.first_key_value(), bits.last_key_value()) else {
        return false;
    };
    bits.len() > 1 && (high - low) as usize + 1 == bits.len()
}

fn join(word: &str, bits: &Bits, nets: &[Net]) -> Net {
    let members = || bits.values().map(|&place| &nets[place]);
    let (low, high) = (bits.keys().min().expect("bits"), bits.keys().max().expect("bits"));
    Net {
        name: format!("{word}[{high}:{low}]"),
        kind: members().next().expect("bits").kind,
        parts: members().flat_map(|net| net.parts.iter().copied()).collect(),
        is_named: members().any(|net| net.is_named),
        distance: members().filter_map(|net| net.distance).min(),
    }
}

/// Removes signals that always have the value of another one in the list: of these, the first
/// one stays.
pub fn without_aliases(nets: Vec<Net>) -> Vec<Net> {
    let mut seen = std::collections::BTreeSet::new();
    nets.into_iter().filter(|net| seen.insert(net.parts.clone())).collect()
}

/// How far a signal is from a property.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Distance {
    /// How many registers are between them.
    pub registers: usize,
    /// How many operators are between the signal and the property, or the next register.
    pub operators: usize,
}

/// The bits that a property is about: its bad state, or what holds infinitely often if it fails.
pub fn roots(system: &TransitionSystem, property: PropertyId) -> Vec<ExprId> {
    match system.properties().get(property.0).map(|property| &property.kind) {
        Some(PropertyKind::Bad(bad)) => vec![*bad],
        Some(PropertyKind::Justice(own)) => [system.fairness(), own].concat(),
        // A simulated system may have no property at all.
        None => Vec::new(),
    }
}

/// Notes how far signals are from the nearest root, where one depends on them.
pub fn measure(system: &TransitionSystem, roots: &[ExprId], nets: &mut [Net]) {
    let distances = distances(system, roots);
    for net in nets {
        net.distance = net.parts.iter().filter_map(|part| distances[part.node()]).min();
    }
}

/// By expression: how far it is from the nearest root.
fn distances(system: &TransitionSystem, roots: &[ExprId]) -> Vec<Option<Distance>> {
    let pool = system.pool();
    let mut distances: Vec<Option<Distance>> = vec![None; pool.len()];
    let mut layer = roots.iter().copied().collect::<VecDeque<ExprId>>();
    let mut registers = 0;
    while !layer.is_empty() {
        let mut beyond = VecDeque::new();
        let mut queue: VecDeque<(ExprId, usize)> = layer.iter().map(|&expr| (expr, 0)).collect();
        while let Some((expr, operators)) = queue.pop_front() {
            let distance = &mut distances[expr.node()];
            if distance.is_some() {
                continue;
            }
            *distance = Some(Distance { registers, operators });
            match system.role_of(expr.regular()) {
                Some(Role::State(index)) => {
                    let state = system.states()[index];
                    beyond.extend(state.init.into_iter().chain(state.next));
                }
                Some(Role::Input(_)) => {}
                None => {
                    pool.for_each_operand(expr, |operand| {
                        queue.push_back((operand, operators + 1))
                    });
                }
            }
        }
        (layer, registers) = (beyond, registers + 1);
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar_ir::SystemBuilder;

    /// A system of bits with these names.
    fn registers(names: &[&str]) -> TransitionSystem {
        let mut b = SystemBuilder::new();
        for name in names {
            b.state(Sort::BOOL, Some(name)).unwrap();
        }
        b.finish().unwrap()
    }

    fn names(nets: &[Net]) -> Vec<&str> {
        nets.iter().map(|net| net.name.as_str()).collect()
    }

    #[test]
    fn bits_become_words() {
        let system = registers(&[
            "x", "w[2]", "w[0]", "w[1]", "gap[0]", "gap[2]", "one[7]", "z[01]", "z[2]",
        ]);
        let nets = gather_words(&system, all(&system));
        assert_eq!(names(&nets), ["x", "w[2:0]", "gap[0]", "gap[2]", "one[7]", "z[01]", "z[2]"]);
        let symbol = |state: usize| system.states()[state].symbol;
        assert_eq!(nets[1].parts, [symbol(2), symbol(3), symbol(1)]);
        assert_eq!(nets[1].sort(&system), Sort::Bv(3));
    }

    /// a ← b ← x, and y beside it.
    #[test]
    fn distances_count_registers_before_operators() {
        let mut b = SystemBuilder::new();
        let x = b.input(Sort::BOOL, Some("x")).unwrap();
        b.input(Sort::BOOL, Some("y")).unwrap();
        let first = b.state(Sort::BOOL, Some("a")).unwrap();
        let second = b.state(Sort::BOOL, Some("b")).unwrap();
        b.states[0].next = Some(second);
        b.states[1].next = Some(b.pool.and(x, second).unwrap());
        b.bad("p", first);
        let system = b.finish().unwrap();
        let mut nets = all(&system);
        measure(&system, &[first], &mut nets);
        let distances: Vec<_> =
            nets.iter().map(|net| net.distance.map(|d| (d.registers, d.operators))).collect();
        assert_eq!(distances, [Some((2, 1)), None, Some((0, 0)), Some((1, 0))]);
    }

    #[test]
    fn wires_are_listed_once_and_aliases_can_be_left_out() {
        let text = "1 sort bitvec 1\n2 input 1 clk\n3 input 1 $anyseq$1\n4 state 1 q\n\
                    5 not 1 4 nq\n6 output 5 nq\n7 output 5 other\n8 output 4 u.q\n9 state 1\n";
        let system = elinvar_formats::btor2::read(text.as_bytes()).unwrap().system;
        let nets = all(&system);
        assert_eq!(names(&nets), ["clk", "$anyseq$1", "q", "state1", "nq", "other", "u.q"]);
        let named: Vec<bool> = nets.iter().map(|net| net.is_named).collect();
        assert_eq!(named, [true, false, true, false, true, true, true]);
        assert_eq!(nets[0].kind, Kind::Clock);
        let nets = without_aliases(nets);
        assert_eq!(names(&nets), ["clk", "$anyseq$1", "q", "state1", "nq"]);
    }
}
