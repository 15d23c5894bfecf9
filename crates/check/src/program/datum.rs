//! The values that the replay computes with.
//!
//! Written independently of the values of `elinvar_ir`, whose maps have a normal form:
//! here a map is a list of writes, and two maps are compared index by index.

use std::rc::Rc;

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use elinvar_ir::program::{FunctionValue, Sort, Value};

/// A value of a known sort.
#[derive(Clone, Debug)]
pub(super) enum Datum {
    Bool(bool),
    Int(IBig),
    Real(RBig),
    /// Less than two to the power of the width.
    Word(UBig),
    Element(u64),
    Map(Rc<Map>),
}

/// The same element everywhere but at the indices written; no index is written twice.
#[derive(Clone, Debug)]
pub(super) struct Map {
    pub default: Datum,
    pub writes: Vec<(Datum, Datum)>,
}

impl Datum {
    /// A value of the evidence; `None` if it does not have this sort.
    pub(super) fn of(sort: &Sort, value: &Value) -> Option<Self> {
        Some(match (sort, value) {
            (Sort::Bool, Value::Bool(value)) => Datum::Bool(*value),
            (Sort::Int, Value::Int(value)) => Datum::Int(value.clone()),
            (Sort::Real, Value::Real(value)) => Datum::Real(value.clone()),
            (Sort::Word(width), Value::Word(word)) if word.0.width() == *width => {
                Datum::Word(word.0.to_big())
            }
            (Sort::Named(name), Value::Element(found, number)) if name == found => {
                Datum::Element(*number)
            }
            (Sort::Map(sorts), Value::Map(map)) => {
                let default = Datum::of(&sorts.1, map.default_element())?;
                let mut copy = Map { default, writes: Vec::new() };
                for (index, element) in map.entries() {
                    let (index, element) =
                        (Datum::of(&sorts.0, index)?, Datum::of(&sorts.1, element)?);
                    copy = copy.write(&sorts.0, index, element);
                }
                Datum::Map(Rc::new(copy))
            }
            (
                Sort::Bool | Sort::Int | Sort::Real | Sort::Word(_) | Sort::Named(_) | Sort::Map(_),
                _,
            ) => return None,
        })
    }

    /// Are these values of a sort the same?
    pub(super) fn same(sort: &Sort, left: &Datum, right: &Datum) -> bool {
        match (left, right) {
            (Datum::Bool(left), Datum::Bool(right)) => left == right,
            (Datum::Int(left), Datum::Int(right)) => left == right,
            (Datum::Real(left), Datum::Real(right)) => left == right,
            (Datum::Word(left), Datum::Word(right)) => left == right,
            (Datum::Element(left), Datum::Element(right)) => left == right,
            (Datum::Map(left), Datum::Map(right)) => match sort {
                Sort::Map(sorts) => same_maps(&sorts.0, &sorts.1, left, right),
                _ => false,
            },
            (
                Datum::Bool(_)
                | Datum::Int(_)
                | Datum::Real(_)
                | Datum::Word(_)
                | Datum::Element(_)
                | Datum::Map(_),
                _,
            ) => false,
        }
    }
}

impl Map {
    pub(super) fn read(&self, index_sort: &Sort, index: &Datum) -> &Datum {
        let written = self.writes.iter().find(|(at, _)| Datum::same(index_sort, at, index));
        written.map_or(&self.default, |(_, element)| element)
    }

    pub(super) fn write(mut self, index_sort: &Sort, index: Datum, element: Datum) -> Self {
        let written = self.writes.iter_mut().find(|(at, _)| Datum::same(index_sort, at, &index));
        match written {
            Some((_, old)) => *old = element,
            None => self.writes.push((index, element)),
        }
        self
    }
}

/// Two maps are the same if they have the same elements at all indices that either has
/// written, and, if there is any other index, the same defaults.
fn same_maps(index_sort: &Sort, element_sort: &Sort, left: &Map, right: &Map) -> bool {
    let only_right = right.writes.iter().map(|(index, _)| index).filter(|index| {
        !left.writes.iter().any(|(known, _)| Datum::same(index_sort, known, index))
    });
    let written: Vec<&Datum> =
        left.writes.iter().map(|(index, _)| index).chain(only_right).collect();
    let agree = |index: &&Datum| {
        let (left, right) = (left.read(index_sort, index), right.read(index_sort, index));
        Datum::same(element_sort, left, right)
    };
    let all_written = size(index_sort).is_some_and(|size| size <= UBig::from(written.len()));
    written.iter().all(agree)
        && (all_written || Datum::same(element_sort, &left.default, &right.default))
}

/// How many values a sort has, if they are few enough to be listed in a file.
fn size(sort: &Sort) -> Option<UBig> {
    const MANY: u32 = 64;
    match sort {
        Sort::Bool => Some(UBig::from(2u8)),
        Sort::Word(width) => (*width < MANY).then(|| UBig::ONE << *width as usize),
        Sort::Map(sorts) => {
            let indices = usize::try_from(size(&sorts.0)?).ok()?;
            let elements = size(&sorts.1)?;
            (indices < MANY as usize).then(|| elements.pow(indices))
        }
        Sort::Int | Sort::Real | Sort::Named(_) => None,
    }
}

/// A function by its values.
pub(super) struct Table {
    arguments: Vec<Sort>,
    default: Datum,
    entries: Vec<(Vec<Datum>, Datum)>,
}

impl Table {
    /// `None` if a value does not have the sort that the signature asks for.
    pub(super) fn of(arguments: &[Sort], result: &Sort, value: &FunctionValue) -> Option<Self> {
        let mut entries = Vec::new();
        for (key, value) in &value.entries {
            if key.len() != arguments.len() {
                return None;
            }
            let key: Option<Vec<Datum>> =
                arguments.iter().zip(key).map(|(sort, value)| Datum::of(sort, value)).collect();
            entries.push((key?, Datum::of(result, value)?));
        }
        let default = Datum::of(result, &value.default)?;
        Some(Table { arguments: arguments.to_vec(), default, entries })
    }

    /// Of several entries for the same arguments, the first counts.
    pub(super) fn apply(&self, arguments: &[&Datum]) -> &Datum {
        let fits = |key: &[Datum]| {
            let sorts = self.arguments.iter();
            sorts.zip(key).zip(arguments).all(|((sort, key), found)| Datum::same(sort, key, found))
        };
        let entry = self.entries.iter().find(|(key, _)| fits(key));
        entry.map_or(&self.default, |(_, value)| value)
    }
}
