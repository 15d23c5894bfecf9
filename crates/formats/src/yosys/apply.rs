//! Giving the names of a map to a model.

use std::collections::BTreeMap;

use elinvar_ir::{
    ExprId, Named, Origin, Place, PropertyKind, Role, Sort, SystemBuilder, TransitionSystem,
};

use super::{Entry, Piece, Port, YosysMap, plain};
use crate::names::join;
use crate::naming::find_clocks;
use crate::{Diagnostic, counted};

impl YosysMap {
    /// The system with the names of the map. Nothing but names, places and clocks changes.
    ///
    /// # Errors
    /// If the map is about inputs or states that the system does not have.
    pub fn apply(&self, system: TransitionSystem) -> Result<TransitionSystem, Diagnostic> {
        let names = Names::new(&self.entries);
        let mut builder = system.into_builder();
        for entry in &self.entries {
            self.apply_entry(entry, &names, &mut builder)?;
        }
        self.apply_properties(&mut builder);
        self.apply_clocks(&mut builder);
        Ok(builder.finish().expect("only names have changed"))
    }

    fn apply_entry(
        &self,
        entry: &Entry,
        names: &Names,
        builder: &mut SystemBuilder,
    ) -> Result<(), Diagnostic> {
        let symbol = match (role(entry.port), entry.port) {
            (Some(role), _) => Some(symbol(entry, role, builder)?),
            (None, Port::Inverted(number)) => Some(symbol(entry, Role::State(number), builder)?),
            (None, _) => None,
        };
        let [piece] = &entry.pieces[..] else { return Ok(()) };
        let name = names.of(piece);
        match (entry.port, symbol) {
            (Port::Initial(_), Some(symbol)) => {
                self.rename(symbol, &format!("init.{name}"), builder);
            }
            (Port::Inverted(_), Some(symbol)) => {
                let expr = builder.pool.not(symbol).expect("it is a word");
                builder.labels.push(Named { name, expr });
            }
            (_, Some(symbol)) => self.rename(symbol, &name, builder),
            // Outputs may also be properties, which have names of their own.
            (Port::Output(number), None) => {
                if let Some(output) = builder.outputs.get_mut(number) {
                    output.name = name;
                }
            }
            (_, None) => {}
        }
        Ok(())
    }

    /// Bits have no other names; words keep those that they have.
    fn rename(&self, symbol: ExprId, name: &str, builder: &mut SystemBuilder) {
        let symbol = builder.pool.as_symbol(symbol).expect("inputs and states are symbols");
        if self.is_of_bits || builder.pool.symbol_name(symbol).is_none() {
            builder.pool.rename(symbol, name);
        }
    }

    /// Names assertions and assumptions, if there are as many as the model has.
    fn apply_properties(&self, builder: &mut SystemBuilder) {
        if !self.is_of_bits {
            return;
        }
        let is_bad = |kind: &PropertyKind| matches!(kind, PropertyKind::Bad(_));
        let bads = builder.properties.iter_mut().filter(|property| is_bad(&property.kind));
        let bads: Vec<_> = bads.collect();
        if bads.len() == self.asserts.len() {
            for (property, path) in bads.into_iter().zip(&self.asserts) {
                let origin = origin(path);
                property.name = origin.name.unwrap_or_else(|| property.name.clone());
                property.place = origin.place.or(property.place.take());
            }
        }
        if builder.constraints.len() == self.assumes.len() {
            builder.constraint_origins = self.assumes.iter().map(|path| origin(path)).collect();
        }
    }

    fn apply_clocks(&self, builder: &mut SystemBuilder) {
        for entry in &self.entries {
            let is_clock = |piece: &Piece| {
                self.clocks.iter().any(|c| c.path == piece.path && c.offset == piece.offset)
            };
            if let (Port::Input(number), [piece]) = (entry.port, &entry.pieces[..])
                && is_clock(piece)
            {
                builder.clocks.push(number);
            }
        }
        builder.clocks = find_clocks(builder);
    }
}

/// The symbol that an entry names, if it has as many bits as the entry says.
fn symbol(entry: &Entry, role: Role, builder: &SystemBuilder) -> Result<ExprId, Diagnostic> {
    let error = |message| {
        let help = "is it the map of another model?";
        Diagnostic::new(message, entry.span.clone()).with_help(help)
    };
    let (what, number, all, symbol) = match role {
        Role::Input(number) => {
            let symbol = builder.inputs.get(number).map(|input| input.symbol);
            ("input", number, builder.inputs.len(), symbol)
        }
        Role::State(number) => {
            let symbol = builder.states.get(number).map(|state| state.symbol);
            ("state", number, builder.states.len(), symbol)
        }
    };
    let symbol = symbol.ok_or_else(|| {
        error(format!("there is no {what} {number} in the model, which has {all} of them"))
    })?;
    let is_memory = matches!(entry.port, Port::Memory(_));
    let (given, found) = match builder.pool.sort(symbol) {
        Sort::Bv(width) if !is_memory => (width, entry.bits()),
        Sort::Array { element, .. } if is_memory => (element, entry.bits()),
        Sort::Bv(_) | Sort::Array { .. } => {
            return Err(error(format!("{what} {number} of the model is of another kind")));
        }
    };
    match u64::from(given) == found {
        true => Ok(symbol),
        false => Err(error(format!(
            "{what} {number} of the model has {}",
            counted(given as usize, "bit")
        ))),
    }
}

/// The name of a cell, and its place if Yosys made the name from it: `$assert$fifo.sv:42$7`.
fn origin(path: &[String]) -> Origin {
    let last = path.last().map_or("", |name| name.as_str());
    let place = last.strip_prefix('$').and_then(|name| {
        let (place, _) = name.split_once('$')?.1.rsplit_once('$')?;
        Place::parse(place)
    });
    let name = match &place {
        Some(place) => place.to_string(),
        None => join(path.iter().map(|name| plain(name))),
    };
    Origin { name: Some(name), place }
}

/// The names of the bits of signals: `name[bit]`, or `name` where there is only one bit.
struct Names {
    /// By path: the number of the highest bit.
    highest: BTreeMap<Vec<String>, u32>,
}

impl Names {
    fn new(entries: &[Entry]) -> Self {
        let mut highest: BTreeMap<Vec<String>, u32> = BTreeMap::new();
        for Piece { path, offset, width } in entries.iter().flat_map(|entry| &entry.pieces) {
            let known = highest.entry(path.clone()).or_default();
            *known = (*known).max(offset.saturating_add(width.saturating_sub(1)));
        }
        Names { highest }
    }

    fn of(&self, piece: &Piece) -> String {
        let Piece { path, offset, width } = piece;
        let name = join(path.iter().map(|name| plain(name)));
        match (self.highest[path], width) {
            (highest, &width) if *offset == 0 && highest == width.saturating_sub(1) => name,
            (_, 1) => format!("{name}[{offset}]"),
            (_, width) => format!("{name}[{}:{offset}]", offset.saturating_add(width - 1)),
        }
    }
}

/// The role of the port that an entry names, if it is an input or a state.
pub(super) fn role(port: Port) -> Option<Role> {
    match port {
        Port::Input(number) | Port::Initial(number) => Some(Role::Input(number)),
        Port::State(number) | Port::Memory(number) => Some(Role::State(number)),
        Port::Inverted(_) | Port::Output(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::read_map;
    use super::*;
    use crate::aiger;

    /// Four inputs, two latches, an output and a bad state.
    const MODEL: &[u8] = b"aag 6 4 2 1 0 1\n2\n4\n6\n8\n10 4\n12 6\n10\n12\n";

    fn named(map: &str) -> Result<TransitionSystem, Diagnostic> {
        read_map(map.as_bytes()).unwrap().apply(aiger::read(MODEL).unwrap().system)
    }

    #[test]
    fn bits_get_the_names_of_a_text_map() {
        let map = "input 0 0 clk\ninput 1 0 data\ninput 2 1 data\ninit 3 0 u.q\noutput 0 0 full\n\
                   latch 0 0 u.q\ninvlatch 1 0 r\n";
        let system = named(map).unwrap();
        let inputs: Vec<String> = (0..4).map(|input| system.input_name(input)).collect();
        assert_eq!(inputs, ["clk", "data[0]", "data[1]", "init.u.q"]);
        assert_eq!(system.state_name(0), "u.q");
        assert_eq!((&system.labels()[0].name[..], system.labels().len()), ("r", 1));
        assert!(system.labels()[0].expr.is_complement());
        assert_eq!(system.outputs()[0].name, "full");
        assert_eq!(system.clocks(), [0]);
    }

    #[test]
    fn properties_get_names_and_places() {
        let map = |assert: &str| {
            format!(
                r#"{{"version": "Yosys Witness Aiger map", "clocks": [{{"path": ["\\t"], "input": 0,
                "offset": 0, "edge": "posedge"}}], "inputs": [{{"path": ["\\t"], "input": 0,
                "offset": 0}}], "asserts": [[{assert}]]}}"#
            )
        };
        let system = named(&map(r#""\\u", "\\a_full""#)).unwrap();
        assert_eq!((&system.properties()[0].name[..], system.clocks()), ("u.a_full", &[0][..]));
        let system = named(&map(r#""$assert$rtl/fifo.sv:42$7""#)).unwrap();
        let property = &system.properties()[0];
        assert_eq!(property.name, "rtl/fifo.sv:42");
        assert_eq!(property.place, Place::parse("rtl/fifo.sv:42"));
    }

    #[test]
    fn a_map_of_another_model_is_refused_with_its_place() {
        let error = named("input 0 0 a\nlatch 2 0 q\n").unwrap_err();
        let message = "there is no state 2 in the model, which has 2 of them";
        assert_eq!((&error.message[..], error.span), (message, 12..23));
    }

    #[test]
    fn a_map_with_other_widths_is_refused() {
        let text = "1 sort bitvec 2\n2 input 1\n3 sort array 1 1\n4 state 3\n";
        let system = || crate::btor2::read(text.as_bytes()).unwrap().system;
        let apply = |parts: &str| {
            let map = format!(r#"{{"version": "Yosys Witness BTOR map", {parts}}}"#);
            read_map(map.as_bytes()).unwrap().apply(system()).map_err(|error| error.message)
        };
        let input = |width: u32| {
            format!(r#""inputs": [[{{"path": ["\\a"], "width": {width}, "offset": 0}}]]"#)
        };
        assert_eq!(apply(&input(2)).unwrap().input_name(0), "a");
        assert_eq!(apply(&input(3)).unwrap_err(), "input 0 of the model has 2 bits");
        let state = r#""states": [[{"path": ["\\a"], "width": 2, "offset": 0}]]"#;
        assert_eq!(apply(state).unwrap_err(), "state 0 of the model is of another kind");
        let memory = r#""states": [{"path": ["\\m"], "width": 2, "size": 4}]"#;
        assert_eq!(apply(memory).unwrap().state_name(0), "m");
    }
}
