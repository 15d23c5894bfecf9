//! Making blocked cubes larger as sets: literals are dropped one by one, as long
//! as the rest is inductive relative to the frame before (MIC, [Bradley 2011]).
//! A state that stands in the way is blocked itself if that is possible one level
//! earlier (a counterexample to generalisation, CTG), else the cube is joined with
//! it [Hassan, Bradley, Somenzi: Better Generalization in IC3, FMCAD 2013].

use super::cube::Cube;
use super::domain::{Domain, Effort, Found, Interruptible, Level, Purpose, Source, Step};
use super::frames::Frames;

/// What is done about counterexamples to generalisation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ctg {
    /// How many are blocked for one candidate in a row; zero: they just end it.
    pub max: usize,
    /// How deep lemmas made for them are themselves generalised this way.
    pub depth: usize,
    /// How many states may be blocked for one of them: with more than one, the states
    /// before it are blocked as well, so that it can be [Su et al.: extended CTG, 2025].
    pub reach: usize,
    /// If fewer of a hundred of them could be blocked lately, most are not tried.
    pub least_yield: u8,
}

/// How a blocked cube is generalised.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Generalization {
    pub ctg: Ctg,
    /// Atoms of a lemma that blocks the cube one level earlier are not tried.
    pub keep_parent: bool,
    /// Give up after so many literals in a row that could not be dropped.
    pub attempts: usize,
}

/// How often counterexamples to generalisation, or to pushing, could be blocked lately. Where that
/// hardly ever succeeds, the queries would be wasted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Yield {
    /// The part that succeeded, recent attempts counting more.
    rate: f32,
    /// Attempts that were left out since the last one that was not.
    left_out: u32,
}

impl Yield {
    /// An attempt counts for so much of the rate.
    const WEIGHT: f32 = 1.0 / 128.0;
    /// If the rate is too low, one of so many attempts is made: the rate may rise again.
    const PERIOD: u32 = 8;

    pub fn new() -> Self {
        Yield { rate: 0.5, left_out: 0 }
    }

    /// Is an attempt worth it, if so many of a hundred should succeed?
    pub fn is_worthwhile(&mut self, percent: u8) -> bool {
        if self.rate >= f32::from(percent) / 100.0 || self.left_out + 1 >= Self::PERIOD {
            self.left_out = 0;
            return true;
        }
        self.left_out += 1;
        false
    }

    pub fn note(&mut self, succeeded: bool) {
        self.rate += (f32::from(succeeded) - self.rate) * Self::WEIGHT;
    }
}

pub(crate) struct Generalizer<'a, D: Domain> {
    pub domain: &'a mut D,
    pub frames: &'a mut Frames<D>,
    pub blocking: &'a mut Yield,
}

impl<D: Domain> Generalizer<'_, D> {
    /// A cube with fewer atoms that is blocked at `level`, too.
    pub fn generalize(
        &mut self,
        atoms: Vec<D::Atom>,
        level: usize,
        how: Generalization,
    ) -> Interruptible<Cube<D::Atom>> {
        self.drop_atoms(atoms, level, how, 0)
    }

    fn drop_atoms(
        &mut self,
        atoms: Vec<D::Atom>,
        level: usize,
        how: Generalization,
        depth: usize,
    ) -> Interruptible<Cube<D::Atom>> {
        let mut needed = self.parent_atoms(&atoms, level);
        let mut order = self.drop_order(&atoms, &needed);
        let mut cube = atoms;
        if !how.keep_parent {
            needed.clear();
        }
        let mut failures = 0;
        while let Some(atom) = order.pop() {
            if cube.len() == 1 || failures >= how.attempts {
                break;
            }
            if !cube.contains(&atom) || needed.contains(&atom) {
                continue;
            }
            let candidate: Vec<D::Atom> = cube.iter().copied().filter(|&a| a != atom).collect();
            match self.shrink(candidate, level, &needed, how, depth)? {
                Some(smaller) => {
                    cube = smaller;
                    failures = 0;
                }
                None => {
                    needed.push(atom);
                    failures += 1;
                }
            }
        }
        Ok(Cube::new(cube))
    }

    /// The atoms of a lemma that blocks the cube one level earlier. They are
    /// likely to be needed: a cube that keeps them tends to become that lemma again
    /// [Xia, Becchi, Cimatti, Griggio, Li, Pu: Searching for i-Good Lemmas to
    /// Accelerate Safety Model Checking, CAV 2023].
    fn parent_atoms(&self, atoms: &[D::Atom], level: usize) -> Vec<D::Atom> {
        let parent = self.frames.parent(&Cube::new(atoms.to_vec()), level - 1);
        parent.map_or_else(Vec::new, |lemma| lemma.cube.atoms().to_vec())
    }

    /// The atoms in the reverse of the order in which they are tried: those of
    /// little use first, those of the parent last.
    fn drop_order(&self, atoms: &[D::Atom], parent: &[D::Atom]) -> Vec<D::Atom> {
        let key =
            |atom: &D::Atom| (parent.binary_search(atom).is_ok(), self.domain.activity(*atom));
        let mut order: Vec<D::Atom> = atoms.to_vec();
        order.sort_by(|a, b| {
            let ((a_parent, a), (b_parent, b)) = (key(a), key(b));
            b_parent.cmp(&a_parent).then(b.total_cmp(&a))
        });
        order
    }

    /// Is the cube, or a part of it that has all needed atoms, inductive relative
    /// to the frame before `level`?
    fn shrink(
        &mut self,
        mut cube: Vec<D::Atom>,
        level: usize,
        needed: &[D::Atom],
        how: Generalization,
        depth: usize,
    ) -> Interruptible<Option<Vec<D::Atom>>> {
        let mut blocked = 0;
        loop {
            if self.domain.meets_initial(&cube) {
                return Ok(None);
            }
            let before = Level::Finite(level - 1);
            let found =
                match self.domain.step(before, &cube, Source::Outside, Purpose::Generalize)? {
                    Step::Blocked(core) => return Ok(Some(core)),
                    Step::Reached(found) => found,
                };
            if depth >= how.ctg.depth {
                return Ok(None);
            }
            let holds =
                |atom: &D::Atom| self.domain.contains(std::slice::from_ref(atom), &found.state);
            let joined: Vec<D::Atom> = cube.iter().filter(|atom| holds(atom)).copied().collect();
            if blocked < how.ctg.max
                && level > 1
                && self.blocking.is_worthwhile(how.ctg.least_yield)
            {
                let is_blocked = self.block(found, &cube, level, how, depth)?;
                self.blocking.note(is_blocked);
                if is_blocked {
                    blocked += 1;
                    continue;
                }
            }
            blocked = 0;
            if joined.len() == cube.len() || !needed.iter().all(|atom| joined.contains(atom)) {
                return Ok(None);
            }
            cube = joined;
        }
    }

    /// Blocks the state that was found to lead into the cube, if that is possible
    /// at the level before.
    pub fn block(
        &mut self,
        found: Found<D>,
        cube: &[D::Atom],
        level: usize,
        how: Generalization,
        depth: usize,
    ) -> Interruptible<bool> {
        let state = self.domain.predecessor(found, cube, Effort::Once)?.cube;
        let mut reach = how.ctg.reach;
        self.block_state(&state, level - 1, how, depth, &mut reach)
    }

    /// Blocks a state at a level, and the states before it as far as the reach allows.
    fn block_state(
        &mut self,
        state: &Cube<D::Atom>,
        level: usize,
        how: Generalization,
        depth: usize,
        reach: &mut usize,
    ) -> Interruptible<bool> {
        if *reach == 0 || level == 0 || self.domain.meets_initial(state.atoms()) {
            return Ok(false);
        }
        *reach -= 1;
        loop {
            let before = Level::Finite(level - 1);
            let purpose = Purpose::Counterexample;
            match self.domain.step(before, state.atoms(), Source::Outside, purpose)? {
                Step::Blocked(core) => {
                    let lemma = self.drop_atoms(core, level, how, depth + 1)?;
                    let (lemma, last) = push_forward(self.domain, lemma, level, level + 1)?;
                    self.frames.insert(self.domain, lemma, last);
                    return Ok(true);
                }
                Step::Reached(found) => {
                    if *reach == 0 {
                        return Ok(false);
                    }
                    let earlier = self.domain.predecessor(found, state.atoms(), Effort::Once)?.cube;
                    if !self.block_state(&earlier, level - 1, how, depth, reach)? {
                        return Ok(false);
                    }
                }
            }
        }
    }
}

/// The last level up to `limit` at which a lemma of `level` holds, and what is
/// left of its cube by the cores on the way.
pub(crate) fn push_forward<D: Domain>(
    domain: &mut D,
    mut cube: Cube<D::Atom>,
    mut level: usize,
    limit: usize,
) -> Interruptible<(Cube<D::Atom>, Level)> {
    while level < limit {
        let here = Level::Finite(level);
        match domain.step(here, cube.atoms(), Source::Outside, Purpose::Push)? {
            Step::Blocked(core) => {
                cube = Cube::new(core);
                level += 1;
            }
            Step::Reached(_) => break,
        }
    }
    Ok((cube, Level::Finite(level)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_that_never_succeed_become_rare_and_come_back_with_success() {
        let mut blocking = Yield::new();
        let mut made = |succeeds: bool, percent: u8| {
            let tried = (0..1_000).filter(|_| {
                let is_made = blocking.is_worthwhile(percent);
                if is_made {
                    blocking.note(succeeds);
                }
                is_made
            });
            tried.count()
        };
        assert_eq!(made(false, 0), 1_000, "a yield of nothing is enough");
        assert_eq!(made(false, 10), 125, "one of eight");
        assert!(made(true, 10) > 800);
        let failing = made(false, 10);
        assert!((125..600).contains(&failing), "{failing}");
    }
}
