//! Sequences with much in common: which elements correspond.

/// More edits than this are not looked for: time and memory grow with their square.
const MOST_EDITS: usize = 1000;

/// How much work several comparisons may take together, in places looked at.
pub(super) struct Budget(pub usize);

/// Pairs the elements of two sequences of lengths `old` and `new`, in their order, so
/// that the number of edits is least: elements put in, taken out, or paired although
/// they are not equal. If the end is open, the rest of the new sequence does not count as an edit.
/// `None` if there are too many edits, or the budget is used up.
///
/// Ukkonen, "Algorithms for approximate string matching" (1985): for each number of
/// edits, how far one comes on each diagonal.
pub(super) fn align(
    old: usize,
    new: usize,
    open_end: bool,
    budget: &mut Budget,
    equal: impl Fn(usize, usize) -> bool,
) -> Option<Vec<(usize, usize)>> {
    let mut table = Table { old, new, rows: Vec::new() };
    for edits in 0..=MOST_EDITS {
        let columns = 2 * edits + 1;
        budget.0 = budget.0.checked_sub(columns)?;
        let mut row = Vec::with_capacity(columns);
        let mut end: Option<usize> = None;
        for column in 0..columns {
            let reached = table.enter(edits, column).map(|(mut at, _)| {
                while at.old < old && at.new < new && equal(at.old, at.new) {
                    at = at.diagonal();
                }
                at
            });
            row.push(reached.map_or(UNREACHED, |at| at.old as u32));
            // With an open end there may be several: rather one on the first diagonal.
            let nearer = end.is_none_or(|end| column.abs_diff(edits) <= end.abs_diff(edits));
            if nearer && reached.is_some_and(|at| at.old == old && (open_end || at.new == new)) {
                end = Some(column);
            }
        }
        table.rows.push(row);
        if let Some(column) = end {
            return Some(table.path(edits, column));
        }
    }
    None
}

/// How much of the two sequences is dealt with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place {
    old: usize,
    new: usize,
}

impl Place {
    fn diagonal(self) -> Self {
        Place { old: self.old + 1, new: self.new + 1 }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Edit {
    Replace,
    Remove,
    Insert,
}

const UNREACHED: u32 = u32::MAX;

struct Table {
    old: usize,
    new: usize,
    /// By number of edits, then by diagonal, how much of the old sequence is dealt with
    /// at the farthest. Column c of row e is the diagonal `new - old = c - e`.
    rows: Vec<Vec<u32>>,
}

impl Table {
    /// The farthest place on a diagonal.
    fn place(&self, edits: usize, column: usize) -> Option<Place> {
        let &old = self.rows[edits].get(column)?;
        let old = (old != UNREACHED).then_some(old as usize)?;
        Some(Place { old, new: old + column - edits })
    }

    /// Where the last of the edits leads to, at best, and from which column.
    fn enter(&self, edits: usize, column: usize) -> Option<(Place, Option<(Edit, usize)>)> {
        if edits == 0 {
            return Some((Place { old: 0, new: 0 }, None));
        }
        // The same diagonal is one column to the left in the row before.
        let ways = [(Edit::Replace, 1), (Edit::Remove, 0), (Edit::Insert, 2)];
        let reached = ways.into_iter().filter_map(|(edit, left)| {
            let from = column.checked_sub(left)?;
            let at = self.place(edits - 1, from)?;
            let to = match edit {
                Edit::Replace => at.diagonal(),
                Edit::Remove => Place { old: at.old + 1, ..at },
                Edit::Insert => Place { new: at.new + 1, ..at },
            };
            let inside = to.old <= self.old && to.new <= self.new;
            inside.then_some((to, Some((edit, from))))
        });
        // The first of the best: rather replaced than taken out and put in.
        reached.reduce(|best, way| if way.0.old > best.0.old { way } else { best })
    }

    /// The pairs on the way to a place, the last one first.
    fn path(&self, mut edits: usize, mut column: usize) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        while let (Some(end), Some((start, way))) =
            (self.place(edits, column), self.enter(edits, column))
        {
            pairs.extend((start.old..end.old).zip(start.new..end.new).rev());
            let Some((edit, from)) = way else { break };
            if edit == Edit::Replace {
                pairs.push((start.old - 1, start.new - 1));
            }
            (edits, column) = (edits - 1, from);
        }
        pairs
    }
}

/// The positions of a longest ascending subsequence.
pub(super) fn ascending(numbers: &[usize]) -> Vec<usize> {
    // The position of the least last number of a subsequence, by its length.
    let mut last: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(numbers.len());
    for (position, &number) in numbers.iter().enumerate() {
        let length = last.partition_point(|&end| numbers[end] < number);
        before.push(length.checked_sub(1).map(|shorter| last[shorter]));
        if length == last.len() {
            last.push(position);
        } else {
            last[length] = position;
        }
    }
    let mut chain: Vec<usize> =
        std::iter::successors(last.last().copied(), |&position| before[position]).collect();
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aligned(old: &str, new: &str, open_end: bool) -> String {
        let (a, b) = (old.as_bytes(), new.as_bytes());
        let mut budget = Budget(1000);
        let mut pairs =
            align(a.len(), b.len(), open_end, &mut budget, |x, y| a[x] == b[y]).unwrap();
        pairs.reverse();
        let shown = pairs.iter().map(|&(x, y)| format!("{}{}", a[x] as char, b[y] as char));
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_fewest_edits() {
        for (old, new, pairs) in [
            ("", "", ""),
            ("", "ab", ""),
            ("ab", "", ""),
            ("abc", "abc", "aa bb cc"),
            ("abc", "axbc", "aa bb cc"),
            ("abc", "ac", "aa cc"),
            ("abc", "xabc", "aa bb cc"),
            ("abc", "axc", "aa bx cc"),
            ("aaaab", "aaxaab", "aa aa aa aa bb"),
            ("abcdef", "bcxefg", "bb cc dx ee ff"),
        ] {
            assert_eq!(aligned(old, new, false), pairs, "{old} {new}");
        }
    }

    #[test]
    fn an_open_end_costs_nothing() {
        assert_eq!(aligned("ab", "xabcdefgh", true), "aa bb");
        assert_eq!(aligned("aa", "aaaa", true), "aa aa");
        assert_eq!(aligned("aab", "aac", true), "aa aa bc");
    }

    #[test]
    fn too_many_edits_are_given_up() {
        let different = |length, budget| {
            align(length, length, false, &mut Budget(budget), |_, _| false).map(|pairs| pairs.len())
        };
        assert_eq!(different(MOST_EDITS + 1, usize::MAX), None);
        assert_eq!(different(MOST_EDITS, usize::MAX), Some(MOST_EDITS));
        assert_eq!(different(3, 1 + 3 + 5), None);
        assert_eq!(different(3, 1 + 3 + 5 + 7), Some(3));
    }

    #[test]
    fn longest_ascending_subsequences() {
        let length = |numbers: &[usize]| {
            let chain = ascending(numbers);
            assert!(chain.is_sorted_by(|&a, &b| a < b && numbers[a] < numbers[b]));
            chain.len()
        };
        assert_eq!(length(&[]), 0);
        assert_eq!(length(&[3, 1, 2, 5, 4, 6]), 4);
        assert_eq!(length(&[5, 4, 3]), 1);
        assert_eq!(length(&[9, 0, 1, 2, 3]), 4);
    }
}
