//! Every operator on all values of small widths, in both formats.

use crate::{Format, output};

/// A file that applies `keyword` to operands, among them the two inputs `A` and
/// `B`, of these widths; the result, which gets the width `result`, is the output. BTOR has outputs only
/// of more than one bit and beside registers.
fn file(format: Format, keyword: &str, widths: [u32; 2], result: u32, operands: &str) -> String {
    let [a, b] = widths;
    match format {
        Format::Btor => {
            let operands = operands.replace('A', "1").replace('B', "2");
            format!(
                "1 var {a}\n2 var {b}\n3 var 1\n4 next 1 3 3\n5 {keyword} {result} {operands}\n\
             6 uext {wide} 5 1\n7 root {wide} 6\n",
                wide = result + 1
            )
        }
        Format::Btor2 => {
            let operands = operands.replace('A', "4").replace('B', "5");
            format!(
                "1 sort bitvec {a}\n2 sort bitvec {b}\n3 sort bitvec {result}\n\
             4 input 1\n5 input 2\n6 {keyword} 3 {operands}\n7 output 6\n"
            )
        }
    }
}

fn check_format(
    format: Format,
    keyword: &str,
    widths: [u32; 2],
    result: u32,
    operands: &str,
    expected: &impl Fn(i64, i64) -> i64,
) {
    let source = file(format, keyword, widths, result, operands);
    for x in 0..1u64 << widths[0] {
        for y in 0..1u64 << widths[1] {
            let expected = (expected(x as i64, y as i64) & ((1i64 << result) - 1)) as u64;
            assert_eq!(output(format, &source, &[x, y]), expected, "{format:?} {keyword} {x} {y}");
        }
    }
}

/// An operator that both formats call by the same name, on three bits.
fn check(keyword: &str, result: u32, arity: usize, expected: impl Fn(i64, i64) -> i64) {
    for format in [Format::Btor, Format::Btor2] {
        check_format(format, keyword, [3, 3], result, ["A", "A B"][arity - 1], &expected);
    }
}

/// A word of three bits as a signed number.
fn s(x: i64) -> i64 {
    if x >= 4 { x - 8 } else { x }
}

#[test]
fn unary_operators() {
    check("not", 3, 1, |x, _| !x);
    check("neg", 3, 1, |x, _| -x);
    check("inc", 3, 1, |x, _| x + 1);
    check("dec", 3, 1, |x, _| x - 1);
    check("redand", 1, 1, |x, _| i64::from(x == 7));
    check("redor", 1, 1, |x, _| i64::from(x != 0));
    check("redxor", 1, 1, |x, _| i64::from(x.count_ones()));
}

#[test]
fn bitwise_and_arithmetic_operators() {
    check("and", 3, 2, |x, y| x & y);
    check("or", 3, 2, |x, y| x | y);
    check("xor", 3, 2, |x, y| x ^ y);
    check("nand", 3, 2, |x, y| !(x & y));
    check("nor", 3, 2, |x, y| !(x | y));
    check("xnor", 3, 2, |x, y| !(x ^ y));
    check("add", 3, 2, |x, y| x + y);
    check("sub", 3, 2, |x, y| x - y);
    check("mul", 3, 2, |x, y| x * y);
    check("udiv", 3, 2, |x, y| if y == 0 { 7 } else { x / y });
    check("urem", 3, 2, |x, y| if y == 0 { x } else { x % y });
    let sdiv = |x, y| match s(y) {
        0 if s(x) < 0 => 1,
        0 => -1,
        y => s(x) / y,
    };
    check("sdiv", 3, 2, sdiv);
    check("srem", 3, 2, |x, y| if y == 0 { x } else { s(x) % s(y) });
    let smod = |x, y| if y == 0 { x } else { (s(x) % s(y) + s(y)) % s(y) };
    check("smod", 3, 2, smod);
    check("concat", 6, 2, |x, y| x << 3 | y);
}

#[test]
fn comparisons_and_overflows() {
    let bit = i64::from;
    check("eq", 1, 2, |x, y| bit(x == y));
    let unequal = |x, y| bit(x != y);
    check_format(Format::Btor, "ne", [3, 3], 1, "A B", &unequal);
    check_format(Format::Btor2, "neq", [3, 3], 1, "A B", &unequal);
    check("ult", 1, 2, |x, y| bit(x < y));
    check("ulte", 1, 2, |x, y| bit(x <= y));
    check("ugt", 1, 2, |x, y| bit(x > y));
    check("ugte", 1, 2, |x, y| bit(x >= y));
    check("slt", 1, 2, |x, y| bit(s(x) < s(y)));
    check("slte", 1, 2, |x, y| bit(s(x) <= s(y)));
    check("sgt", 1, 2, |x, y| bit(s(x) > s(y)));
    check("sgte", 1, 2, |x, y| bit(s(x) >= s(y)));
    let signed = |z: i64| bit(!(-4..4).contains(&z));
    let unsigned = |z: i64| bit(!(0..8).contains(&z));
    check("uaddo", 1, 2, |x, y| unsigned(x + y));
    check("saddo", 1, 2, |x, y| signed(s(x) + s(y)));
    check("usubo", 1, 2, |x, y| unsigned(x - y));
    check("ssubo", 1, 2, |x, y| signed(s(x) - s(y)));
    check("umulo", 1, 2, |x, y| unsigned(x * y));
    check("smulo", 1, 2, |x, y| signed(s(x) * s(y)));
    check_format(Format::Btor2, "udivo", [3, 3], 1, "A B", &|_, _| 0);
    check("sdivo", 1, 2, |x, y| bit(s(x) == -4 && s(y) == -1));
}

/// In BTOR a word of four bits is shifted by an amount of two, or by one of four as any
/// other width in either format.
#[test]
fn shifts_and_rotations() {
    let btor = |keyword, expected: fn(i64, i64) -> i64| {
        check_format(Format::Btor, keyword, [4, 2], 4, "A B", &expected);
    };
    btor("sll", |x, y| x << y);
    btor("srl", |x, y| x >> y);
    btor("sra", |x, y| (if x >= 8 { x - 16 } else { x }) >> y);
    btor("rol", |x, y| x << y | x >> (4 - y));
    btor("ror", |x, y| x >> y | x << (4 - y));
    for format in [Format::Btor, Format::Btor2] {
        let three = |keyword, expected: fn(i64, i64) -> i64| {
            check_format(format, keyword, [3, 3], 3, "A B", &expected);
        };
        three("sll", |x, y| if y >= 3 { 0 } else { x << y });
        three("srl", |x, y| if y >= 3 { 0 } else { x >> y });
        three("sra", |x, y| s(x) >> y.min(2));
        three("rol", |x, y| x << (y % 3) | x >> (3 - y % 3));
        three("ror", |x, y| x >> (y % 3) | x << (3 - y % 3));
        let four = |keyword, expected: fn(i64, i64) -> i64| {
            check_format(format, keyword, [4, 4], 4, "A B", &expected);
        };
        four("sll", |x, y| if y >= 4 { 0 } else { x << y });
        four("sra", |x, y| (if x >= 8 { x - 16 } else { x }) >> y.min(3));
        four("rol", |x, y| x << (y % 4) | x >> (4 - y % 4));
        four("ror", |x, y| x >> (y % 4) | x << (4 - y % 4));
        check_format(format, "sll", [1, 1], 1, "A B", &|x, y| if y >= 1 { 0 } else { x });
        check_format(format, "ror", [1, 1], 1, "A B", &|x, _| x);
    }
}

#[test]
fn booleans() {
    for format in [Format::Btor, Format::Btor2] {
        check_format(format, "implies", [1, 1], 1, "A B", &|x, y| i64::from(x <= y));
        check_format(format, "iff", [1, 1], 1, "A B", &|x, y| i64::from(x == y));
    }
}

#[test]
fn slices_extensions_conditionals_and_negated_references() {
    for format in [Format::Btor, Format::Btor2] {
        let ite = if format == Format::Btor { "cond" } else { "ite" };
        check_format(format, ite, [1, 3], 3, "A B -B", &|x, y| if x == 1 { y } else { !y });
        check_format(format, ite, [1, 3], 3, "-A B -B", &|x, y| if x == 1 { !y } else { y });
        check_format(format, "and", [3, 3], 3, "-A -B", &|x, y| !x & !y);
        check_format(format, "add", [3, 3], 3, "-A B", &|x, y| !x + y);
        check_format(format, "slice", [3, 3], 1, "-A 0 0", &|x, _| !x);
        check_format(format, "slice", [3, 3], 2, "A 2 1", &|x, _| x >> 1);
        check_format(format, "uext", [3, 3], 3, "A 0", &|x, _| x);
        check_format(format, "uext", [3, 3], 6, "A 3", &|x, _| x);
        check_format(format, "sext", [3, 3], 6, "A 3", &|x, _| s(x));
        check_format(format, "sext", [3, 3], 6, "-A 3", &|x, _| s(!x & 7));
    }
}

#[test]
fn constants() {
    for format in [Format::Btor, Format::Btor2] {
        let check = |keyword, digits, value| {
            check_format(format, keyword, [1, 1], 4, digits, &|_, _| value);
        };
        check("zero", "", 0);
        check("one", "; a comment", 1);
        check("ones", "", 15);
        check("constd", "0", 0);
        check("constd", "-3", 13);
        check("constd", "9", 9);
        check("consth", "e", 14);
        check("consth", "E", 14);
        check("const", "0110", 6);
        check("constd", "11", 11);
    }
}
