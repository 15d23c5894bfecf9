//! What is known of the variables at a location.
//!
//! Single variables have [`Values`] and packs have [`Octagon`]s; they tell each other
//! what they learn of single variables.

use std::rc::Rc;

use elinvar_ir::program::{Term, VariableId};

use super::interval::Interval;
use super::layout::{Flag, Layout, Place, Slot};
use super::number::Number;
use super::octagon::{Assignment, Octagon, Signed};
use super::values::{Empty, Values};

#[derive(Clone, PartialEq, Debug)]
pub(super) struct State {
    /// Shared, as the octagons are, among the states that do not differ in them.
    numbers: Vec<Rc<Values>>,
    bools: Vec<Option<bool>>,
    /// By pack.
    octagons: Vec<Rc<Octagon>>,
    /// Of terms that are no variables, while a statement is looked at.
    known: Vec<(Term, Values)>,
}

/// A variable of numbers or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SignedSlot {
    pub(super) slot: Slot,
    pub(super) negated: bool,
}

impl SignedSlot {
    pub(super) fn negate(self) -> Self {
        SignedSlot { negated: !self.negated, ..self }
    }
}

/// What a variable of numbers becomes: its values, and how far they are from a signed
/// variable's value before.
pub(super) struct NewNumber {
    pub(super) slot: Slot,
    pub(super) values: Values,
    pub(super) distances: Vec<(SignedSlot, Interval)>,
}

impl State {
    /// Nothing is known.
    pub(super) fn all(layout: &Layout) -> Self {
        let octagon = |size: usize, integral: bool| Rc::new(Octagon::all(size, integral));
        let values = |&integral: &bool| Rc::new(Values::all(integral));
        State {
            numbers: layout.integral.iter().map(values).collect(),
            bools: vec![None; layout.bools.len()],
            octagons: layout
                .packs
                .iter()
                .map(|pack| octagon(pack.members.len(), pack.integral))
                .collect(),
            known: Vec::new(),
        }
    }

    pub(super) fn number(&self, slot: Slot) -> &Values {
        &self.numbers[slot.0]
    }

    pub(super) fn bool(&self, flag: Flag) -> Option<bool> {
        self.bools[flag.0]
    }

    pub(super) fn octagons(&self) -> &[Rc<Octagon>] {
        &self.octagons
    }

    pub(super) fn known(&self, term: Term) -> Option<&Values> {
        self.known.iter().rev().find(|(known, _)| *known == term).map(|(_, values)| values)
    }

    /// Remembers the values of a term until the statement is over.
    pub(super) fn learn(&mut self, term: Term, values: Values) {
        self.known.push((term, values));
    }

    pub(super) fn end_statement(&mut self) {
        self.known.clear();
    }

    pub(super) fn restrict_bool(&mut self, flag: Flag, value: bool) -> Result<(), Empty> {
        if self.bools[flag.0] == Some(!value) {
            return Err(Empty);
        }
        self.bools[flag.0] = Some(value);
        Ok(())
    }

    pub(super) fn restrict_number(
        &mut self,
        layout: &Layout,
        slot: Slot,
        values: &Values,
    ) -> Result<(), Empty> {
        let values = self.number(slot).meet(values)?;
        if values == *self.number(slot) {
            return Ok(());
        }
        self.numbers[slot.0] = Rc::new(values);
        self.spread(layout, vec![slot])
    }

    /// The values of `left - right`, as far as packs know them.
    pub(super) fn difference(
        &self,
        layout: &Layout,
        left: SignedSlot,
        right: SignedSlot,
    ) -> Interval {
        let mut values = Interval::ALL;
        for (a, b) in layout.common_seats(left.slot, right.slot) {
            let known = self.octagons[a.pack].difference(
                Signed::new(a.position, left.negated),
                Signed::new(b.position, right.negated),
            );
            // Packs that contradict each other are found out elsewhere.
            values = values.meet(&known).unwrap_or(values);
        }
        values
    }

    /// Only where `left - right` lies in the interval, as far as packs can say so.
    pub(super) fn restrict_difference(
        &mut self,
        layout: &Layout,
        left: SignedSlot,
        right: SignedSlot,
        values: &Interval,
    ) -> Result<(), Empty> {
        for (a, b) in layout.common_seats(left.slot, right.slot) {
            Rc::make_mut(&mut self.octagons[a.pack]).restrict_difference(
                Signed::new(a.position, left.negated),
                Signed::new(b.position, right.negated),
                values,
            )?;
            self.learn_from_pack(layout, a.pack)?;
        }
        Ok(())
    }

    fn learn_from_pack(&mut self, layout: &Layout, pack: usize) -> Result<(), Empty> {
        let changed = self.take_from_pack(layout, pack)?;
        self.spread(layout, changed)
    }

    /// The members of which the octagon knew more.
    fn take_from_pack(&mut self, layout: &Layout, pack: usize) -> Result<Vec<Slot>, Empty> {
        let mut changed = Vec::new();
        for (position, &slot) in layout.packs[pack].members.iter().enumerate() {
            let values =
                self.number(slot).meet_interval(&self.octagons[pack].interval(position))?;
            if values != *self.number(slot) {
                self.numbers[slot.0] = Rc::new(values);
                changed.push(slot);
            }
        }
        Ok(changed)
    }

    /// Tells the packs what became known of their members, and others what packs conclude.
    fn spread(&mut self, layout: &Layout, mut changed: Vec<Slot>) -> Result<(), Empty> {
        // Residues and bounds on differences may tighten each other for long.
        let mut patience = 4 * layout.numbers.len();
        while let Some(slot) = changed.pop() {
            if patience == 0 {
                break;
            }
            patience -= 1;
            for seat in layout.seats(slot) {
                let interval = self.numbers[slot.0].interval();
                if self.octagons[seat.pack].interval(seat.position) == *interval {
                    continue;
                }
                Rc::make_mut(&mut self.octagons[seat.pack]).restrict(seat.position, interval)?;
                changed.extend(self.take_from_pack(layout, seat.pack)?);
            }
        }
        Ok(())
    }

    /// All at once.
    pub(super) fn assign(
        &mut self,
        layout: &Layout,
        numbers: Vec<NewNumber>,
        bools: Vec<(Flag, Option<bool>)>,
    ) -> Result<(), Empty> {
        for (flag, value) in bools {
            self.bools[flag.0] = value;
        }
        let changed = numbers.iter().flat_map(|new| layout.seats(new.slot)).map(|seat| seat.pack);
        let mut changed: Vec<usize> = changed.collect();
        changed.sort_unstable();
        changed.dedup();
        for &pack in &changed {
            let assignments: Vec<Assignment> =
                numbers.iter().filter_map(|new| new.within(layout, pack)).collect();
            self.octagons[pack] = Rc::new(self.octagons[pack].assign(&assignments)?);
        }
        for new in numbers {
            self.numbers[new.slot.0] = Rc::new(new.values);
        }
        changed.into_iter().try_for_each(|pack| self.learn_from_pack(layout, pack))
    }

    pub(super) fn forget(&mut self, layout: &Layout, variable: VariableId) {
        match layout.place(variable) {
            Place::Number(slot) => self.forget_number(layout, slot),
            Place::Bool(flag) => self.bools[flag.0] = None,
            Place::Nowhere => {}
        }
    }

    fn forget_number(&mut self, layout: &Layout, slot: Slot) {
        if !self.number(slot).is_all() {
            self.numbers[slot.0] = Rc::new(Values::all(layout.integral[slot.0]));
        }
        for seat in layout.seats(slot) {
            if !self.octagons[seat.pack].is_free(seat.position) {
                Rc::make_mut(&mut self.octagons[seat.pack]).forget(seat.position);
            }
        }
    }

    pub(super) fn join(&self, other: &Self) -> Self {
        State {
            numbers: zip_shared(&self.numbers, &other.numbers, Values::join),
            bools: zip(&self.bools, &other.bools, |a, b| a.filter(|_| a == b)),
            octagons: zip_shared(&self.octagons, &other.octagons, Octagon::join),
            known: Vec::new(),
        }
    }

    /// Only what both allow.
    pub(super) fn meet(&self, layout: &Layout, other: &Self) -> Result<Self, Empty> {
        let mut meet = self.clone();
        for (flag, value) in other.bools.iter().enumerate() {
            value.map_or(Ok(()), |value| meet.restrict_bool(Flag(flag), value))?;
        }
        for (own, other) in meet.octagons.iter_mut().zip(&other.octagons) {
            if Rc::ptr_eq(own, other) {
                continue;
            }
            if other.is_within(own) {
                *own = other.clone();
            } else if !own.is_within(other) {
                *own = Rc::new(own.meet(other)?);
            }
        }
        for (own, other) in meet.numbers.iter_mut().zip(&other.numbers) {
            if own != other {
                *own = Rc::new(own.meet(other)?);
            }
        }
        meet.reduce(layout)?;
        Ok(meet)
    }

    /// The next one of a chain that becomes stationary. What comes out is not reduced and
    /// must not be before it is widened again.
    pub(super) fn widen(&self, next: &Self, thresholds: &[Number]) -> Self {
        State {
            numbers: zip_shared(&self.numbers, &next.numbers, |old, new| {
                old.widen(new, thresholds)
            }),
            bools: zip(&self.bools, &next.bools, |a, b| a.filter(|_| a == b)),
            octagons: zip_shared(&self.octagons, &next.octagons, |old, new| {
                old.widen(new, thresholds)
            }),
            known: Vec::new(),
        }
    }

    /// A state that was widened, with all that follows from its parts.
    pub(super) fn closed(mut self, layout: &Layout) -> Result<Self, Empty> {
        for octagon in &mut self.octagons {
            Rc::make_mut(octagon).close()?;
        }
        self.reduce(layout)?;
        Ok(self)
    }

    fn reduce(&mut self, layout: &Layout) -> Result<(), Empty> {
        self.spread(layout, (0..layout.numbers.len()).map(Slot).collect())?;
        (0..layout.packs.len()).try_for_each(|pack| self.learn_from_pack(layout, pack))
    }
}

impl NewNumber {
    /// What a pack can take of it; none if the variable is not a member.
    fn within(&self, layout: &Layout, pack: usize) -> Option<Assignment> {
        let seat = layout.seats(self.slot).iter().find(|seat| seat.pack == pack)?;
        let distances = self.distances.iter().filter_map(|(other, distance)| {
            let seat = layout.seats(other.slot).iter().find(|seat| seat.pack == pack)?;
            Some((Signed::new(seat.position, other.negated), distance.clone()))
        });
        Some(Assignment {
            variable: seat.position,
            values: self.values.interval().clone(),
            distances: distances.collect(),
        })
    }
}

fn zip<T>(left: &[T], right: &[T], combine: impl Fn(&T, &T) -> T) -> Vec<T> {
    left.iter().zip(right).map(|(a, b)| combine(a, b)).collect()
}

/// For operators that give the same for twice the same.
fn zip_shared<T: Eq>(left: &[Rc<T>], right: &[Rc<T>], combine: impl Fn(&T, &T) -> T) -> Vec<Rc<T>> {
    zip(left, right, |a, b| if a == b { a.clone() } else { Rc::new(combine(a, b)) })
}
