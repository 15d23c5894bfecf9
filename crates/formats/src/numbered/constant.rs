//! Constants written in digits, and a limit to what they may cost.

use dashu_int::UBig;
use elinvar_ir::{BitVec, ExprId, Pool, Sort};

use super::scanner::Word;
use crate::Diagnostic;

/// A constant operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Constant {
    Zero,
    One,
    Ones,
    /// The number follows in digits.
    Digits(Radix),
}

/// How a constant is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Radix {
    Binary,
    /// With an optional minus sign: two's complement.
    Decimal,
    Hexadecimal,
}

impl Radix {
    fn base(self) -> u32 {
        match self {
            Radix::Binary => 2,
            Radix::Decimal => 10,
            Radix::Hexadecimal => 16,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Radix::Binary => "a binary",
            Radix::Decimal => "a decimal",
            Radix::Hexadecimal => "a hexadecimal",
        }
    }

    /// More significant digits than this cannot fit in the width, whatever
    /// they are; so that parsing costs no more than the value is worth.
    fn most_digits(self, width: u32) -> usize {
        let width = width as usize;
        match self {
            Radix::Binary => width,
            Radix::Decimal => width / 3 + 1,
            Radix::Hexadecimal => width.div_ceil(4),
        }
    }
}

/// The value of the digits in `text`, which stand at `word`.
pub(crate) fn read_constant(
    radix: Radix,
    width: u32,
    text: &[u8],
    word: Word,
) -> Result<BitVec, Diagnostic> {
    let negative = radix == Radix::Decimal && text.first() == Some(&b'-');
    let digits = if negative { &text[1..] } else { text };
    let is_digit = |byte: &u8| char::from(*byte).is_digit(radix.base());
    if digits.is_empty() || !digits.iter().all(is_digit) {
        return Err(word.error(format!("expected {} number", radix.name())));
    }
    let too_large = || word.error(format!("the constant does not fit in width {width}"));
    let zeros = digits.iter().take_while(|&&byte| byte == b'0').count();
    let significant = &digits[zeros..];
    if significant.is_empty() {
        return Ok(BitVec::zero(width));
    }
    if significant.len() > radix.most_digits(width) {
        return Err(too_large());
    }
    let text = std::str::from_utf8(significant).expect("digits are ASCII");
    let magnitude = match u64::from_str_radix(text, radix.base()) {
        Ok(small) => UBig::from(small),
        Err(_) => UBig::from_str_radix(text, radix.base()).map_err(|_| too_large())?,
    };
    // -2^(w-1) ≤ value < 2^w
    let fits = if negative {
        magnitude <= UBig::ONE << (width as usize - 1)
    } else {
        magnitude < UBig::ONE << width as usize
    };
    if !fits {
        return Err(too_large());
    }
    let value = BitVec::from_big(width, magnitude);
    Ok(if negative { value.neg() } else { value })
}

/// Limits the memory that wide constants take: `ones 1000000` is a short line,
/// and so is the negation of another constant.
pub(crate) struct Budget {
    bits: u64,
}

impl Budget {
    /// Proportional to the file, so that long honest files are read.
    pub fn new(file_bytes: usize) -> Self {
        Budget { bits: (1 << 28) + 64 * file_bytes as u64 }
    }

    /// Pays for a constant of this width.
    pub fn spend(&mut self, width: u32, word: Word) -> Result<(), Diagnostic> {
        if width <= 64 {
            return Ok(());
        }
        self.bits = self.bits.checked_sub(width.into()).ok_or_else(|| {
            word.error("the constants of this file are too large in total")
                .with_help("wide constants are kept in full; use narrower ones or fewer of them")
        })?;
        Ok(())
    }

    /// Pays for what an operator on `operands` may make of constants.
    pub fn spend_on(
        &mut self,
        pool: &Pool,
        result: Sort,
        operands: impl Iterator<Item = ExprId> + Clone,
        word: Word,
    ) -> Result<(), Diagnostic> {
        let width = |id| pool.sort(id).width().unwrap_or(0);
        let widest = operands.clone().map(width).max().unwrap_or(0);
        let widest = widest.max(result.width().unwrap_or(0));
        if widest > 64 && operands.clone().any(|id| pool.const_value(id).is_some()) {
            self.spend(widest, word)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(radix: Radix, width: u32, text: &str) -> Option<String> {
        let word = Word { start: 0, end: text.len() };
        read_constant(radix, width, text.as_bytes(), word).ok().map(|value| value.to_decimal())
    }

    #[test]
    fn digits_of_three_kinds() {
        for (radix, width, text, value) in [
            (Radix::Binary, 4, "0101", Some("5")),
            (Radix::Binary, 4, "11111", None),
            (Radix::Binary, 4, "2", None),
            (Radix::Decimal, 4, "15", Some("15")),
            (Radix::Decimal, 4, "16", None),
            (Radix::Decimal, 4, "-8", Some("8")),
            (Radix::Decimal, 4, "-9", None),
            (Radix::Decimal, 4, "-0", Some("0")),
            (Radix::Decimal, 4, "-", None),
            (Radix::Decimal, 1, "-1", Some("1")),
            (Radix::Decimal, 65, "18446744073709551616", Some("18446744073709551616")),
            (Radix::Decimal, 64, "18446744073709551616", None),
            (Radix::Decimal, 64, "0000000000000000000000000007", Some("7")),
            (Radix::Hexadecimal, 5, "1F", Some("31")),
            (Radix::Hexadecimal, 5, "20", None),
            (Radix::Hexadecimal, 8, "fG", None),
            (Radix::Hexadecimal, 72, "ffffffffffffffffff", Some("4722366482869645213695")),
        ] {
            assert_eq!(read(radix, width, text).as_deref(), value, "{radix:?} {width} {text}");
        }
    }
}
