//! Inductive lemmas of other searches on the same system, which are checked before they count.

use super::cube::Cube;
use super::domain::{Domain, Interruptible, Level, Purpose, Source, Step};
use super::search::{Report, Search};

impl<D: Domain, R: Report<D>> Search<'_, D, R> {
    /// Adopts the offers of other searches that are inductive relative to F∞.
    pub(super) fn adopt_offers(&mut self) -> Interruptible<()> {
        let offers = self.report.offers(&self.frames);
        let (mut adopted, mut refused) = (0, 0);
        for cube in offers {
            let is_known = self.frames.blocked_up_to(self.domain, &cube, self.frames.last() + 1);
            if is_known == Some(Level::Infinite) {
                continue;
            }
            if self.adopt_offer(&cube)? {
                adopted += 1;
            } else {
                refused += 1;
            }
        }
        self.report.answer_offers(adopted, refused);
        Ok(())
    }

    /// UNSAT?  F∞ ∧ ¬c ∧ T ∧ c′
    ///
    /// Then ¬c is a lemma of F∞, if c has no initial state.
    fn adopt_offer(&mut self, cube: &Cube<D::Atom>) -> Interruptible<bool> {
        if self.domain.meets_initial(cube.atoms()) {
            return Ok(false);
        }
        let step =
            self.domain.step(Level::Infinite, cube.atoms(), Source::Outside, Purpose::Promote)?;
        match step {
            Step::Blocked(core) => {
                self.frames.insert(self.domain, Cube::new(core), Level::Infinite);
                Ok(true)
            }
            Step::Reached(_) => Ok(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::Arc;

    use elinvar_ir::{ExprId, Rng, Sort, SystemBuilder, TransitionSystem, Verdict};
    use elinvar_models::compare_with_search;
    use elinvar_sat::Lit;

    use super::super::incremental::check_bits;
    use super::super::validate::tests::{bits_of, cube, safety, task_about};
    use super::super::{PdrOptions, Verdicts};
    use super::*;
    use crate::exchange::{Exchange, Member};
    use crate::kinduction::{KInduction, KInductionOptions};
    use crate::pdr::bits::Bits;
    use crate::relation::Transition;
    use crate::run::Run;
    use crate::task::{BitTask, Task};

    /// Three bits: `a` and `b` stay 0, of which `b` copies `a`; `c` is an input with a delay.
    fn system() -> TransitionSystem {
        let mut builder = SystemBuilder::new();
        let x = builder.input(Sort::BOOL, None).unwrap();
        let bits: Vec<ExprId> = (0..3).map(|_| builder.state(Sort::BOOL, None).unwrap()).collect();
        for (index, next) in [bits[0], bits[0], x].into_iter().enumerate() {
            builder.states[index].init = Some(builder.pool.bool(false));
            builder.states[index].next = Some(next);
        }
        builder.bad("b", bits[1]);
        builder.finish().unwrap()
    }

    /// The lemmas of F∞ after these cubes were offered to a new search.
    fn offered(cubes: &[Cube<Lit>]) -> (Vec<Cube<Lit>>, usize, usize) {
        let (prepared, run, options) =
            (bits_of(&system(), false), Run::new(), PdrOptions::default());
        let exchange = Arc::new(Exchange::default());
        let BitTask { prepared, task } = task_about(&prepared, &run);
        let task = task.with_partner(exchange.partner(Member(0)));
        let bits = BitTask { prepared, task };
        let mut others = exchange.partner(Member(1)).trade(&bits.prepared);
        others.publish(cubes.iter().map(|cube| cube.atoms()));
        let transition =
            Transition::new(&bits.prepared.bits, &safety(bits.prepared.bits.system()), true);
        let mut domain = Bits::new(transition, &run).unwrap();
        let mut verdicts = Verdicts::new("pdr", &bits, 1);
        let mut search = Search::new(&mut domain, &mut verdicts, &options, 1);
        search.adopt_offers().unwrap();
        search.adopt_offers().unwrap();
        let (frames, _) = search.into_frames();
        let lemmas = frames.infinite().iter().map(|lemma| lemma.cube.clone()).collect();
        (lemmas, exchange.adopted(), exchange.refused())
    }

    #[test]
    fn inductive_lemmas_are_adopted_and_wrong_ones_refused() {
        let [a, b, c] = [0, 1, 2].map(|bit| cube(&[bit], &[]));
        assert_eq!(offered(&[a.clone(), b.clone()]), (vec![a.clone(), b.clone()], 2, 0));
        // Without ¬a, nothing shows that b stays 0.
        assert_eq!(offered(std::slice::from_ref(&b)), (vec![], 0, 1));
        // c is reachable, the second cube contains the initial state.
        assert_eq!(offered(&[c, cube(&[], &[1])]), (vec![], 0, 2));
        // What a weaker offer says is known already.
        assert_eq!(offered(&[a.clone(), cube(&[0, 2], &[])]), (vec![a], 1, 0));
    }

    #[test]
    fn a_cube_without_atoms_is_refused() {
        assert_eq!(offered(&[Cube::new(Vec::new())]), (vec![], 0, 1));
    }

    /// Whatever is offered, verdicts are right.
    #[test]
    fn wrong_offers_do_no_harm() {
        let (adopted, refused, seed) = (Cell::new(0), Cell::new(0), Cell::new(0));
        compare_with_search(40, |system, properties| {
            let exchange = Arc::new(Exchange::default());
            let task = Task::about(system, properties, &Run::new());
            let task = task.with_partner(exchange.partner(Member(0)));
            let bits = PdrOptions::default().bits(&task).unwrap();
            let mut liar = exchange.partner(Member(1)).trade(&bits.prepared);
            let mut rng = Rng::new(seed.replace(seed.get() + 1));
            let lies: Vec<Cube<Lit>> = (0..8).map(|_| any_cube(&bits, &mut rng)).collect();
            liar.publish(lies.iter().map(|cube| cube.atoms()));
            let end = check_bits(&bits, &PdrOptions::default(), None).end;
            assert!(end.is_ok(), "{end:?}");
            adopted.set(adopted.get() + exchange.adopted());
            refused.set(refused.get() + exchange.refused());
            // Some have initial values that the search does not support.
            task.ask(&mut KInduction(KInductionOptions::default())).unwrap();
            task.verdicts()
        });
        assert!(adopted.get() > 0 && refused.get() > 100, "{adopted:?} {refused:?}");
    }

    fn any_cube(bits: &BitTask, rng: &mut Rng) -> Cube<Lit> {
        let (mut set, mut not) = (Vec::new(), Vec::new());
        for index in 0..bits.prepared.bits.registers().len() {
            match rng.below(6) {
                0 => set.push(index),
                1 => not.push(index),
                _ => {}
            }
        }
        cube(&set, &not)
    }

    /// A search that gets the lemmas of one that has ended has less to do.
    #[test]
    fn a_second_search_profits_from_the_first() {
        let (prepared, options) = (Arc::new(bits_of(&system(), false)), PdrOptions::default());
        let exchange = Arc::new(Exchange::default());
        let obligations = |member: usize| {
            let task = task_about(&prepared, &Run::new()).task;
            let task = task.with_partner(exchange.partner(Member(member)));
            let bits = BitTask { prepared: Arc::clone(&prepared), task };
            let open = safety(prepared.bits.system());
            let transition = Transition::new(&prepared.bits, &open, true);
            let mut domain = Bits::new(transition, &Run::new()).unwrap();
            let mut verdicts = Verdicts::new("pdr", &bits, 1);
            let mut search = Search::new(&mut domain, &mut verdicts, &options, 1);
            search.run().unwrap();
            search.adopt_offers().unwrap();
            assert!(matches!(bits.task.verdicts()[..], [Verdict::Safe(_)]));
            domain.statistics.obligations
        };
        let (first, second) = (obligations(0), obligations(1));
        assert!(exchange.adopted() > 0 && second < first, "{second} of {first}");
    }
}
