//! Which cycles of a long execution are shown, in pages that fit the width.
//!
//! A page begins with all values; after that, it shows changes. Cycles without any change are
//! left out, and so are pages in the middle if there are too many.

use std::ops::Range;

/// Lines of a table of signals before pages in the middle are left out.
const LINES: usize = 60;

/// Columns of the mark of a gap.
const GAP: usize = 3;

/// What a table is like before it is cut into pages.
pub struct Shape<'a> {
    /// How many cycles the execution has.
    pub cycles: usize,
    /// Columns for the values.
    pub room: usize,
    /// Lines of a page.
    pub height: usize,
    /// Does any value differ from that of the cycle before?
    pub changes: &'a dyn Fn(usize) -> bool,
    /// Columns of a cycle, of which all values are shown or only those that change.
    pub width: &'a dyn Fn(usize, bool) -> usize,
}

/// A cycle on a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Column {
    pub cycle: usize,
    pub width: usize,
    /// Are all values shown, and not only those that change?
    pub full: bool,
    /// Are cycles left out before it?
    pub after_gap: bool,
}

/// Some cycles side by side.
pub type Page = Vec<Column>;

/// The pages, and what is between them.
#[derive(Default)]
pub struct Pages {
    /// The pages up to the gap; all if there is none.
    pub first: Vec<Page>,
    /// Cycles with changes that are left out.
    pub left_out: Option<Range<usize>>,
    /// The pages after the gap.
    pub last: Vec<Page>,
}

impl Shape<'_> {
    /// All cycles with all their values.
    pub fn complete(&self) -> Vec<Page> {
        let all: Vec<usize> = (0..self.cycles).collect();
        self.paginate(&all, |_| true)
    }

    /// The pages that tell most.
    pub fn pages(&self) -> Pages {
        let complete = self.complete();
        if complete.len() <= 1 {
            return Pages { first: complete, ..Pages::default() };
        }
        let shown = self.changing();
        let mut first = self.paginate(&shown, |_| false);
        // A blank line separates pages.
        let most = LINES / (self.height + 1);
        if first.len() <= most.max(1) {
            return Pages { first, ..Pages::default() };
        }
        if most < 2 {
            return self.ends(&shown);
        }
        let kept = (most / 3).max(1);
        let last = first.split_off(first.len() - (most - kept));
        first.truncate(kept);
        let end = |page: Option<&Page>| page.and_then(|page| page.last()).map(|c| c.cycle + 1);
        let start = |page: Option<&Page>| page.and_then(|page| page.first()).map(|c| c.cycle);
        let left_out = end(first.last()).unwrap_or(0)..start(last.first()).unwrap_or(self.cycles);
        Pages { first, left_out: Some(left_out), last }
    }

    /// The cycles in which something changes, the first one and the last two. A gap of one
    /// cycle is not worth its mark.
    fn changing(&self) -> Vec<usize> {
        let is_kept = |t: usize| t == 0 || t + 2 >= self.cycles || (self.changes)(t);
        let is_shown = |&t: &usize| is_kept(t) || (is_kept(t - 1) && is_kept(t + 1));
        (0..self.cycles).filter(is_shown).collect()
    }

    fn paginate(&self, shown: &[usize], full: impl Fn(usize) -> bool) -> Vec<Page> {
        let mut pages: Vec<Page> = Vec::new();
        let (mut used, mut before) = (0, None);
        for &cycle in shown {
            let after_gap = cycle != before.map_or(0, |before| before + 1);
            before = Some(cycle);
            let column = |full| Column { cycle, width: (self.width)(cycle, full), full, after_gap };
            let next = column(full(cycle));
            let cost = cost(&next);
            match pages.last_mut() {
                Some(page) if used + cost <= self.room => {
                    used += cost;
                    page.push(next);
                }
                Some(_) | None => {
                    let first = column(true);
                    used = self::cost(&first);
                    pages.push(vec![first]);
                }
            }
        }
        pages
    }

    /// One page with as many of the cycles as fit, from both ends; always the first and the
    /// last two.
    fn ends(&self, shown: &[usize]) -> Pages {
        let end = shown.len();
        let width = |at: usize| (self.width)(shown[at], true) + 1;
        let (mut head, mut tail) = (1, end - 2);
        let mut used = width(0) + width(end - 2) + width(end - 1) + GAP;
        while tail > head + 1 {
            // The end of the execution matters more: it gets two columns of three.
            let from_tail = end - tail < 2 * head;
            used += width(if from_tail { tail - 1 } else { head });
            if used > self.room {
                break;
            }
            if from_tail {
                tail -= 1;
            } else {
                head += 1;
            }
        }
        let column = |at: usize| {
            let cycle = shown[at];
            let after_gap = at == tail || at > 0 && shown[at - 1] + 1 != cycle;
            Column { cycle, width: (self.width)(cycle, true), full: true, after_gap }
        };
        let page = (0..head).chain(tail..end).map(column).collect();
        let left_out = Some(shown[head - 1] + 1..shown[tail]);
        Pages { first: vec![page], left_out, last: Vec::new() }
    }
}

fn cost(column: &Column) -> usize {
    column.width + 1 + if column.after_gap { GAP } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(cycles: usize, height: usize, changes: &dyn Fn(usize) -> bool) -> Pages {
        let width = |_, full: bool| if full { 4 } else { 2 };
        Shape { cycles, room: 20, height, changes, width: &width }.pages()
    }

    fn cycles(pages: &[Page]) -> Vec<Vec<usize>> {
        pages.iter().map(|page| page.iter().map(|column| column.cycle).collect()).collect()
    }

    #[test]
    fn short_executions_are_shown_as_a_whole() {
        let pages = pages(4, 3, &|_| false);
        assert_eq!(cycles(&pages.first), [[0, 1, 2, 3]]);
        assert!(pages.first[0].iter().all(|column| column.full && !column.after_gap));
    }

    #[test]
    fn cycles_without_changes_are_left_out() {
        let pages = pages(100, 3, &|t| t == 50 || t == 52);
        assert_eq!(cycles(&pages.first), [vec![0, 50, 51, 52], vec![98, 99]]);
        let gaps: Vec<usize> =
            pages.first.iter().flatten().filter(|c| c.after_gap).map(|c| c.cycle).collect();
        assert_eq!(gaps, [50, 98]);
        assert_eq!(pages.left_out, None, "no change is left out");
    }

    #[test]
    fn pages_begin_with_all_values_and_go_on_with_changes() {
        let pages = pages(12, 3, &|_| true);
        assert_eq!(cycles(&pages.first), [vec![0, 1, 2, 3, 4, 5], vec![6, 7, 8, 9, 10, 11]]);
        let full: Vec<usize> =
            pages.first.iter().flatten().filter(|c| c.full).map(|c| c.cycle).collect();
        assert_eq!(full, [0, 6]);
    }

    #[test]
    fn pages_in_the_middle_are_left_out() {
        let pages = pages(600, 14, &|_| true);
        assert_eq!((pages.first.len(), pages.last.len()), (1, 3), "four pages of 15 lines");
        assert_eq!(pages.left_out, Some(6..582));
        assert_eq!(pages.last[0][0].cycle, 582);
    }

    #[test]
    fn many_signals_have_one_page_with_both_ends() {
        let pages = pages(200, 40, &|_| true);
        assert_eq!(cycles(&pages.first), [[0, 198, 199]]);
        assert_eq!(pages.left_out, Some(1..198));
    }
}
