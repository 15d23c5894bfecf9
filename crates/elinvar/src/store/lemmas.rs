//! Lemmas for other versions of a property.
//!
//! When the logic of a property changes, its key does, too. What was known about the earlier
//! version is found by other keys: the name of the property together with the names and sorts of
//! the registers in its cone, or together with the names of all properties of the system. Such an
//! entry has lemmas in the format of [`elinvar_formats::proof`], and the key of the evidence that
//! they were part of:
//!
//! ```text
//! evidence 2c26b46b68ffc68f…
//! places 4 0 7
//! elinvar proof 1
//! …
//! ```
//!
//! The registers of the file are listed with their numbers in the normal form of the earlier
//! version. A run first tries whether the earlier proof is still one. If it is not, engines start
//! from the lemmas, which they prove again.

use std::sync::Arc;

use elinvar_formats::proof;
use elinvar_ir::{
    Certificate, ExprId, Fact, FrameLemma, PdrState, PropertyId, PropertyRecord, PropertyStatus,
    Reach, RegisterKey, RegisterLiteral, Role, Sort, TransitionSystem, Verdict, cone,
};
use rustc_hash::{FxHashMap, FxHashSet};
use sha2::{Digest, Sha256};

use super::key::Key;
use super::normal::Normal;

/// The lemmas that are kept of an undecided property, and those that a run starts from.
const MOST: usize = 20_000;

/// A register that is not known.
const NOWHERE: usize = usize::MAX;

/// The keys under which lemmas of a property are found, the better one first.
pub(super) struct LemmaKeys<'a> {
    system: &'a TransitionSystem,
    /// A hash of the names of all properties.
    properties: [u8; 32],
}

impl<'a> LemmaKeys<'a> {
    pub fn new(system: &'a TransitionSystem) -> Self {
        let mut names: Vec<&str> = system.properties().iter().map(|p| &p.name[..]).collect();
        names.sort_unstable();
        LemmaKeys { system, properties: hash(names.into_iter().map(str::as_bytes)) }
    }

    pub fn of(&self, property: PropertyId, normal: &Normal) -> [Key; 2] {
        let pool = self.system.pool();
        let register = |&state: &usize| {
            let symbol = self.system.states()[state].symbol;
            let name = pool.as_symbol(symbol).and_then(|symbol| pool.symbol_name(symbol));
            (name.unwrap_or_default(), sort_words(pool.sort(symbol)))
        };
        let mut registers: Vec<(&str, [u32; 2])> = normal.states.iter().map(register).collect();
        registers.sort_unstable();
        let mut bytes = Vec::new();
        for (name, [first, second]) in registers {
            bytes.extend_from_slice(&(name.len() as u64).to_le_bytes());
            bytes.extend_from_slice(name.as_bytes());
            bytes.extend_from_slice(&first.to_le_bytes());
            bytes.extend_from_slice(&second.to_le_bytes());
        }
        let name = self.system.property(property).name.as_bytes();
        [
            Key::new(hash([b"elinvar lemmas 1 registers", name, &bytes].into_iter())),
            Key::new(hash([b"elinvar lemmas 1 properties", name, &self.properties].into_iter())),
        ]
    }
}

fn sort_words(sort: Sort) -> [u32; 2] {
    match sort {
        Sort::Bv(width) => [width, 0],
        Sort::Array { index, element } => [index, element],
    }
}

/// A hash of texts, each with its length.
fn hash<'a>(parts: impl Iterator<Item = &'a [u8]>) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().into()
}

/// What an entry of lemmas has.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Lemmas {
    /// The evidence that the lemmas were part of.
    pub evidence: Option<Key>,
    /// By register of the state: its number in the normal form.
    pub places: Vec<usize>,
    pub state: PdrState,
}

impl Lemmas {
    pub fn write(&self) -> Vec<u8> {
        let evidence = self.evidence.map_or_else(|| "none".to_owned(), |key| key.to_string());
        let places: Vec<String> = self.places.iter().map(ToString::to_string).collect();
        let state = proof::write(&self.state);
        format!("evidence {evidence}\nplaces {}\n{state}", places.join(" ")).into_bytes()
    }

    pub fn read(body: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(body).ok()?;
        let (evidence, rest) = text.strip_prefix("evidence ")?.split_once('\n')?;
        let (places, rest) = rest.strip_prefix("places ")?.split_once('\n')?;
        let evidence = match evidence {
            "none" => None,
            key => Some(Key::parse(key)?),
        };
        let places: Vec<usize> = (places.split(' ').filter(|word| !word.is_empty()))
            .map(|word| word.parse().ok())
            .collect::<Option<_>>()?;
        let state = proof::read(rest.as_bytes()).ok()?;
        (places.len() == state.registers.len()).then_some(Lemmas { evidence, places, state })
    }
}

/// Makes lemmas of what is known at the end of a run.
pub(super) struct Extractor<'a> {
    system: &'a TransitionSystem,
    keys: &'a [RegisterKey],
}

impl<'a> Extractor<'a> {
    pub fn new(system: &'a TransitionSystem) -> Self {
        Extractor { system, keys: elinvar_ir::keys(system) }
    }

    /// The lemmas of a proof, and the registers that it mentions. A trace has none.
    pub fn of_proof(
        &self,
        property: PropertyId,
        normal: &Normal,
        verdict: &Verdict,
    ) -> Option<Lemmas> {
        let Verdict::Safe(proof) = verdict else { return None };
        let mut lemmas = Vec::new();
        let mut mentioned: Vec<usize> = Vec::new();
        match proof {
            Certificate::Inductive { clauses } => {
                for clause in clauses {
                    let literal = |literal: &elinvar_ir::StateBit| {
                        let register = self.state(literal.state)?;
                        let (position, positive) = (literal.bit as usize, literal.positive);
                        Some(RegisterLiteral { register, position, positive })
                    };
                    lemmas.extend(clause.iter().map(literal).collect::<Option<Vec<_>>>());
                }
            }
            Certificate::Facts { clauses } => {
                let words = clauses.iter().flatten().flat_map(Fact::words);
                mentioned.extend(words.filter_map(|word| self.state(word.state)));
                for clause in clauses {
                    lemmas.extend(clause.iter().map(|f| self.bit(f)).collect::<Option<Vec<_>>>());
                }
            }
            Certificate::Formula(formula) => {
                let symbols = cone(&formula.pool, [formula.expr]).into_iter();
                let symbols = symbols.filter_map(|node| formula.pool.as_symbol(node));
                mentioned.extend(symbols.filter_map(|symbol| {
                    match formula.symbols[symbol.index()] {
                        Role::State(state) => Some(state),
                        Role::Input(_) => None,
                    }
                }));
            }
            Certificate::KInductive { .. } | Certificate::Ranking(_) => {}
        }
        mentioned.extend(lemmas.iter().flatten().map(|literal| literal.register));
        let always = |clause| FrameLemma { reach: Reach::Always, clause };
        let lemmas = lemmas.into_iter().map(always).collect();
        let status = PropertyStatus::Safe;
        Some(self.select(property, normal, Some(normal.key), mentioned, lemmas, (status, 0)))
    }

    /// The lemmas of an unfinished search that are about the cone of a property.
    pub fn of_search(
        &self,
        property: PropertyId,
        normal: &Normal,
        state: &PdrState,
    ) -> Option<Lemmas> {
        if state.registers.len() != self.keys.len() {
            return None;
        }
        let states: FxHashSet<usize> = normal.states.iter().copied().collect();
        let in_cone = |lemma: &&FrameLemma| {
            lemma.clause.iter().all(|literal| states.contains(&literal.register))
        };
        let mut lemmas: Vec<FrameLemma> = state.lemmas.iter().filter(in_cone).cloned().collect();
        lemmas.sort_by_key(|lemma| std::cmp::Reverse(lemma.reach));
        lemmas.truncate(MOST);
        if lemmas.is_empty() {
            return None;
        }
        let mentioned =
            lemmas.iter().flat_map(|lemma| &lemma.clause).map(|it| it.register).collect();
        let status = PropertyStatus::Open { clear: 0 };
        Some(self.select(property, normal, None, mentioned, lemmas, (status, state.depth)))
    }

    /// The lemmas with the registers that are mentioned, numbered by their places among these.
    fn select(
        &self,
        property: PropertyId,
        normal: &Normal,
        evidence: Option<Key>,
        mut mentioned: Vec<usize>,
        mut lemmas: Vec<FrameLemma>,
        (status, depth): (PropertyStatus, usize),
    ) -> Lemmas {
        let in_normal: FxHashMap<usize, usize> =
            normal.states.iter().enumerate().map(|(number, &state)| (state, number)).collect();
        // Lemmas about other properties are of no use to this one.
        mentioned.retain(|state| in_normal.contains_key(state));
        lemmas.retain(|lemma| lemma.clause.iter().all(|it| in_normal.contains_key(&it.register)));
        mentioned.sort_unstable();
        mentioned.dedup();
        let number: FxHashMap<usize, usize> =
            mentioned.iter().enumerate().map(|(number, &state)| (state, number)).collect();
        for literal in lemmas.iter_mut().flat_map(|lemma| &mut lemma.clause) {
            literal.register = number[&literal.register];
        }
        let place = |state: &usize| in_normal[state];
        let name = self.system.property(property).name.clone();
        let state = PdrState {
            registers: mentioned.iter().map(|&state| self.keys[state].clone()).collect(),
            properties: vec![PropertyRecord { name, status }],
            depth,
            lemmas,
            seconds: 0.0,
        };
        Lemmas { evidence, places: mentioned.iter().map(place).collect(), state }
    }

    fn state(&self, symbol: ExprId) -> Option<usize> {
        match self.system.role_of(symbol)? {
            Role::State(index) => Some(index),
            Role::Input(_) => None,
        }
    }

    /// The fact as a literal, if it is about a bit.
    fn bit(&self, fact: &Fact) -> Option<RegisterLiteral> {
        let Fact::Bit { word, bit, value } = fact else { return None };
        let register = self.state(word.state)?;
        let first = match (&word.element, self.system.pool().sort(word.state)) {
            (Some(address), Sort::Array { element, .. }) => {
                usize::try_from(address.to_u64()?).ok()?.checked_mul(element as usize)?
            }
            (None, Sort::Bv(_)) => 0,
            (None, Sort::Array { .. }) | (Some(_), Sort::Bv(_)) => return None,
        };
        let position = first.checked_add(*bit as usize)?;
        Some(RegisterLiteral { register, position, positive: *value })
    }
}

/// The lemmas of several properties together.
#[derive(Default)]
pub(super) struct Collection {
    registers: Vec<RegisterKey>,
    /// By name and sort, or by everything if there is no name: the number of a register.
    known: FxHashMap<(String, Sort, usize, Vec<u64>), usize>,
    /// By property: its lemmas, and for each of its registers the number here.
    parts: Vec<(PropertyId, Lemmas, Vec<usize>)>,
}

impl Collection {
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    pub fn add(&mut self, property: PropertyId, lemmas: Lemmas) {
        let mut numbers = Vec::with_capacity(lemmas.state.registers.len());
        for key in &lemmas.state.registers {
            // Another version has another register of this name, but only one is in this system.
            let by = match key.name.is_empty() {
                false => (key.name.clone(), key.sort, 0, Vec::new()),
                true => (String::new(), key.sort, key.index, key.shape.clone()),
            };
            let next = self.registers.len();
            let number = *self.known.entry(by).or_insert(next);
            if number == next {
                self.registers.push(key.clone());
            }
            numbers.push(number);
        }
        self.parts.push((property, lemmas, numbers));
    }

    /// By register: which one of the system it is.
    pub fn locate(&self, system: &TransitionSystem) -> Vec<Option<usize>> {
        let registers = self.registers.clone();
        PdrState { registers, ..PdrState::default() }.locate(system)
    }

    /// The properties of which there is evidence about another version, with the key of the
    /// evidence and the numbers that the first states of its normal form, at most so many, have in
    /// this system. States that are not known have no number in it.
    pub fn candidates<'c>(
        &'c self,
        located: &'c [Option<usize>],
        most: usize,
    ) -> impl Iterator<Item = (PropertyId, Key, Vec<usize>)> + 'c {
        self.parts.iter().filter_map(move |(property, lemmas, numbers)| {
            let mut states = vec![NOWHERE; most];
            for (&place, &number) in lemmas.places.iter().zip(numbers) {
                if let (Some(state), Some(found)) = (states.get_mut(place), located[number]) {
                    *state = found;
                }
            }
            Some((*property, lemmas.evidence?, states))
        })
    }

    /// The lemmas of these properties, for an engine.
    pub fn state(&self, is_open: impl Fn(PropertyId) -> bool) -> Option<Arc<PdrState>> {
        let mut state = PdrState { registers: self.registers.clone(), ..PdrState::default() };
        let mut seen: FxHashMap<Vec<RegisterLiteral>, usize> = FxHashMap::default();
        for (_, lemmas, numbers) in self.parts.iter().filter(|(id, ..)| is_open(*id)) {
            state.depth = state.depth.max(lemmas.state.depth);
            state.properties.extend(lemmas.state.properties.iter().cloned());
            for FrameLemma { reach, clause } in &lemmas.state.lemmas {
                let renamed = |&literal: &RegisterLiteral| {
                    Some(RegisterLiteral { register: *numbers.get(literal.register)?, ..literal })
                };
                let Some(mut clause) = clause.iter().map(renamed).collect::<Option<Vec<_>>>()
                else {
                    continue;
                };
                clause.sort_unstable();
                match seen.get(&clause) {
                    Some(&place) => {
                        let known: &mut FrameLemma = &mut state.lemmas[place];
                        known.reach = known.reach.max(*reach);
                    }
                    None if state.lemmas.len() < MOST => {
                        seen.insert(clause.clone(), state.lemmas.len());
                        state.lemmas.push(FrameLemma { reach: *reach, clause });
                    }
                    None => {}
                }
            }
        }
        (!state.lemmas.is_empty()).then(|| Arc::new(state))
    }
}
