//! Classes of registers or gates that may be equal up to complement, or constant.

/// A partition; things that are alone are not mentioned.
pub(super) struct Classes {
    classes: Vec<Class>,
    /// By thing: is it the complement of what its class has in common?
    complement: Vec<bool>,
    /// By thing: the number of its class.
    class_of: Vec<u32>,
}

struct Class {
    /// Is the common value false?
    constant: bool,
    /// Unless constant, the first one represents the others.
    members: Vec<u32>,
}

const ALONE: u32 = u32::MAX;

impl Classes {
    /// All things on their own, with the complement that each would have in a class.
    pub fn new(complement: Vec<bool>) -> Self {
        Classes { classes: Vec::new(), class_of: vec![ALONE; complement.len()], complement }
    }

    /// Puts together things that were on their own. The first one represents the
    /// others, or else a constant does.
    pub fn add(&mut self, constant: bool, members: Vec<u32>) {
        if members.len() + usize::from(constant) < 2 {
            members.iter().for_each(|&member| self.class_of[member as usize] = ALONE);
            return;
        }
        for &member in &members {
            self.class_of[member as usize] = self.classes.len() as u32;
        }
        self.classes.push(Class { constant, members });
    }

    /// The things that another one, or a constant, represents.
    pub fn represented(&self) -> impl Iterator<Item = usize> + '_ {
        let others = |class: &'_ Class| usize::from(!class.constant);
        let classes = self.classes.iter();
        classes.flat_map(move |class| class.members.iter().skip(others(class)).map(|&m| m as usize))
    }

    /// What represents the thing: another one, or none for the constant false, and
    /// whether it is complemented. Nothing if the thing is on its own.
    pub fn representative(&self, thing: usize) -> Option<(Option<usize>, bool)> {
        let class = self.classes.get(self.class_of[thing] as usize)?;
        if class.constant {
            return Some((None, self.complement[thing]));
        }
        let first = class.members[0] as usize;
        let complement = self.complement[thing] != self.complement[first];
        (first != thing).then_some((Some(first), complement))
    }

    /// Splits classes whose members differ in their words, or have another one than
    /// zero in a constant class; `flip` makes the word of a complement. True if there
    /// were any.
    pub fn split(&mut self, word: impl Fn(usize) -> u64, flip: impl Fn(u64) -> u64) -> bool {
        let old = std::mem::take(&mut self.classes);
        let complement = std::mem::take(&mut self.complement);
        let normal = |member: u32| {
            let word = word(member as usize);
            if complement[member as usize] { flip(word) } else { word }
        };
        let mut changed = false;
        let mut kept = Vec::with_capacity(old.len());
        for class in old {
            let Some(&first) = class.members.first() else { continue };
            let reference = if class.constant { 0 } else { normal(first) };
            if class.members.iter().all(|&member| normal(member) == reference) {
                kept.push(class);
                continue;
            }
            changed = true;
            let mut others: Vec<(u64, u32)> = Vec::new();
            let mut same = Vec::new();
            for &member in &class.members {
                match normal(member) {
                    word if word == reference => same.push(member),
                    word => others.push((word, member)),
                }
            }
            kept.push(Class { constant: class.constant, members: same });
            others.sort_by_key(|&(word, _)| word);
            for group in others.chunk_by(|a, b| a.0 == b.0) {
                let members = group.iter().map(|&(_, member)| member).collect();
                kept.push(Class { constant: false, members });
            }
        }
        self.complement = complement;
        for class in kept {
            self.add(class.constant, class.members);
        }
        changed
    }

    /// Puts a thing on its own.
    pub fn remove(&mut self, thing: usize) {
        let number = std::mem::replace(&mut self.class_of[thing], ALONE);
        if let Some(class) = self.classes.get_mut(number as usize) {
            class.members.retain(|&member| member as usize != thing);
            if !class.constant && class.members.len() == 1 {
                self.class_of[class.members[0] as usize] = ALONE;
                class.members.clear();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_split_classes_up_to_complement() {
        let mut classes = Classes::new(vec![false, true, false, false, true]);
        classes.add(true, vec![0, 1, 2, 3, 4]);
        assert_eq!(classes.representative(1), Some((None, true)));
        let words = [0u64, !0, 6, 6, !6];
        assert!(classes.split(|i| words[i], |word| !word));
        assert!(!classes.split(|i| words[i], |word| !word));
        assert_eq!(classes.represented().collect::<Vec<_>>(), [0, 1, 3, 4]);
        assert_eq!(classes.representative(0), Some((None, false)));
        assert_eq!(classes.representative(2), None);
        assert_eq!(classes.representative(4), Some((Some(2), true)));
        classes.remove(2);
        assert_eq!(classes.representative(4), Some((Some(3), true)));
        classes.remove(4);
        assert_eq!(classes.represented().collect::<Vec<_>>(), [0, 1]);
        assert_eq!(classes.representative(3), None);
    }
}
