//! Evidence as text, about the normal form of a property.
//!
//! ```text
//! clauses 2             facts 1                       trace 2
//! -0.3 1.0              l:7:1*0u,-2*1@01s b:1@00:3:1  = 0101 0;01=1
//! 2.7                                                 @ 1 00
//!                                                     @ 0 01 | 1
//! ```
//!
//! A literal of a clause is a state, a bit of it, and a minus sign if the bit is not set. A fact
//! is a bit (`b:STATE:BIT:VALUE`), an inequality (`l:BOUND:TERMS`) or an equation
//! (`m:WIDTH:VALUE:=:TERMS`, or `!` for `=`); a term is a factor, a state, an address if the state
//! is a memory, and `u` or `s` for unsigned or signed. A trace has the values of all states, then
//! for each cycle those of the inputs and those of the states without next value; the loop of a
//! liveness property begins at the cycle after `loop`. All other proofs are text certificates
//! ([`elinvar_formats::certificate`]) about a system with the inputs and states of the normal form.
//!
//! What is read may be anything: it is checked like the evidence of an engine.

use std::cell::OnceCell;
use std::fmt::Write;

use elinvar_formats::certificate::{self, Proof, TextCertificate};
use elinvar_ir::{
    ArrayValue, BitVec, Certificate, ExprId, Fact, Formula, LinearTerm, PropertyId, Ranking,
    RankingSymbol, Reading, Role, Simulator, Sort, StateBit, Step, SystemBuilder, Trace,
    TransitionSystem, Value, Values, Verdict, Word, cone, zero_of,
};
use rustc_hash::FxHashMap;

use super::normal::Normal;

/// Evidence as text.
pub(super) struct Written {
    pub text: Vec<u8>,
    /// Were clauses left out that mention states outside of the cone? Then it is not known
    /// whether the rest is a proof.
    pub is_cut: bool,
}

/// Evidence about a property of `system` as text about its normal form; nothing if it has parts
/// outside of the cone that cannot be left out.
pub(super) fn write(
    system: &TransitionSystem,
    normal: &Normal,
    verdict: &Verdict,
) -> Option<Written> {
    let places = Places::new(system, normal);
    let whole = |text| Written { text, is_cut: false };
    match verdict {
        Verdict::Safe(Certificate::Inductive { clauses }) => Some(places.write_clauses(clauses)),
        Verdict::Safe(Certificate::Facts { clauses }) => Some(places.write_facts(clauses)),
        Verdict::Safe(certificate) => places.write_certificate(certificate).map(whole),
        Verdict::Unsafe(trace) => Some(whole(places.write_trace(trace).into_bytes())),
        Verdict::Unknown(_) => None,
    }
}

/// Evidence about the normal form of a property as evidence about `system`. Nothing if the text
/// does not fit.
pub(super) fn read(
    system: &TransitionSystem,
    property: PropertyId,
    normal: &Normal,
    text: &[u8],
) -> Option<Verdict> {
    let source = text;
    let text = std::str::from_utf8(text).ok()?;
    let mut lines = text.lines();
    let mut words = lines.next()?.split(' ');
    let places = Places::new(system, normal);
    match words.next()? {
        "clauses" => {
            let count = number(words.next()?)?;
            let clause = |line: &str| {
                line.split(' ').filter(|word| !word.is_empty()).map(|l| places.literal(l)).collect()
            };
            let clauses: Vec<Vec<StateBit>> = lines.map(clause).collect::<Option<_>>()?;
            (clauses.len() == count).then_some(Verdict::Safe(Certificate::Inductive { clauses }))
        }
        "facts" => {
            let count = number(words.next()?)?;
            let clause = |line: &str| {
                line.split(' ').filter(|word| !word.is_empty()).map(|f| places.fact(f)).collect()
            };
            let clauses: Vec<Vec<Fact>> = lines.map(clause).collect::<Option<_>>()?;
            (clauses.len() == count).then_some(Verdict::Safe(Certificate::Facts { clauses }))
        }
        // The numbers of a proof of another version need not be complete.
        "trace" if normal.states.iter().all(|&state| state < system.states().len()) => {
            let cycles = number(words.next()?)?;
            let loop_start = match (words.next(), words.next()) {
                (None, None) => None,
                (Some("loop"), Some(start)) => Some(number(start)?),
                (Some(_), _) | (None, Some(_)) => return None,
            };
            let trace = places.read_trace(property, lines, loop_start)?;
            (trace.steps.len() == cycles).then_some(Verdict::Unsafe(trace))
        }
        _ => places.read_certificate(source).map(Verdict::Safe),
    }
}

fn number(word: &str) -> Option<usize> {
    word.parse().ok()
}

/// The numbers of the normal form and what they are in the system.
struct Places<'a> {
    system: &'a TransitionSystem,
    normal: &'a Normal,
    /// The numbers of inputs and states in the normal form, when they were asked for.
    inputs: OnceCell<FxHashMap<usize, usize>>,
    states: OnceCell<FxHashMap<usize, usize>>,
}

fn inverse(list: &[usize]) -> FxHashMap<usize, usize> {
    list.iter().enumerate().map(|(number, &index)| (index, number)).collect()
}

impl<'a> Places<'a> {
    fn new(system: &'a TransitionSystem, normal: &'a Normal) -> Self {
        Places { system, normal, inputs: OnceCell::new(), states: OnceCell::new() }
    }

    /// The number of an input in the normal form, by its number in the system.
    fn input_number(&self, index: usize) -> Option<usize> {
        self.inputs.get_or_init(|| inverse(&self.normal.inputs)).get(&index).copied()
    }

    /// The same for a state.
    fn state_number(&self, index: usize) -> Option<usize> {
        self.states.get_or_init(|| inverse(&self.normal.states)).get(&index).copied()
    }

    /// The number of a state in the normal form.
    fn number(&self, symbol: ExprId) -> Option<usize> {
        match self.system.role_of(symbol)? {
            Role::State(index) => self.state_number(index),
            Role::Input(_) => None,
        }
    }

    /// The symbol of a state of the normal form.
    fn symbol(&self, word: &str) -> Option<ExprId> {
        Some(self.system.states().get(*self.normal.states.get(number(word)?)?)?.symbol)
    }

    // ---- clauses -------------------------------------------------------------------------

    fn write_clauses(&self, clauses: &[Vec<StateBit>]) -> Written {
        let literal = |literal: &StateBit| {
            let sign = if literal.positive { "" } else { "-" };
            Some(format!("{sign}{}.{}", self.number(literal.state)?, literal.bit))
        };
        lines_of("clauses", clauses, literal)
    }

    fn literal(&self, word: &str) -> Option<StateBit> {
        let (positive, rest) = match word.strip_prefix('-') {
            Some(rest) => (false, rest),
            None => (true, word),
        };
        let (state, bit) = rest.split_once('.')?;
        Some(StateBit { state: self.symbol(state)?, bit: bit.parse().ok()?, positive })
    }

    // ---- facts ---------------------------------------------------------------------------

    fn write_facts(&self, clauses: &[Vec<Fact>]) -> Written {
        lines_of("facts", clauses, |fact: &Fact| {
            Some(match fact {
                Fact::Bit { word, bit, value } => {
                    format!("b:{}:{bit}:{}", self.write_word(word)?, u8::from(*value))
                }
                Fact::AtMost { terms, bound } => format!("l:{bound}:{}", self.write_terms(terms)?),
                Fact::Modular { terms, width, value, equal } => {
                    let sign = if *equal { "=" } else { "!" };
                    format!("m:{width}:{value}:{sign}:{}", self.write_terms(terms)?)
                }
            })
        })
    }

    fn write_word(&self, word: &Word) -> Option<String> {
        let state = self.number(word.state)?;
        Some(match &word.element {
            Some(address) => format!("{state}@{}", address.to_binary()),
            None => state.to_string(),
        })
    }

    fn write_terms(&self, terms: &[LinearTerm]) -> Option<String> {
        let term = |term: &LinearTerm| {
            let reading = match term.reading {
                Reading::Signed => "s",
                Reading::Unsigned => "u",
            };
            Some(format!("{}*{}{reading}", term.coefficient, self.write_word(&term.word)?))
        };
        Some(terms.iter().map(term).collect::<Option<Vec<String>>>()?.join(","))
    }

    fn fact(&self, text: &str) -> Option<Fact> {
        let (kind, rest) = text.split_once(':')?;
        match kind {
            "b" => {
                let (rest, value) = rest.rsplit_once(':')?;
                let (word, bit) = rest.rsplit_once(':')?;
                let value = match value {
                    "0" => false,
                    "1" => true,
                    _ => return None,
                };
                Some(Fact::Bit { word: self.word(word)?, bit: bit.parse().ok()?, value })
            }
            "l" => {
                let (bound, terms) = rest.split_once(':')?;
                Some(Fact::AtMost { terms: self.terms(terms)?, bound: bound.parse().ok()? })
            }
            "m" => {
                let (width, rest) = rest.split_once(':')?;
                let (value, rest) = rest.split_once(':')?;
                let (sign, terms) = rest.split_once(':')?;
                let equal = match sign {
                    "=" => true,
                    "!" => false,
                    _ => return None,
                };
                let (width, value) = (width.parse().ok()?, value.parse().ok()?);
                Some(Fact::Modular { terms: self.terms(terms)?, width, value, equal })
            }
            _ => None,
        }
    }

    fn word(&self, text: &str) -> Option<Word> {
        let (state, element) = match text.split_once('@') {
            Some((state, address)) => {
                let width = u32::try_from(address.len()).ok()?;
                (state, Some(BitVec::parse_binary(width, address)?))
            }
            None => (text, None),
        };
        Some(Word { state: self.symbol(state)?, element })
    }

    fn terms(&self, text: &str) -> Option<Vec<LinearTerm>> {
        let term = |text: &str| {
            let (coefficient, rest) = text.split_once('*')?;
            let (word, reading) = match (rest.strip_suffix('u'), rest.strip_suffix('s')) {
                (Some(word), _) => (word, Reading::Unsigned),
                (None, Some(word)) => (word, Reading::Signed),
                (None, None) => return None,
            };
            let term = LinearTerm {
                coefficient: coefficient.parse().ok()?,
                word: self.word(word)?,
                reading,
            };
            (!term.coefficient.is_zero()).then_some(term)
        };
        text.split(',').filter(|text| !text.is_empty()).map(term).collect()
    }

    // ---- traces --------------------------------------------------------------------------

    /// The states of the normal form without a next value, with their places in a step.
    fn free(&self) -> Vec<usize> {
        let position = |&index: &usize| self.system.free_states().binary_search(&index).ok();
        self.normal.states.iter().filter_map(position).collect()
    }

    fn write_trace(&self, trace: &Trace) -> String {
        let mut text = format!("trace {}", trace.steps.len());
        if let Some(start) = trace.loop_start {
            write!(text, " loop {start}").expect("strings do not fail");
        }
        text.push_str("\n=");
        for &state in &self.normal.states {
            write_value(&mut text, &trace.initial[state]);
        }
        let free = self.free();
        for step in &trace.steps {
            text.push_str("\n@");
            self.normal.inputs.iter().for_each(|&i| write_value(&mut text, &step.inputs[i]));
            if !step.free.is_empty() && !free.is_empty() {
                text.push_str(" |");
                free.iter().for_each(|&position| write_value(&mut text, &step.free[position]));
            }
        }
        text.push('\n');
        text
    }

    /// The trace, with values for all that is not in the cone.
    fn read_trace<'t>(
        &self,
        property: PropertyId,
        mut lines: impl Iterator<Item = &'t str>,
        loop_start: Option<usize>,
    ) -> Option<Trace> {
        let (system, pool) = (self.system, self.system.pool());
        let sort = |state: usize| pool.sort(system.states()[state].symbol);
        let sorts: Vec<Sort> = self.normal.states.iter().map(|&state| sort(state)).collect();
        let given = read_values(lines.next()?.strip_prefix('=')?, &sorts)?;
        let mut initial: Vec<Value> =
            (0..system.states().len()).map(|state| zero_of(sort(state))).collect();
        for (&state, value) in self.normal.states.iter().zip(given) {
            initial[state] = value;
        }
        let free = self.free();
        let sort_of_free = |&position: &usize| sort(system.free_states()[position]);
        let free_sorts: Vec<Sort> = free.iter().map(sort_of_free).collect();
        let all_free: Vec<Value> =
            system.free_states().iter().map(|&state| zero_of(sort(state))).collect();
        let input_sorts: Vec<Sort> =
            system.inputs().iter().map(|input| pool.sort(input.symbol)).collect();
        let sorts: Vec<Sort> = self.normal.inputs.iter().map(|&i| input_sorts[i]).collect();
        let zeros: Values = input_sorts.iter().copied().map(zero_of).collect();
        let mut steps = Vec::new();
        for line in lines {
            let line = line.strip_prefix('@')?;
            let (given, rest) = line.split_once(" |").unwrap_or((line, ""));
            let mut inputs = zeros.clone();
            for (&index, value) in self.normal.inputs.iter().zip(read_values(given, &sorts)?) {
                inputs.set(index, value);
            }
            let mut step = Step { inputs, free: Vec::new() };
            if !steps.is_empty() {
                step.free = all_free.clone();
                for (&position, value) in free.iter().zip(read_values(rest, &free_sorts)?) {
                    step.free[position] = value;
                }
            }
            steps.push(step);
        }
        steps.first()?;
        let mut trace = Trace { property, initial, steps: steps.into(), loop_start };
        // States outside of the cone have their initial values; a wrong one in the cone stays.
        let mut is_inside = vec![false; system.states().len()];
        self.normal.states.iter().for_each(|&state| is_inside[state] = true);
        let mut functions = false;
        for state in (0..system.states().len()).filter(|&state| !is_inside[state]) {
            if let Some(init) = system.states()[state].init {
                match pool.const_value(init) {
                    Some(constant) => trace.initial[state] = constant.into(),
                    None => functions = true,
                }
            }
        }
        if functions {
            let computed = Simulator::of_roots(system, &trace, &[]).states().to_vec();
            for (state, value) in computed.into_iter().enumerate() {
                if !is_inside[state] {
                    trace.initial[state] = value;
                }
            }
        }
        Some(trace)
    }

    // ---- certificates --------------------------------------------------------------------

    /// The inputs and states of the normal form, free.
    fn skeleton(&self) -> TransitionSystem {
        const SORTS: &str = "sorts of the system";
        let (mut builder, pool) = (SystemBuilder::new(), self.system.pool());
        for (number, &input) in self.normal.inputs.iter().enumerate() {
            let sort = pool.sort(self.system.inputs()[input].symbol);
            builder.input(sort, Some(&format!("i{number}"))).expect(SORTS);
        }
        for (number, &state) in self.normal.states.iter().enumerate() {
            let sort = pool.sort(self.system.states()[state].symbol);
            builder.state(sort, Some(&format!("s{number}"))).expect(SORTS);
        }
        builder.finish().expect("free symbols are well-formed")
    }

    fn write_certificate(&self, certificate: &Certificate) -> Option<Vec<u8>> {
        let proof = match Proof::of(certificate, self.system)? {
            Proof::Invariant(formula) => Proof::Invariant(Box::new(self.normal_formula(&formula)?)),
            Proof::Ranking(ranking) => Proof::Ranking(Box::new(self.normal_ranking(&ranking)?)),
            proof @ Proof::KInduction { .. } => proof,
            Proof::Clauses(_) => unreachable!("clauses have a form of their own"),
        };
        let text = TextCertificate { property: "normal".to_owned(), proof };
        certificate::write(&text, &self.skeleton()).ok()
    }

    fn read_certificate(&self, source: &[u8]) -> Option<Certificate> {
        Some(match certificate::read(source).ok()?.proof {
            Proof::Invariant(mut formula) => {
                for role in &mut formula.symbols {
                    *role = match *role {
                        Role::Input(number) => Role::Input(*self.normal.inputs.get(number)?),
                        Role::State(number) => Role::State(*self.normal.states.get(number)?),
                    };
                }
                Certificate::Formula(formula)
            }
            Proof::Ranking(ranking) => Certificate::Ranking(Box::new(self.ranking(*ranking)?)),
            Proof::KInduction { k, simple_path } => Certificate::KInductive { k, simple_path },
            // Clauses have a form of their own.
            Proof::Clauses(_) => return None,
        })
    }

    /// The formula over numbers of the normal form. Symbols that it does not mention stay.
    fn normal_formula(&self, formula: &Formula) -> Option<Formula> {
        let mut symbols = formula.symbols.clone();
        for node in cone(&formula.pool, [formula.expr]) {
            if let Some(symbol) = formula.pool.as_symbol(node) {
                let role = &mut symbols[symbol.index()];
                *role = match *role {
                    Role::Input(index) => Role::Input(self.input_number(index)?),
                    Role::State(index) => Role::State(self.state_number(index)?),
                };
            }
        }
        Some(Formula { symbols, ..formula.clone() })
    }

    /// The ranking over numbers of the normal form, its relations in the order of the conditions.
    fn normal_ranking(&self, ranking: &Ranking) -> Option<Ranking> {
        let mut symbols = ranking.symbols.clone();
        let observers =
            ranking.observers.iter().flat_map(|observer| [observer.init, observer.next]);
        let roots = observers.chain([ranking.invariant]).chain(ranking.relation.iter().copied());
        for node in cone(&ranking.pool, roots) {
            if let Some(symbol) = ranking.pool.as_symbol(node) {
                let symbol = &mut symbols[symbol.index()];
                *symbol = renamed(
                    *symbol,
                    |input| self.input_number(input),
                    |state| self.state_number(state),
                )?;
            }
        }
        if ranking.relation.len() != self.normal.conditions.len() {
            return None;
        }
        let relation =
            self.normal.conditions.iter().map(|&index| ranking.relation[index]).collect();
        Some(Ranking { symbols, relation, ..ranking.clone() })
    }

    fn ranking(&self, ranking: Ranking) -> Option<Ranking> {
        let conditions = &self.normal.conditions;
        if ranking.relation.len() != conditions.len() {
            return None;
        }
        let mut relation = ranking.relation.clone();
        for (&index, &expr) in conditions.iter().zip(&ranking.relation) {
            relation[index] = expr;
        }
        let rename = |&symbol: &RankingSymbol| {
            let input = |number: usize| self.normal.inputs.get(number).copied();
            renamed(symbol, input, |number| self.normal.states.get(number).copied())
        };
        let symbols = ranking.symbols.iter().map(rename).collect::<Option<_>>()?;
        Some(Ranking { symbols, relation, ..ranking })
    }
}

fn renamed(
    symbol: RankingSymbol,
    input: impl Fn(usize) -> Option<usize>,
    state: impl Fn(usize) -> Option<usize>,
) -> Option<RankingSymbol> {
    Some(match symbol {
        RankingSymbol::Input(index) => RankingSymbol::Input(input(index)?),
        RankingSymbol::State(index) => RankingSymbol::State(state(index)?),
        RankingSymbol::OtherState(index) => RankingSymbol::OtherState(state(index)?),
        RankingSymbol::Observer(_) | RankingSymbol::OtherObserver(_) => symbol,
    })
}

/// Clauses, one on each line; those with a literal outside of the cone are left out.
fn lines_of<L>(kind: &str, clauses: &[Vec<L>], literal: impl Fn(&L) -> Option<String>) -> Written {
    let clause = |clause: &Vec<L>| -> Option<String> {
        Some(clause.iter().map(&literal).collect::<Option<Vec<String>>>()?.join(" "))
    };
    let lines: Vec<String> = clauses.iter().filter_map(clause).collect();
    let is_cut = lines.len() < clauses.len();
    let mut text = format!("{kind} {}\n", lines.len());
    for line in lines {
        text.push_str(&line);
        text.push('\n');
    }
    Written { text: text.into_bytes(), is_cut }
}

/// A space and the value.
fn write_value(text: &mut String, value: &Value) {
    text.push(' ');
    match value {
        Value::Bv(value) => text.push_str(&value.to_binary()),
        Value::Array(array) => {
            text.push_str(&array.default_element().to_binary());
            for (index, element) in array.entries() {
                write!(text, ";{}={}", index.to_binary(), element.to_binary())
                    .expect("strings do not fail");
            }
        }
    }
}

/// Exactly as many values as there are sorts.
fn read_values(text: &str, sorts: &[Sort]) -> Option<Vec<Value>> {
    let mut words = text.split(' ').filter(|word| !word.is_empty());
    let values: Vec<Value> =
        sorts.iter().map(|&sort| read_value(words.next()?, sort)).collect::<Option<_>>()?;
    words.next().is_none().then_some(values)
}

fn read_value(word: &str, sort: Sort) -> Option<Value> {
    let (index, element) = match sort {
        Sort::Bv(width) => return BitVec::parse_binary(width, word).map(Value::Bv),
        Sort::Array { index, element } => (index, element),
    };
    let mut parts = word.split(';');
    let default = BitVec::parse_binary(element, parts.next()?)?;
    let mut array = ArrayValue::constant(index, default);
    for part in parts {
        let (address, value) = part.split_once('=')?;
        array.write(BitVec::parse_binary(index, address)?, BitVec::parse_binary(element, value)?);
    }
    Some(array.into())
}
