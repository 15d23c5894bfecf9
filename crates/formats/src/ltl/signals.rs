//! The signals of a system that formulas name.

use dashu_int::ops::BitTest;
use elinvar_ir::{
    BinaryOp, BitVec, ExprId, Named, Sort, SortError, SystemBuilder, TransitionSystem,
};
use rustc_hash::FxHashMap;

use super::{Atom, Relation, Specification};
use crate::Diagnostic;

/// A signal of a system, which another reading of the same model has in the same place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Signal {
    place: Place,
    /// The highest and the lowest bit, if not all of them are meant.
    part: Option<(u32, u32)>,
}

/// A list of the system and the position in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Input(usize),
    State(usize),
    Output(usize),
    Label(usize),
}

impl Specification {
    /// The signals of the atoms, in their order.
    ///
    /// # Errors
    /// If the system has no such signal, or the atom is not a bit.
    pub fn signals(&self, system: &TransitionSystem) -> Result<Vec<Signal>, Diagnostic> {
        let places = places(system);
        self.atoms.iter().map(|atom| find(atom, system, &places)).collect()
    }

    /// The bits of the atoms, in a system that has these signals. `None` if it does not: then it
    /// is no reading of the model in which they were found.
    pub fn bits(&self, signals: &[Signal], builder: &mut SystemBuilder) -> Option<Vec<ExprId>> {
        let atoms = self.atoms.iter().zip(signals);
        atoms.map(|(atom, &signal)| bit(atom, signal, builder)).collect()
    }
}

/// By name: an input or a state rather than an output or a label.
fn places(system: &TransitionSystem) -> FxHashMap<String, Place> {
    let mut places = FxHashMap::default();
    let inputs = (0..system.inputs().len()).map(|i| (system.input_name(i), Place::Input(i)));
    let states = (0..system.states().len()).map(|i| (system.state_name(i), Place::State(i)));
    let named = |list: &[Named], place: fn(usize) -> Place| -> Vec<(String, Place)> {
        list.iter().enumerate().map(|(i, named)| (named.name.clone(), place(i))).collect()
    };
    let outputs = named(system.outputs(), Place::Output);
    let labels = named(system.labels(), Place::Label);
    for (name, place) in inputs.chain(states).chain(outputs).chain(labels) {
        places.entry(name).or_insert(place);
    }
    places
}

fn find(
    atom: &Atom,
    system: &TransitionSystem,
    places: &FxHashMap<String, Place>,
) -> Result<Signal, Diagnostic> {
    let whole = match atom.part {
        Some((high, low)) if high == low => format!("{}[{high}]", atom.signal),
        Some((high, low)) => format!("{}[{high}:{low}]", atom.signal),
        None => atom.signal.clone(),
    };
    let (place, part) = match (places.get(&whole), places.get(&atom.signal)) {
        (Some(&place), _) => (place, None),
        (None, Some(&place)) => (place, atom.part),
        (None, None) => {
            let message = format!("the model has no signal `{whole}`");
            return Err(Diagnostic::new(message, atom.span.clone())
                .with_help("signals are inputs, states, outputs and labels of the model"));
        }
    };
    let error = |message| Err(Diagnostic::new(message, atom.span.clone()));
    let width = match system.pool().sort(place.expr_of(system)) {
        Sort::Bv(width) => width,
        sort @ Sort::Array { .. } => {
            return error(format!("`{whole}` is {sort}, expected a bit or a word"));
        }
    };
    if let Some((high, _)) = part
        && high >= width
    {
        return error(format!(
            "bit {high} is outside of `{}`, which has width {width}",
            atom.signal
        ));
    }
    let width = part.map_or(width, |(high, low)| high - low + 1);
    match &atom.comparison {
        None if width != 1 => Err(Diagnostic::new(
            format!("`{whole}` is {}, expected a bit", Sort::Bv(width)),
            atom.span.clone(),
        )
        .with_help("compare it with a number, or choose a bit like x[0]")),
        Some((_, number)) if number.bit_len() > width as usize => {
            error(format!("{number} needs more than the {width} bits of `{whole}`"))
        }
        None | Some(_) => Ok(Signal { place, part }),
    }
}

impl Place {
    fn expr_of(self, system: &TransitionSystem) -> ExprId {
        match self {
            Place::Input(index) => system.inputs()[index].symbol,
            Place::State(index) => system.states()[index].symbol,
            Place::Output(index) => system.outputs()[index].expr,
            Place::Label(index) => system.labels()[index].expr,
        }
    }

    fn expr(self, builder: &SystemBuilder) -> Option<ExprId> {
        Some(match self {
            Place::Input(index) => builder.inputs.get(index)?.symbol,
            Place::State(index) => builder.states.get(index)?.symbol,
            Place::Output(index) => builder.outputs.get(index)?.expr,
            Place::Label(index) => builder.labels.get(index)?.expr,
        })
    }
}

fn bit(atom: &Atom, signal: Signal, builder: &mut SystemBuilder) -> Option<ExprId> {
    let word = signal.place.expr(builder)?;
    compare(atom, word, signal.part, builder).ok()
}

fn compare(
    atom: &Atom,
    word: ExprId,
    part: Option<(u32, u32)>,
    builder: &mut SystemBuilder,
) -> Result<ExprId, SortError> {
    let pool = &mut builder.pool;
    let word = match part {
        Some((high, low)) => pool.slice(word, high, low)?,
        None => word,
    };
    let Some((relation, number)) = &atom.comparison else { return Ok(word) };
    let number = pool.constant(BitVec::from_big(pool.width(word), number.clone()));
    let (op, a, b, is_negated) = match relation {
        Relation::Equal => (BinaryOp::Eq, word, number, false),
        Relation::Different => (BinaryOp::Eq, word, number, true),
        Relation::Less => (BinaryOp::Ult, word, number, false),
        Relation::AtLeast => (BinaryOp::Ult, word, number, true),
        Relation::Greater => (BinaryOp::Ult, number, word, false),
        Relation::AtMost => (BinaryOp::Ult, number, word, true),
    };
    let compared = pool.binary(op, a, b)?;
    if is_negated { pool.not(compared) } else { Ok(compared) }
}
