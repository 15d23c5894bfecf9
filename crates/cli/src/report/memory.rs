//! Memories in a trace, listed by their changes.

use std::fmt::Write;

use elinvar::readable::count;
use elinvar::readable::relevance::Known;
use elinvar::readable::waves::Signal;
use elinvar_ir::{ArrayValue, BitVec};

use super::columns::flow;
use super::table::{Look, show};
use crate::trace_options::Radix;

/// Array elements listed for a cycle.
const ELEMENTS: usize = 8;
/// Cycles in which changes of a memory are listed.
const MEMORY_LINES: usize = 12;

/// The contents at the start, then what changes. Elements that do not matter are left out.
pub fn render(text: &mut String, memory: &Signal, look: Look) {
    let name = &memory.net.name;
    let contents = |t: usize| Contents { array: memory.values[t].array(), known: &memory.known[t] };
    let line = |t: usize| {
        let changes = changes(t.checked_sub(1).map(contents), contents(t), look)?;
        let when = if look.numbered { format!(" in cycle {t}") } else { String::new() };
        Some(flow(&format!("  mem {name}{when}: {changes}\n"), look.limit()))
    };
    let lines: Vec<String> = (0..memory.values.len()).filter_map(line).collect();
    if look.complete || lines.len() <= MEMORY_LINES {
        text.extend(lines);
        return;
    }
    // The end of the execution matters more.
    let (first, last) = (MEMORY_LINES / 3, MEMORY_LINES - MEMORY_LINES / 3);
    let left_out = lines.len() - first - last;
    text.extend(lines[..first].iter().map(String::as_str));
    writeln!(text, "  mem {name}: … changes in {}", count(left_out, "more cycle"))
        .expect("strings do not fail");
    text.extend(lines[lines.len() - last..].iter().map(String::as_str));
}

/// What a memory contains in a cycle, and which bits of that matter.
#[derive(Clone, Copy)]
struct Contents<'a> {
    array: &'a ArrayValue,
    known: &'a Known,
}

impl<'a> Contents<'a> {
    /// An element, if some of its bits matter.
    fn read(self, index: &BitVec) -> Option<&'a BitVec> {
        self.known.element(index).is_any().then(|| self.array.read(index))
    }

    /// The other elements, if they matter.
    fn others(self) -> Option<&'a BitVec> {
        let matter = match self.known {
            Known::All => true,
            Known::Mask(mask) => !mask.array().default_element().is_zero(),
        };
        matter.then(|| self.array.default_element())
    }

    /// The addresses of elements that may differ from the others.
    fn addresses(self) -> Vec<BitVec> {
        let masked = match self.known {
            Known::All => None,
            Known::Mask(mask) => Some(mask.array()),
        };
        let arrays = std::iter::once(self.array).chain(masked);
        arrays.flat_map(ArrayValue::entries).map(|(index, _)| index.clone()).collect()
    }
}

fn changes(before: Option<Contents<'_>>, now: Contents<'_>, look: Look) -> Option<String> {
    let same_others = before.filter(|before| before.others() == now.others());
    let mut addresses = now.addresses();
    addresses.extend(same_others.map(Contents::addresses).unwrap_or_default());
    addresses.sort();
    addresses.dedup();
    let changed = addresses.into_iter().filter_map(|index| {
        let element = now.read(&index)?;
        let is_new = same_others.is_none_or(|before| before.read(&index) != Some(element));
        is_new.then_some((index, element))
    });
    let parts: Vec<(BitVec, &BitVec)> = changed.collect();
    let show = |value: &BitVec| show(value, &Known::All, look);
    // Addresses are never negative.
    let address = |index: &BitVec| match look.radix {
        Radix::Signed => {
            super::table::show(index, &Known::All, Look { radix: Radix::Decimal, ..look })
        }
        Radix::Auto | Radix::Binary | Radix::Decimal | Radix::Hex => show(index),
    };
    let most = if look.complete { usize::MAX } else { ELEMENTS };
    let listed = parts.iter().take(most);
    let mut shown: Vec<String> =
        listed.map(|(i, e)| format!("[{}] = {}", address(i), show(e))).collect();
    if parts.len() > most {
        shown.push(format!("{} more", parts.len() - most));
    }
    if let (None, Some(others)) = (same_others, now.others()) {
        let rest = if shown.is_empty() { "all" } else { "all else" };
        shown.push(format!("{rest} = {}", show(others)));
    }
    (!shown.is_empty()).then(|| shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::table::render;
    use crate::report::table::tests::{look, signal};
    use elinvar::readable::nets::Kind;
    use elinvar::readable::waves::Waves;

    #[test]
    fn memories_are_listed_by_their_changes() {
        let zero = ArrayValue::constant(4, BitVec::zero(8));
        let mut written = zero.clone();
        written.write(BitVec::new(4, 3), BitVec::new(8, 7));
        let values = vec![zero.clone().into(), written.clone().into(), written.into(), zero.into()];
        let waves = Waves {
            signals: vec![signal("m", Kind::Register, values)],
            cycles: 4,
            loop_start: None,
        };
        let text = render(&waves, look(80));
        let expected = "  mem m in cycle 0: all = 0\n  mem m in cycle 1: [3] = 7\n  \
                        mem m in cycle 3: [3] = 0\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn elements_that_do_not_matter_are_left_out() {
        let mut array = ArrayValue::constant(4, BitVec::zero(8));
        array.write(BitVec::new(4, 3), BitVec::new(8, 7));
        array.write(BitVec::new(4, 5), BitVec::new(8, 9));
        let mut mask = ArrayValue::constant(4, BitVec::zero(8));
        mask.write(BitVec::new(4, 3), BitVec::ones(8));
        let mut memory = signal("m", Kind::Register, vec![array.clone().into(), array.into()]);
        memory.known[0] = Known::of(mask.clone().into());
        mask.write(BitVec::new(4, 5), BitVec::ones(8));
        memory.known[1] = Known::of(mask.into());
        let text = render(&Waves { signals: vec![memory], cycles: 2, loop_start: None }, look(80));
        assert_eq!(text, "  mem m in cycle 0: [3] = 7\n  mem m in cycle 1: [5] = 9\n");
    }

    #[test]
    fn memories_with_many_changes_lose_those_in_the_middle() {
        let mut array = ArrayValue::constant(4, BitVec::zero(8));
        let mut values = Vec::new();
        for t in 0..40 {
            array.write(BitVec::new(4, 3), BitVec::new(8, t + 1));
            values.push(array.clone().into());
        }
        let waves = Waves {
            signals: vec![signal("m", Kind::Register, values)],
            cycles: 40,
            loop_start: None,
        };
        let text = render(&waves, look(80));
        assert_eq!(text.lines().count(), 13, "{text}");
        assert!(text.contains("  mem m: … changes in 28 more cycles\n"), "{text}");
        assert!(text.ends_with("  mem m in cycle 39: [3] = 40\n"), "{text}");
        let all = render(&waves, Look { complete: true, ..look(80) });
        assert_eq!(all.lines().count(), 40);
    }
}
