//! Waves short enough for people.
//!
//! Bits that are called like the bits of a word (`data[0]`, `data[1]`, …) become
//! that word. When there are still too many rows, those that never change go
//! first, then those that are farthest from the property.

use std::collections::BTreeMap;

use elinvar_ir::{BitVec, Role, Value};

use elinvar::readable::waves::{Signal, Waves};

/// Signals that are looked at for a table; a digest of more would hardly differ.
pub const CONSIDERED: usize = 2000;

/// At most `rows` rows, in the order of the model. The signals of `waves` come
/// in the order of their importance.
pub fn digest(mut waves: Waves, rows: usize) -> Waves {
    waves.signals = gather_words(waves.signals);
    if waves.signals.len() > rows && waves.cycles > 1 {
        waves.signals.retain(is_telling);
    }
    waves.signals.truncate(rows);
    waves.signals.sort_by_key(|signal| match signal.role {
        Role::Input(index) => (0, index),
        Role::State(index) => (1, index),
    });
    waves
}

/// An input that matters, or a register that changes.
fn is_telling(signal: &Signal) -> bool {
    match signal.role {
        Role::Input(_) => signal.matters.contains(&true),
        Role::State(_) => signal.values.iter().any(|value| *value != signal.values[0]),
    }
}

/// The bits of a word: by index, their places in the list of signals.
type Bits = BTreeMap<u32, usize>;

fn gather_words(signals: Vec<Signal>) -> Vec<Signal> {
    let mut words: BTreeMap<(bool, &str), Bits> = BTreeMap::new();
    for (place, signal) in signals.iter().enumerate() {
        if let Some((word, index)) = bit_of_word(signal) {
            let is_input = matches!(signal.role, Role::Input(_));
            words.entry((is_input, word)).or_default().insert(index, place);
        }
    }
    let mut gathered: BTreeMap<usize, Signal> = BTreeMap::new();
    let mut taken = vec![false; signals.len()];
    for ((_, word), bits) in &words {
        if is_range(bits) {
            let first = *bits.values().min().expect("a word has bits");
            gathered.insert(first, join(word, bits, &signals));
            bits.values().for_each(|&place| taken[place] = true);
        }
    }
    let alone = signals.into_iter().enumerate().filter(|(place, _)| !taken[*place]);
    gathered.extend(alone);
    gathered.into_values().collect()
}

/// `name[index]`, when the signal is a bit.
fn bit_of_word(signal: &Signal) -> Option<(&str, u32)> {
    let is_bit = matches!(signal.values.first(), Some(Value::Bv(value)) if value.width() == 1);
    let (word, index) = signal.name.strip_suffix(']')?.rsplit_once('[')?;
    let canonical = index == "0" || !index.starts_with('0');
    let digits = !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit());
    if is_bit && digits && canonical { Some((word, index.parse().ok()?)) } else { None }
}

/// Two bits or more, without gaps.
fn is_range(bits: &Bits) -> bool {
    let (Some((low, _)), Some((high, _))) = (bits.first_key_value(), bits.last_key_value()) else {
        return false;
    };
    bits.len() > 1 && (high - low) as usize + 1 == bits.len()
}

fn join(word: &str, bits: &Bits, signals: &[Signal]) -> Signal {
    let members: Vec<&Signal> = bits.values().map(|&place| &signals[place]).collect();
    let (low, high) = (bits.keys().min().expect("bits"), bits.keys().max().expect("bits"));
    let cycles = 0..members[0].values.len();
    let value = |t: usize| BitVec::from_bits(members.iter().map(|m| m.values[t].bv().is_true()));
    Signal {
        name: format!("{word}[{high}:{low}]"),
        role: members[0].role,
        values: cycles.clone().map(|t| value(t).into()).collect(),
        matters: cycles.map(|t| members.iter().any(|member| member.matters[t])).collect(),
        stands_for: members.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn register(index: usize, name: &str, values: &[u64]) -> Signal {
        let values: Vec<Value> = values.iter().map(|&v| BitVec::new(1, v).into()).collect();
        let matters = vec![true; values.len()];
        Signal { name: name.into(), role: Role::State(index), values, matters, stands_for: 1 }
    }

    fn names(waves: &Waves) -> Vec<&str> {
        waves.signals.iter().map(|signal| signal.name.as_str()).collect()
    }

    #[test]
    fn bits_become_words() {
        let signals = vec![
            register(3, "w[2]", &[1, 0]),
            register(0, "x", &[0, 1]),
            register(1, "w[0]", &[0, 0]),
            register(2, "w[1]", &[1, 0]),
            register(4, "gap[0]", &[0, 0]),
            register(5, "gap[2]", &[0, 0]),
            register(6, "one[7]", &[0, 0]),
        ];
        let waves = digest(Waves { signals, cycles: 2 }, 9);
        assert_eq!(names(&waves), ["x", "w[2:0]", "gap[0]", "gap[2]", "one[7]"]);
        let word = &waves.signals[1];
        let expected = [BitVec::new(3, 6), BitVec::new(3, 0)].map(Value::from);
        assert_eq!((&word.values[..], word.stands_for), (&expected[..], 3));
    }

    #[test]
    fn still_signals_go_first_and_far_ones_next() {
        let signals = || {
            vec![
                register(2, "near", &[0, 1]),
                register(1, "still", &[1, 1]),
                register(0, "far", &[0, 1]),
            ]
        };
        let shown = |rows| digest(Waves { signals: signals(), cycles: 2 }, rows);
        assert_eq!(names(&shown(3)), ["far", "still", "near"]);
        assert_eq!(names(&shown(2)), ["far", "near"]);
        assert_eq!(names(&shown(1)), ["near"]);
    }
}
