//! Steps that queries found, kept to answer later queries without the solver.
//!
//! Most queries of a generalisation have a model, and what stands in the way of one cube often
//! stands in the way of the next one: about half of these queries are answered by one of a few
//! thousand steps that were found before. A step stays of use as long as no lemma excludes
//! its first state [compare Suda: Triggered Clause Pushing for IC3, 2013, where a lemma keeps
//! the step that it failed by].
//!
//! The steps are kept as a matrix with a bit for each register and step, so that a cube is
//! compared with many steps at once. The second state is computed by simulation for all
//! registers, also for those that the query did not look at.

use elinvar_sat::Lit;

use super::domain::Level;
use crate::relation::Network;

/// Words that are looked at together.
const CHUNK: usize = 8;
/// Bits of memory that all steps may take together: 16 MB. Only a model of which one chunk of
/// steps takes more gets more.
const BITS: usize = 128 << 20;
/// The size of a network divided by this is how many steps are simulated at once, up to 64: one
/// simulation takes as long for 64 steps as for one.
const ALONE: usize = 1024;

/// The first state of a step, and the inputs.
#[derive(Clone)]
pub(crate) struct KnownStep {
    pub state: Box<[u64]>,
    pub choice: Box<[Lit]>,
    pub assigned: usize,
    /// The first frame that is known to contain the state.
    level: usize,
}

/// What was found, by place. The oldest 64 make way for new ones.
pub(crate) struct KnownSteps {
    registers: usize,
    /// Words in a row of the matrices.
    words: usize,
    /// By register and place: the value in the first state.
    before: Vec<u64>,
    /// By register and place: the value in the second state.
    after: Vec<u64>,
    /// By place.
    steps: Vec<Option<KnownStep>>,
    /// By place: there is a step, and F∞ contains its first state.
    live: Vec<u64>,
    /// The word that is filled now, and how many of its places are taken.
    word: usize,
    taken: usize,
    /// Steps that are not in the matrices yet.
    pending: Vec<KnownStep>,
    /// How many steps are simulated at once.
    batch: usize,
    /// By node of the network.
    values: Vec<u64>,
}

impl KnownSteps {
    /// Keeps about this many steps, fewer if there are very many registers or inputs.
    pub fn new(network: &Network, count: usize) -> Self {
        let registers = network.next.len();
        // In both matrices and as a state; an input is a literal.
        let bits = 3 * registers + 32 * (network.leaves - 1 - registers);
        let chunks = count.min(BITS / bits.max(1)).div_ceil(64 * CHUNK);
        let words = if count == 0 { 0 } else { chunks.max(1) * CHUNK };
        let batch = ((network.gates.len() + 8 * registers) / ALONE).clamp(1, 64);
        KnownSteps {
            registers,
            words,
            before: Vec::new(),
            after: Vec::new(),
            steps: Vec::new(),
            live: Vec::new(),
            word: 0,
            taken: 0,
            pending: Vec::new(),
            batch: batch.next_power_of_two(),
            values: Vec::new(),
        }
    }

    /// A step into the cube from a state of the frame outside the cube, if one is known.
    pub fn find(&self, level: Level, cube: &[Lit]) -> Option<&KnownStep> {
        let is_in_frame = |step: &KnownStep| match level {
            Level::Finite(level) => step.level <= level,
            Level::Infinite => true,
        };
        let newest = self.word / CHUNK;
        let chunks = self.live.len() / CHUNK;
        for chunk in (0..chunks).map(|back| (newest + chunks - back) % chunks) {
            let first = chunk * CHUNK;
            let mut places: [u64; CHUNK] =
                self.live[first..first + CHUNK].try_into().expect("whole chunks");
            if !self.keep_those_in(&mut places, &self.after, cube, first) {
                continue;
            }
            let mut inside = places;
            if self.keep_those_in(&mut inside, &self.before, cube, first) {
                for (place, inside) in places.iter_mut().zip(inside) {
                    *place &= !inside;
                }
            }
            let found =
                ones(places, first).find(|&place| self.step(place).is_some_and(is_in_frame));
            if let Some(place) = found {
                return self.step(place);
            }
        }
        None
    }

    fn step(&self, place: usize) -> Option<&KnownStep> {
        self.steps[place].as_ref()
    }

    /// Leaves those places whose states are in the cube. False if there are none.
    #[inline]
    fn keep_those_in(
        &self,
        places: &mut [u64; CHUNK],
        matrix: &[u64],
        cube: &[Lit],
        first: usize,
    ) -> bool {
        for lit in cube {
            let start = (lit.var().index() - 1) * self.words + first;
            let flip = if lit.is_negative() { u64::MAX } else { 0 };
            let mut any = 0;
            for (place, value) in places.iter_mut().zip(&matrix[start..start + CHUNK]) {
                *place &= value ^ flip;
                any |= *place;
            }
            if any == 0 {
                return false;
            }
        }
        places.iter().any(|&word| word != 0)
    }

    /// A query at a level found a step.
    pub fn add(
        &mut self,
        network: &Network,
        level: Level,
        state: &[u64],
        choice: &[Lit],
        assigned: usize,
    ) {
        if self.words == 0 {
            return;
        }
        // All that is in F∞ now and later.
        let level = level.finite().unwrap_or(usize::MAX - 1);
        self.pending.push(KnownStep {
            state: state.into(),
            choice: choice.into(),
            assigned,
            level,
        });
        if self.pending.len() >= self.batch {
            self.enter_pending(network);
        }
    }

    /// Computes where the pending steps lead, and puts them into the matrices.
    fn enter_pending(&mut self, network: &Network) {
        if self.live.is_empty() {
            self.before = vec![0; self.registers * self.words];
            self.after = vec![0; self.registers * self.words];
            self.live = vec![0; self.words];
            self.steps = vec![None; self.words * 64];
            self.values = vec![0; network.leaves + network.gates.len()];
        }
        if self.taken == 64 {
            self.word = (self.word + 1) % self.words;
            self.taken = 0;
            self.live[self.word] = 0;
        }
        self.values[..network.leaves].fill(0);
        self.values[0] = u64::MAX;
        for (step, lane) in self.pending.iter().zip(self.taken..) {
            for (index, &word) in step.state.iter().enumerate() {
                for bit in ones([word], index) {
                    self.values[1 + bit] |= 1 << lane;
                }
            }
            for lit in step.choice.iter().filter(|lit| !lit.is_negative()) {
                self.values[lit.var().index()] |= 1 << lane;
            }
        }
        let value = |values: &[u64], lit: Lit| {
            let value = values[lit.var().index()];
            if lit.is_negative() { !value } else { value }
        };
        for (node, [a, b]) in (network.leaves..).zip(&network.gates) {
            self.values[node] = value(&self.values, *a) & value(&self.values, *b);
        }
        let old = (1u64 << self.taken) - 1;
        for (register, next) in network.next.iter().enumerate() {
            let cell = register * self.words + self.word;
            self.before[cell] = self.before[cell] & old | self.values[1 + register];
            self.after[cell] = self.after[cell] & old | value(&self.values, *next) & !old;
        }
        for step in self.pending.drain(..) {
            self.live[self.word] |= 1 << self.taken;
            self.steps[self.word * 64 + self.taken] = Some(step);
            self.taken += 1;
        }
    }

    /// From now on no state of the cube is in the frames up to a level.
    pub fn exclude(&mut self, cube: &[Lit], level: Level) {
        let contains = |step: &KnownStep| {
            cube.iter().all(|lit| {
                let register = lit.var().index() - 1;
                (step.state[register / 64] >> (register % 64) & 1 == 1) != lit.is_negative()
            })
        };
        match level {
            Level::Finite(level) => {
                for step in self.pending.iter_mut().filter(|step| contains(step)) {
                    step.level = step.level.max(level + 1);
                }
            }
            Level::Infinite => self.pending.retain(|step| !contains(step)),
        }
        for first in (0..self.live.len()).step_by(CHUNK) {
            let mut places: [u64; CHUNK] =
                self.live[first..first + CHUNK].try_into().expect("whole chunks");
            if !self.keep_those_in(&mut places, &self.before, cube, first) {
                continue;
            }
            for place in ones(places, first) {
                match level {
                    Level::Finite(level) => {
                        let step = self.steps[place].as_mut().expect("the place is live");
                        step.level = step.level.max(level + 1);
                    }
                    Level::Infinite => {
                        self.live[place / 64] &= !(1 << (place % 64));
                        self.steps[place] = None;
                    }
                }
            }
        }
    }
}

/// The positions of ones, if the first word is the one with this number.
fn ones<const N: usize>(words: [u64; N], first: usize) -> impl Iterator<Item = usize> {
    words.into_iter().zip(first..).flat_map(|(mut word, number)| {
        std::iter::from_fn(move || {
            (word != 0).then(|| {
                let bit = word.trailing_zeros() as usize;
                word &= word - 1;
                number * 64 + bit
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use elinvar_ir::Rng;
    use elinvar_sat::Var;

    use super::*;

    const REGISTERS: usize = 5;
    const INPUTS: usize = 2;
    const LEAVES: usize = 1 + REGISTERS + INPUTS;

    fn network(gates: usize, rng: &mut Rng) -> Network {
        let lit = |rng: &mut Rng, nodes: usize| {
            Var::new(rng.below(nodes)).positive().negate_if(rng.one_in(2))
        };
        let gates: Vec<_> =
            (LEAVES..LEAVES + gates).map(|node| [lit(rng, node), lit(rng, node)]).collect();
        let next = (0..REGISTERS).map(|_| lit(rng, LEAVES + gates.len())).collect();
        Network { leaves: LEAVES, gates, next, bads: Vec::new(), constraints: Vec::new() }
    }

    /// The next state, node by node.
    fn second(network: &Network, state: u64, choice: &[Lit]) -> u64 {
        let mut values = vec![true];
        values.extend((0..REGISTERS).map(|register| state >> register & 1 == 1));
        values.extend(choice.iter().map(|lit| !lit.is_negative()));
        let value = |values: &[bool], lit: Lit| values[lit.var().index()] != lit.is_negative();
        for [a, b] in &network.gates {
            values.push(value(&values, *a) && value(&values, *b));
        }
        let bits = network.next.iter().enumerate();
        bits.map(|(register, &next)| u64::from(value(&values, next)) << register).sum()
    }

    fn cube(rng: &mut Rng) -> Vec<Lit> {
        let registers = (0..REGISTERS).filter(|_| rng.one_in(2)).collect::<Vec<_>>();
        let lit = |register| Var::new(1 + register).positive().negate_if(rng.one_in(2));
        registers.into_iter().map(lit).collect()
    }

    fn contains(cube: &[Lit], state: u64) -> bool {
        cube.iter().all(|lit| (state >> (lit.var().index() - 1) & 1 == 1) != lit.is_negative())
    }

    fn level(rng: &mut Rng) -> Level {
        if rng.one_in(8) { Level::Infinite } else { Level::Finite(rng.below(4)) }
    }

    /// The same as a list of all that was added and excluded.
    #[derive(Default)]
    struct List {
        steps: Vec<(Level, u64, u64)>,
        excluded: Vec<(Vec<Lit>, Level)>,
    }

    impl List {
        fn is_in_frame(&self, level: Level, state: u64) -> bool {
            !self.excluded.iter().any(|(lemma, last)| *last >= level && contains(lemma, state))
        }

        /// May this step answer a query?
        fn fits(&self, &(first, from, to): &(Level, u64, u64), level: Level, cube: &[Lit]) -> bool {
            let is_outside = contains(cube, to) && !contains(cube, from);
            is_outside && first <= level && self.is_in_frame(level, from)
        }
    }

    /// Adds, excludes and asks at random. What is found fits; with `complete`, something is found
    /// whenever one of the last `count` steps fits.
    fn run(network: &Network, count: usize, rounds: usize, rng: &mut Rng) -> (usize, usize) {
        let mut steps = KnownSteps::new(network, count);
        let mut list = List::default();
        let (mut hits, mut misses) = (0, 0);
        for _ in 0..rounds {
            match rng.below(8) {
                0..4 => {
                    let state = rng.below(1 << REGISTERS) as u64;
                    let input = |index| Var::new(1 + REGISTERS + index).positive();
                    let choice: Vec<Lit> =
                        (0..INPUTS).map(|index| input(index).negate_if(rng.one_in(2))).collect();
                    let first = level(rng);
                    let step = (first, state, second(network, state, &choice));
                    // As in the search: the state is in the frame when the step is found.
                    if list.is_in_frame(first, state) {
                        list.steps.push(step);
                        steps.add(network, first, &[state], &choice, REGISTERS);
                    }
                }
                4..7 => {
                    let (level, cube) = (level(rng), cube(rng));
                    let fits: Vec<_> =
                        list.steps.iter().filter(|step| list.fits(step, level, &cube)).collect();
                    match steps.find(level, &cube) {
                        Some(step) => {
                            let to = second(network, step.state[0], &step.choice);
                            assert!(fits.iter().any(|&&(_, a, b)| (a, b) == (step.state[0], to)));
                            hits += 1;
                        }
                        None => misses += usize::from(!fits.is_empty()),
                    }
                }
                _ => {
                    let (mut cube, level) = (cube(rng), level(rng));
                    while cube.len() < 3 {
                        cube = self::cube(rng);
                    }
                    steps.exclude(&cube, level);
                    list.excluded.push((cube, level));
                }
            }
        }
        (hits, misses)
    }

    #[test]
    fn what_is_found_is_a_step_of_the_frame_into_the_cube() {
        let mut all = 0;
        for seed in 0..200 {
            let mut rng = Rng::new(seed);
            let network = network(12, &mut rng);
            let (hits, misses) = run(&network, 4096, 60, &mut rng);
            assert_eq!(misses, 0, "all steps are kept, and none waits");
            all += hits;
        }
        assert!(all > 200, "{all}");
    }

    #[test]
    fn old_steps_make_way() {
        let mut all = 0;
        for seed in 0..20 {
            let mut rng = Rng::new(seed);
            let network = network(12, &mut rng);
            // So few that each place is used several times.
            all += run(&network, 1, 4000, &mut rng).0;
        }
        assert!(all > 20, "{all}");
    }

    #[test]
    fn steps_that_wait_are_excluded_as_well() {
        let mut all = 0;
        for seed in 0..100 {
            let mut rng = Rng::new(seed);
            let network = network(8 * ALONE, &mut rng);
            assert_eq!(KnownSteps::new(&network, 1).batch, 8);
            all += run(&network, 4096, 100, &mut rng).0;
        }
        assert!(all > 100, "{all}");
    }

    #[test]
    fn without_places_nothing_is_kept() {
        let mut rng = Rng::new(1);
        let network = network(12, &mut rng);
        assert_eq!(run(&network, 0, 200, &mut rng).0, 0);
    }
}
