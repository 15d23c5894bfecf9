//! The reversible pebbling game [Bennett 1989; Meuli et al. 2019], encoded for
//! PDR as in Blankestijn, "Incremental Property Directed Reachability" (2023),
//! section 5.3 and Algorithm 13.
//!
//! A vertex of an acyclic graph may be pebbled or unpebbled while all its
//! predecessors are pebbled. At first no vertex is; in the end exactly the
//! outputs shall be. Wanted is the smallest number of pebbles that suffices. The
//! graph stands for a computation, pebbles for places in memory, and unpebbling
//! for uncomputing, which reversible and quantum circuits need to free a place.
//!
//! [`pebbling`] makes the game a transition system with a limit to the number of
//! pebbles, [`Strategy`] reads its traces.

mod encode;
mod strategy;

use std::collections::BTreeSet;

use elinvar_ir::find_cycle;

pub use encode::{LIMIT, pebbling, pebbling_within};
pub use strategy::{Moves, Strategy, StrategyError};

/// The largest number of vertices: the system grows with its square.
pub const MAX_VERTICES: usize = 1 << 11;

/// A graph to be pebbled: acyclic, vertices with different names, and at least
/// one output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game {
    names: Vec<String>,
    /// By vertex, ascending.
    predecessors: Vec<Vec<usize>>,
    outputs: BTreeSet<usize>,
}

/// Why the game cannot be played on a graph.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum GameError {
    /// An edge or an output names a vertex that does not exist.
    #[error("there is no vertex {0}")]
    UnknownVertex(usize),
    /// Two vertices have the same name.
    #[error("two vertices are named {0}")]
    DuplicateName(String),
    /// The edges form a cycle.
    #[error("the vertex {0} depends on itself")]
    Cycle(String),
    /// The graph has no output.
    #[error("no vertex is an output")]
    NoOutput,
    /// The graph has too many vertices.
    #[error("{0} vertices are too many; the limit is {MAX_VERTICES}")]
    TooLarge(usize),
}

impl Game {
    /// The game on a graph. Edges lead from predecessors; equal ones count once,
    /// and so do equal outputs.
    pub fn new(
        names: Vec<String>,
        edges: impl IntoIterator<Item = (usize, usize)>,
        outputs: impl IntoIterator<Item = usize>,
    ) -> Result<Self, GameError> {
        let count = names.len();
        if count > MAX_VERTICES {
            return Err(GameError::TooLarge(count));
        }
        let mut seen = BTreeSet::new();
        if let Some(name) = names.iter().find(|&name| !seen.insert(name)) {
            return Err(GameError::DuplicateName(name.clone()));
        }
        let known = |vertex| if vertex < count { Ok(vertex) } else { unknown(vertex) };
        let mut predecessors = vec![BTreeSet::new(); count];
        for (from, to) in edges {
            predecessors[known(to)?].insert(known(from)?);
        }
        let predecessors = predecessors.into_iter().map(Vec::from_iter).collect();
        let outputs = outputs.into_iter().map(known).collect::<Result<BTreeSet<_>, _>>()?;
        if outputs.is_empty() {
            return Err(GameError::NoOutput);
        }
        let game = Game { names, predecessors, outputs };
        match find_cycle(&game.predecessors) {
            Some(cycle) => Err(GameError::Cycle(game.names[cycle[0]].clone())),
            None => Ok(game),
        }
    }

    /// The names of the vertices, by number.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of vertices.
    pub fn vertices(&self) -> usize {
        self.names.len()
    }

    /// What must be pebbled when the vertex changes, ascending.
    pub fn predecessors(&self, vertex: usize) -> &[usize] {
        &self.predecessors[vertex]
    }

    /// What shall be pebbled in the end.
    pub fn outputs(&self) -> &BTreeSet<usize> {
        &self.outputs
    }

    /// A number of pebbles that every strategy needs: the outputs' in the end, and
    /// those of a vertex and its predecessors when it is pebbled, which happens
    /// to every vertex that an output depends on.
    ///
    /// As many pebbles as there are such vertices suffice: pebble them from the
    /// inputs on, and unpebble what is not an output in the opposite order.
    pub fn lower_bound(&self) -> usize {
        let needed = self.needed().into_iter();
        let together = needed.map(|vertex| self.predecessors[vertex].len() + 1).max();
        together.unwrap_or(0).max(self.outputs.len())
    }

    /// The game without the vertices on which no output depends.
    ///
    /// It needs as many pebbles as the whole game. Let R be the vertices that
    /// remain; with a vertex they have its predecessors. A strategy on R is one of
    /// the whole game as it stands. In the other direction, take P ∩ R for every
    /// configuration P of a strategy of the whole game: a vertex of R changes only
    /// if its predecessors are in P, and so in P ∩ R; it starts empty, ends with
    /// the outputs, which are in R, and never has more pebbles than before.
    pub fn relevant(&self) -> Relevant {
        let vertices = Vec::from_iter(self.needed());
        let number = |old: &usize| vertices.binary_search(old).expect("R has its predecessors");
        let game = Game {
            names: vertices.iter().map(|&old| self.names[old].clone()).collect(),
            predecessors: (vertices.iter())
                .map(|&old| self.predecessors[old].iter().map(number).collect())
                .collect(),
            outputs: self.outputs.iter().map(number).collect(),
        };
        Relevant { game, vertices, whole: self.vertices() }
    }

    /// The outputs and all on which they depend.
    fn needed(&self) -> BTreeSet<usize> {
        let mut needed = self.outputs.clone();
        let mut stack = Vec::from_iter(self.outputs.iter().copied());
        while let Some(vertex) = stack.pop() {
            let new = self.predecessors[vertex].iter().filter(|&&before| needed.insert(before));
            stack.extend(new);
        }
        needed
    }
}

fn unknown<T>(vertex: usize) -> Result<T, GameError> {
    Err(GameError::UnknownVertex(vertex))
}

/// A game without its irrelevant vertices, and the way back.
#[derive(Clone, Debug)]
pub struct Relevant {
    /// The game that the model describes.
    pub game: Game,
    /// By vertex of the smaller game: its number in the whole, ascending.
    vertices: Vec<usize>,
    whole: usize,
}

impl Relevant {
    /// A strategy of the smaller game as one of the whole game.
    pub fn lift(&self, strategy: &Strategy) -> Strategy {
        strategy.spread(&self.vertices, self.whole)
    }
}

/// A chain of vertices, of which the last is the output.
///
/// Needs ⌈log₂ n⌉ + 1 pebbles.
pub fn chain(length: usize) -> Result<Game, GameError> {
    if length > MAX_VERTICES {
        return Err(GameError::TooLarge(length));
    }
    let names = (1..=length).map(|vertex| format!("v{vertex}")).collect();
    let edges = (1..length).map(|vertex| (vertex - 1, vertex));
    Game::new(names, edges, length.checked_sub(1))
}

#[cfg(test)]
pub(super) mod tests {
    use elinvar_ir::Rng;

    use super::*;

    pub fn game(vertices: usize, edges: &[(usize, usize)], outputs: &[usize]) -> Game {
        let names = (0..vertices).map(|vertex| format!("v{vertex}")).collect();
        Game::new(names, edges.iter().copied(), outputs.iter().copied()).unwrap()
    }

    fn random_game(rng: &mut Rng, largest: usize) -> Game {
        let vertices = 1 + rng.below(largest);
        let pairs = (0..vertices).flat_map(|to| (0..to).map(move |from| (from, to)));
        let edges: Vec<_> = pairs.filter(|_| rng.one_in(2)).collect();
        let mut outputs: Vec<usize> = (0..vertices).filter(|_| rng.one_in(3)).collect();
        outputs.push(rng.below(vertices));
        game(vertices, &edges, &outputs)
    }

    /// Calls `check` with `count` random games and the generator that drew them.
    pub fn for_random_games(
        seed: u64,
        count: usize,
        largest: usize,
        mut check: impl FnMut(&Game, &mut Rng),
    ) {
        let mut rng = Rng::new(seed);
        for _ in 0..count {
            check(&random_game(&mut rng, largest), &mut rng);
        }
    }

    /// The smallest number of pebbles, by search over all configurations with
    /// one move at a time.
    pub fn optimum(game: &Game) -> usize {
        let mask = |vertices: &mut dyn Iterator<Item = usize>| {
            vertices.fold(0u32, |mask, vertex| mask | 1 << vertex)
        };
        let goal = mask(&mut game.outputs.iter().copied());
        let needs: Vec<u32> =
            game.predecessors.iter().map(|list| mask(&mut list.iter().copied())).collect();
        let reached = |limit: &usize| {
            let mut seen = BTreeSet::from([0]);
            let mut stack = vec![0];
            while let Some(now) = stack.pop() {
                for (vertex, need) in needs.iter().enumerate() {
                    let next = now ^ 1 << vertex;
                    let legal = now & need == *need && next.count_ones() as usize <= *limit;
                    if legal && seen.insert(next) {
                        stack.push(next);
                    }
                }
            }
            seen.contains(&goal)
        };
        (0..=game.vertices()).find(reached).expect("pebbles on all vertices suffice")
    }

    #[test]
    fn graphs_are_checked() {
        let names = |names: &str| names.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let error = |text: &str, edges: &[(usize, usize)], outputs: &[usize]| {
            Game::new(names(text), edges.iter().copied(), outputs.iter().copied()).unwrap_err()
        };
        assert_eq!(error("a b", &[(0, 2)], &[1]), GameError::UnknownVertex(2));
        assert_eq!(error("a b", &[], &[3]), GameError::UnknownVertex(3));
        assert_eq!(error("a b a", &[], &[1]), GameError::DuplicateName("a".into()));
        assert_eq!(error("a b", &[], &[]), GameError::NoOutput);
        assert_eq!(error("a b", &[(0, 0)], &[1]), GameError::Cycle("a".into()));
        let cycle = error("a b c d", &[(0, 1), (1, 2), (2, 1), (2, 3)], &[3]);
        assert!([GameError::Cycle("b".into()), GameError::Cycle("c".into())].contains(&cycle));
        assert_eq!(chain(MAX_VERTICES + 1), Err(GameError::TooLarge(MAX_VERTICES + 1)));
        assert_eq!(chain(0), Err(GameError::NoOutput));
        assert_eq!(game(2, &[(0, 1), (0, 1)], &[1, 1]), game(2, &[(0, 1)], &[1]));
    }

    #[test]
    fn chains_need_a_logarithm() {
        for length in 1..=17usize {
            let logarithm = length.next_power_of_two().ilog2() as usize;
            assert_eq!(optimum(&chain(length).unwrap()), logarithm + 1, "{length}");
        }
    }

    #[test]
    fn an_output_with_five_predecessors_needs_six() {
        let edges: Vec<_> = (0..5).map(|from| (from, 5)).collect();
        let game = game(6, &edges, &[5]);
        assert_eq!((optimum(&game), game.lower_bound()), (6, 6));
    }

    #[test]
    fn irrelevant_vertices_do_not_matter() {
        let mut smaller = 0;
        for_random_games(7, 200, 7, |game, _| {
            let relevant = game.relevant();
            smaller += usize::from(relevant.game.vertices() < game.vertices());
            let pebbles = optimum(game);
            assert_eq!(optimum(&relevant.game), pebbles);
            assert_eq!(relevant.game.lower_bound(), game.lower_bound());
            assert!((game.lower_bound()..=relevant.game.vertices()).contains(&pebbles));
            assert_eq!(relevant.game.relevant().game, relevant.game);
        });
        assert!(smaller > 50, "{smaller}");
    }
}
