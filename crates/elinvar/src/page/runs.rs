//! Values over the cycles of a trace as text: runs of equal values.
//!
//! A run is `VALUE`, or `VALUE*LENGTH` if it takes several cycles, and runs are separated by
//! spaces. A value is hexadecimal; `VALUE/MASK` if only the bits in the mask are known, and `x` if
//! none is. `0*3 1f x*2 4/c` has seven cycles.

use std::fmt::Write;

use elinvar_ir::BitVec;

/// A value of which some bits may be unknown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Reading<'a> {
    /// The value; unknown bits have any value.
    pub value: &'a BitVec,
    /// The known bits.
    pub mask: BitVec,
}

impl Reading<'_> {
    /// As it is written in a run.
    fn text(&self) -> String {
        if self.mask.is_zero() {
            return "x".to_owned();
        }
        if self.mask.is_ones() {
            return hexadecimal(self.value);
        }
        let width = self.value.width();
        let known = (0..width).map(|bit| self.value.bit(bit) && self.mask.bit(bit));
        format!("{}/{}", hexadecimal(&BitVec::from_bits(known)), hexadecimal(&self.mask))
    }
}

/// The runs of values that follow each other.
pub(super) fn encode<'a>(readings: impl Iterator<Item = Reading<'a>>) -> String {
    let mut text = String::new();
    let mut last: Option<(String, usize)> = None;
    for reading in readings {
        let next = reading.text();
        match &mut last {
            Some((value, length)) if *value == next => *length += 1,
            Some(_) | None => {
                push(&mut text, last.as_ref());
                last = Some((next, 1));
            }
        }
    }
    push(&mut text, last.as_ref());
    text
}

fn push(text: &mut String, run: Option<&(String, usize)>) {
    let Some((value, length)) = run else { return };
    if !text.is_empty() {
        text.push(' ');
    }
    text.push_str(value);
    if *length > 1 {
        write!(text, "*{length}").expect("strings do not fail");
    }
}

/// Hexadecimal digits without a prefix and without zeros in front.
pub(super) fn hexadecimal(value: &BitVec) -> String {
    match value.to_u64() {
        Some(small) => format!("{small:x}"),
        None => value.to_big().in_radix(16).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads runs back: by cycle, the value and the mask, where `None` is unknown.
    fn decode(text: &str) -> Vec<Option<(u64, Option<u64>)>> {
        let number = |text: &str| u64::from_str_radix(text, 16).unwrap();
        let mut cycles = Vec::new();
        for run in text.split(' ') {
            let (value, length) = run.split_once('*').unwrap_or((run, "1"));
            let reading = match value.split_once('/') {
                Some((value, mask)) => Some((number(value), Some(number(mask)))),
                None if value == "x" => None,
                None => Some((number(value), None)),
            };
            cycles.extend(std::iter::repeat_n(reading, length.parse().unwrap()));
        }
        cycles
    }

    #[test]
    fn runs_reproduce_the_values() {
        let mut random = elinvar_ir::Rng::new(7);
        for _ in 0..50 {
            let mut values = Vec::new();
            while values.len() < 40 {
                let (value, mask) = (random.next_u64() % 4, random.next_u64() % 16);
                let length = 1 + random.next_u64() as usize % 5;
                values.extend(std::iter::repeat_n((value, mask), length));
            }
            let words: Vec<BitVec> = values.iter().map(|&(v, _)| BitVec::new(4, v)).collect();
            let masks = values.iter().map(|&(_, mask)| BitVec::new(4, mask));
            let readings = words.iter().zip(masks).map(|(value, mask)| Reading { value, mask });
            let expected: Vec<_> = (values.iter())
                .map(|&(value, mask)| match mask {
                    0 => None,
                    15 => Some((value, None)),
                    _ => Some((value & mask, Some(mask))),
                })
                .collect();
            assert_eq!(decode(&encode(readings)), expected);
        }
    }

    #[test]
    fn runs_are_short() {
        let values = [0, 0, 0, 0x1f].map(|value| BitVec::new(8, value));
        let all = |value| Reading { value, mask: BitVec::ones(8) };
        assert_eq!(encode(values.iter().map(all)), "0*3 1f");
        let open = |value| Reading { value, mask: BitVec::new(8, 0xc) };
        assert_eq!(encode(values[2..].iter().map(open)), "0/c c/c");
        assert_eq!(encode(std::iter::empty()), "");
        let wide = BitVec::ones(72);
        assert_eq!(hexadecimal(&wide), "f".repeat(18));
    }
}
