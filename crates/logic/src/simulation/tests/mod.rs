//! What the tests share: all the words of a kind, and the sets that they stand for.

mod example;
mod graph;
mod hybrid;
mod soundness;
mod tightness;

use elinvar_ir::{BitVec, Reading};

use super::hybrid::Hybrid;
use super::interval::Bounds;
use super::product::Product;
use super::range::Range;
use super::ternary::Bits;
use super::word::{Two, Word};
use super::{Abstract, Kind, Repr};

fn values(width: u32) -> impl Iterator<Item = BitVec> {
    (0..1u64 << width).map(move |value| BitVec::new(width, value))
}

/// All words that the kind can describe.
fn words(kind: Kind, width: u32) -> Vec<Abstract> {
    match kind {
        Kind::Ternary => ternaries(kind, width),
        Kind::Interval => intervals(kind, width),
        Kind::Hybrid => [ternaries(kind, width), intervals(kind, width)].concat(),
        Kind::Product => products(width),
    }
}

fn ternaries(kind: Kind, width: u32) -> Vec<Abstract> {
    let masks =
        values(width).flat_map(|known| values(width).map(move |value| (known.clone(), value)));
    let distinct = masks.filter(|(known, value)| value.and(known) == *value);
    distinct.map(|(known, value)| kind.from_bits(&known, &value)).collect()
}

fn intervals(kind: Kind, width: u32) -> Vec<Abstract> {
    let pairs = values(width).flat_map(|low| values(width).map(move |high| (low.clone(), high)));
    let ordered = pairs.filter(|(low, high)| low.sle(high));
    ordered.map(|(low, high)| kind.from_range(Reading::Signed, &low, &high)).collect()
}

/// All consistent combinations of bits, an unsigned and a signed range.
fn products(width: u32) -> Vec<Abstract> {
    let (size, half) = (1i128 << width, 1i128 << (width - 1));
    let ranges = |from: i128, to: i128| {
        (from..to).flat_map(move |low| (low..to).map(move |high| Range::new(low, high)))
    };
    let mut found: Vec<Abstract> = Vec::new();
    for ones in 0..size {
        for may in (0..size).filter(|may| ones & !may == 0) {
            for unsigned in ranges(0, size) {
                for signed in ranges(-half, half) {
                    let bits = Bits { width, ones, may };
                    let bounds = Bounds { width, unsigned: unsigned.clone(), signed };
                    if let Some(product) = Product::new(&bits, &bounds) {
                        let word = Abstract(Repr::Narrow(Word::Product(product)));
                        if !found.contains(&word) {
                            found.push(word);
                        }
                    }
                }
            }
        }
    }
    found
}

fn members(word: &Abstract) -> Vec<BitVec> {
    values(word.width()).filter(|value| word.contains(value)).collect()
}

fn hull(kind: Kind, a: &Abstract, b: &Abstract) -> Abstract {
    kind.two(Two::Hull, a, b)
}
