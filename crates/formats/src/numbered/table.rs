//! What a line number stands for.

use rustc_hash::FxHashMap;

/// A map from line numbers: a plain vector as long as the numbers stay near
/// the number of lines, a hash map for those that do not. A file of ten lines
/// may use the number 10^12.
pub(crate) struct IdTable<T> {
    dense: Vec<Option<T>>,
    sparse: FxHashMap<u64, T>,
    lines: u64,
}

impl<T: Copy> IdTable<T> {
    pub fn new() -> Self {
        IdTable { dense: Vec::new(), sparse: FxHashMap::default(), lines: 0 }
    }

    pub fn get(&self, id: u64) -> Option<T> {
        let dense = usize::try_from(id).ok().and_then(|id| self.dense.get(id).copied().flatten());
        match dense {
            None if !self.sparse.is_empty() => self.sparse.get(&id).copied(),
            found => found,
        }
    }

    /// Sets the meaning of a number that has none yet.
    pub fn insert(&mut self, id: u64, meaning: T) {
        self.lines += 1;
        if id < self.dense.len() as u64 {
            self.dense[id as usize] = Some(meaning);
        } else if id <= 4 * self.lines + 1024 {
            self.dense.resize(id as usize + 1, None);
            self.dense[id as usize] = Some(meaning);
        } else {
            self.sparse.insert(id, meaning);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_and_far_numbers() {
        let mut table = IdTable::new();
        table.insert(1, 'a');
        table.insert(3000, 'b');
        table.insert(1_000_000_000_000, 'c');
        for id in 2..1500 {
            table.insert(id, 'd');
        }
        // Now 3000 lies in the range of the vector, but was put into the map.
        table.insert(4000, 'e');
        let found: Vec<_> =
            [0, 1, 3000, 4000, 1_000_000_000_000, u64::MAX].map(|id| table.get(id)).into();
        assert_eq!(found, [None, Some('a'), Some('b'), Some('e'), Some('c'), None]);
        assert!(table.dense.len() < 10_000);
    }
}
