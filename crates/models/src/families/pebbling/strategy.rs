//! Ways to play the game to its end.

use elinvar_ir::{Trace, Value};

use super::Game;

/// Configurations from the empty one to that of the outputs, each a legal step
/// from the one before and different from it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Strategy {
    /// By step, by vertex: is it pebbled? Never empty.
    configurations: Vec<Vec<bool>>,
}

/// Why configurations are not a strategy.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StrategyError {
    /// A step does not list every vertex.
    #[error("step {step} is not about the vertices of the game")]
    Shape {
        /// The number of the step.
        step: usize,
    },
    /// A vertex is pebbled at the start.
    #[error("vertex {0} is pebbled from the start")]
    Start(String),
    /// A vertex changes while a predecessor is not pebbled.
    #[error("vertex {vertex} changes in step {step} without its predecessor {predecessor}")]
    Illegal {
        /// The number of the step.
        step: usize,
        /// The vertex that changes.
        vertex: String,
        /// The predecessor that is not pebbled.
        predecessor: String,
    },
    /// The last step does not leave exactly the outputs pebbled.
    #[error("vertex {0} is in the wrong state at the end")]
    End(String),
}

/// What one step changes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Moves {
    /// Ascending.
    pub pebbled: Vec<usize>,
    /// Ascending.
    pub unpebbled: Vec<usize>,
}

impl Strategy {
    /// Checks configurations; those equal to the one before are left out.
    pub fn new(game: &Game, mut configurations: Vec<Vec<bool>>) -> Result<Self, StrategyError> {
        let shapeless = |configuration: &Vec<bool>| configuration.len() != game.vertices();
        if let Some(step) = configurations.iter().position(shapeless) {
            return Err(StrategyError::Shape { step });
        }
        configurations.dedup();
        let name = |vertex: usize| game.names()[vertex].clone();
        let first = configurations.first().ok_or(StrategyError::Shape { step: 0 })?;
        if let Some(vertex) = first.iter().position(|&pebbled| pebbled) {
            return Err(StrategyError::Start(name(vertex)));
        }
        for (step, pair) in configurations.windows(2).enumerate() {
            check_step(game, step, &pair[0], &pair[1])?;
        }
        let last = configurations.last().expect("there is a first one");
        let wrong = |&vertex: &usize| last[vertex] != game.outputs().contains(&vertex);
        match (0..game.vertices()).find(wrong) {
            Some(vertex) => Err(StrategyError::End(name(vertex))),
            None => Ok(Strategy { configurations }),
        }
    }

    /// Replays a trace of [`super::pebbling`] or [`super::pebbling_within`]; of the
    /// inputs only the moves are looked at.
    pub fn from_trace(game: &Game, trace: &Trace) -> Result<Self, StrategyError> {
        let bits = |values: &[Value], step| {
            let values = values.get(..game.vertices()).ok_or(StrategyError::Shape { step })?;
            let bit = |value: &Value| match value {
                Value::Bv(value) if value.width() == 1 => Ok(value.is_true()),
                Value::Bv(_) | Value::Array(_) => Err(StrategyError::Shape { step }),
            };
            values.iter().map(bit).collect::<Result<Vec<bool>, _>>()
        };
        let mut configurations = vec![bits(&trace.initial, 0)?];
        let (_, taken) = trace.steps.split_last().ok_or(StrategyError::Shape { step: 0 })?;
        for (step, choices) in taken.iter().enumerate() {
            let moves = bits(&choices.inputs.to_vec(), step)?;
            let now = configurations.last().expect("there is a first one");
            configurations.push(step_of(game, now, &moves));
        }
        Strategy::new(game, configurations)
    }

    /// By step, by vertex: is it pebbled? The first is empty.
    pub fn configurations(&self) -> &[Vec<bool>] {
        &self.configurations
    }

    /// The number of steps, each of one or more moves.
    pub fn steps(&self) -> usize {
        self.configurations.len() - 1
    }

    /// The largest number of pebbles in a configuration.
    pub fn pebbles(&self) -> usize {
        let counts = self.configurations.iter().map(|configuration| count(configuration));
        counts.max().expect("there is a first one")
    }

    /// What each step changes.
    pub fn moves(&self) -> Vec<Moves> {
        self.configurations.windows(2).map(|pair| changes(&pair[0], &pair[1])).collect()
    }

    /// The same game with one move a step: what a step unpebbles comes first.
    ///
    /// Legal, since no predecessor of what changes in a step changes in it; and
    /// with the same number of pebbles, since there are first fewer than before
    /// the step and then fewer than after.
    pub fn serialise(&self) -> Strategy {
        let mut configurations = vec![self.configurations[0].clone()];
        for Moves { pebbled, unpebbled } in self.moves() {
            for vertex in unpebbled.into_iter().chain(pebbled) {
                let mut next = configurations.last().expect("there is a first one").clone();
                next[vertex] ^= true;
                configurations.push(next);
            }
        }
        Strategy { configurations }
    }

    /// The strategy on a larger graph, where the vertices have the given numbers.
    pub(super) fn spread(&self, vertices: &[usize], count: usize) -> Strategy {
        let larger = |configuration: &Vec<bool>| {
            let mut all = vec![false; count];
            for (&vertex, &pebbled) in vertices.iter().zip(configuration) {
                all[vertex] = pebbled;
            }
            all
        };
        Strategy { configurations: self.configurations.iter().map(larger).collect() }
    }
}

fn check_step(game: &Game, step: usize, now: &[bool], next: &[bool]) -> Result<(), StrategyError> {
    for vertex in (0..game.vertices()).filter(|&vertex| now[vertex] != next[vertex]) {
        let stays = |&predecessor: &usize| now[predecessor] && next[predecessor];
        let mut predecessors = game.predecessors(vertex).iter().copied();
        if let Some(predecessor) = predecessors.find(|predecessor| !stays(predecessor)) {
            let [vertex, predecessor] = [vertex, predecessor].map(|at| game.names()[at].clone());
            return Err(StrategyError::Illegal { step, vertex, predecessor });
        }
    }
    Ok(())
}

/// The configuration that the system goes to.
fn step_of(game: &Game, now: &[bool], moves: &[bool]) -> Vec<bool> {
    let stays = |&predecessor: &usize| now[predecessor] && !moves[predecessor];
    let changes = |vertex: usize| moves[vertex] && game.predecessors(vertex).iter().all(stays);
    (0..game.vertices()).map(|vertex| now[vertex] ^ changes(vertex)).collect()
}

fn changes(now: &[bool], next: &[bool]) -> Moves {
    let mut moves = Moves::default();
    for (vertex, change) in now.iter().zip(next).enumerate() {
        match change {
            (false, true) => moves.pebbled.push(vertex),
            (true, false) => moves.unpebbled.push(vertex),
            (false, false) | (true, true) => {}
        }
    }
    moves
}

fn count(configuration: &[bool]) -> usize {
    configuration.iter().filter(|&&pebbled| pebbled).count()
}

#[cfg(test)]
mod tests {
    use elinvar_ir::{BitVec, PropertyId, Rng, Simulator, Step};

    use super::super::tests::{for_random_games, game};
    use super::super::{chain, pebbling};
    use super::*;

    /// `#` is a pebble; one word a configuration.
    fn configurations(text: &str) -> Vec<Vec<bool>> {
        text.split(' ').map(|word| word.chars().map(|c| c == '#').collect()).collect()
    }

    #[test]
    fn strategies_are_checked() {
        let game = chain(2).unwrap();
        let check = |text| Strategy::new(&game, configurations(text)).map(|s| s.pebbles());
        assert_eq!(check(".. #. ## .#"), Ok(2));
        assert_eq!(check("#. ## .#"), Err(StrategyError::Start("v1".into())));
        assert_eq!(check(".. #. ##"), Err(StrategyError::End("v1".into())));
        assert_eq!(check(".."), Err(StrategyError::End("v2".into())));
        assert_eq!(check("... .#."), Err(StrategyError::Shape { step: 0 }));
        assert_eq!(Strategy::new(&game, vec![]), Err(StrategyError::Shape { step: 0 }));
        let illegal = |step| {
            let [vertex, predecessor] = ["v2", "v1"].map(str::to_owned);
            Err(StrategyError::Illegal { step, vertex, predecessor })
        };
        assert_eq!(check(".. .#"), illegal(0));
        // The predecessor must also be pebbled afterwards.
        assert_eq!(check(".. #. .#"), illegal(1));
        assert_eq!(check(".. ## .#"), illegal(0));
    }

    #[test]
    fn steps_that_change_nothing_are_left_out() {
        let game = chain(2).unwrap();
        let strategy = Strategy::new(&game, configurations(".. .. #. ## ## .# .#")).unwrap();
        assert_eq!(strategy.steps(), 3);
        let moves = |pebbled: &[usize], unpebbled: &[usize]| Moves {
            pebbled: pebbled.to_vec(),
            unpebbled: unpebbled.to_vec(),
        };
        assert_eq!(strategy.moves(), [moves(&[0], &[]), moves(&[1], &[]), moves(&[], &[0])]);
    }

    #[test]
    fn one_move_at_a_time_unpebbles_first() {
        let game = game(4, &[(0, 1), (2, 3)], &[1, 3]);
        let strategy = Strategy::new(&game, configurations(".... #... ##.. .##. .### .#.#"));
        let serial = strategy.unwrap().serialise();
        let expected = configurations(".... #... ##.. .#.. .##. .### .#.#");
        assert_eq!(serial.configurations(), expected);
    }

    /// A random walk that ends in the goal: pebble everything in random moves,
    /// then take back what is not an output.
    fn random_strategy(game: &Game, rng: &mut Rng) -> Strategy {
        let mut walk = vec![vec![false; game.vertices()]];
        let play = |moves: Vec<bool>, walk: &mut Vec<Vec<bool>>| {
            walk.push(step_of(game, walk.last().unwrap(), &moves));
        };
        for _ in 0..30 {
            play((0..game.vertices()).map(|_| rng.one_in(2)).collect(), &mut walk);
        }
        // The vertices are in topological order.
        for fill in [true, false] {
            for at in 0..game.vertices() {
                let at = if fill { at } else { game.vertices() - 1 - at };
                let wanted = fill || game.outputs().contains(&at);
                let change = walk.last().unwrap()[at] != wanted;
                play((0..game.vertices()).map(|v| v == at && change).collect(), &mut walk);
            }
        }
        Strategy::new(game, walk).unwrap()
    }

    #[test]
    fn serial_strategies_are_legal_and_need_no_more() {
        let mut parallel = 0;
        for_random_games(11, 200, 8, |game, rng| {
            let strategy = random_strategy(game, rng);
            let serial = strategy.serialise();
            assert_eq!(Strategy::new(game, serial.configurations.clone()), Ok(serial.clone()));
            assert!(serial.pebbles() <= strategy.pebbles());
            let single = |moves: &Moves| moves.pebbled.len() + moves.unpebbled.len() == 1;
            assert!(serial.moves().iter().all(single));
            parallel += usize::from(serial.steps() > strategy.steps());
        });
        assert!(parallel > 100, "{parallel}");
    }

    #[test]
    fn strategies_of_the_smaller_game_are_lifted() {
        for_random_games(12, 100, 8, |game, rng| {
            let relevant = game.relevant();
            let strategy = random_strategy(&relevant.game, rng);
            let lifted = relevant.lift(&strategy);
            assert_eq!(Strategy::new(game, lifted.configurations.clone()), Ok(lifted.clone()));
            assert_eq!(lifted.pebbles(), strategy.pebbles());
        });
    }

    /// The system and the strategy agree about every step, moves in vain included.
    #[test]
    fn traces_are_replayed_as_the_system_runs() {
        let every = |_| unreachable!("every register has its values");
        for_random_games(13, 100, 6, |game, rng| {
            let system = pebbling(game);
            let inputs = |rng: &mut Rng| -> Vec<Value> {
                let widths = system.inputs().iter().map(|input| system.pool().width(input.symbol));
                widths.map(|width| rng.bitvec(width).into()).collect()
            };
            let mut simulator = Simulator::new(&system, every, inputs(rng));
            for _ in 0..20 {
                let bits = |values: &[Value]| -> Vec<bool> {
                    values[..game.vertices()].iter().map(|value| value.bv().is_true()).collect()
                };
                let expected =
                    step_of(game, &bits(simulator.states()), &bits(&simulator.inputs().to_vec()));
                simulator.step(every, inputs(rng));
                assert_eq!(bits(simulator.states()), expected);
            }
        });
    }

    #[test]
    fn a_trace_is_a_strategy() {
        let game = chain(2).unwrap();
        let bit = |value: bool| Value::from(BitVec::bool(value));
        let step = |text: &str| Step {
            inputs: (text.chars().map(|c| bit(c == '#')))
                .chain([BitVec::new(2, 2).into()])
                .collect(),
            free: vec![],
        };
        let trace = |steps: &[&str]| Trace {
            property: PropertyId(0),
            initial: vec![bit(false); 2],
            steps: steps.iter().map(|text| step(text)).collect(),
            loop_start: None,
        };
        // The second step is idle; in the fourth the move of v1 blocks that of v2.
        let strategy = Strategy::from_trace(&game, &trace(&["#.", "..", ".#", "##", "##"]));
        assert_eq!(strategy.unwrap().configurations(), configurations(".. #. ## .#"));
        let early = Strategy::from_trace(&game, &trace(&["#.", "##"]));
        assert_eq!(early, Err(StrategyError::End("v1".into())));
        let short = Trace { steps: vec![Step::default(); 2].into(), ..trace(&[]) };
        assert_eq!(Strategy::from_trace(&game, &short), Err(StrategyError::Shape { step: 0 }));
        let wide = Trace { initial: vec![BitVec::new(2, 0).into(); 2], ..trace(&["#."]) };
        assert_eq!(Strategy::from_trace(&game, &wide), Err(StrategyError::Shape { step: 0 }));
    }
}
