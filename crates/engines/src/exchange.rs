//! Lemmas that engines offer each other, in a race or while they share a processor.
//!
//! Engines that work on the same prepared bits publish their inductive lemmas (F∞), each once. A
//! receiver does not trust them: a lemma becomes one of its own only if its cube has no initial
//! state and a query shows that it is inductive relative to the receiver's F∞, so a wrong lemma
//! costs a query and does no harm. Lemmas arrive in the order in which they were published, and
//! each is inductive relative to those before it, so that one query for each is usually enough.
//!
//! Limits: lemmas of finite frames are not exchanged, nor lemmas about words or about signals.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use elinvar_sat::Lit;
use elinvar_transform::Prepared;
use rustc_hash::FxHashSet;

/// Where the engines of a race leave their lemmas.
#[derive(Default)]
pub struct Exchange {
    offers: Mutex<Offers>,
    /// The number of offers, so that nobody waits for the lock if there is nothing new.
    count: AtomicUsize,
    adopted: AtomicUsize,
    refused: AtomicUsize,
}

#[derive(Default)]
struct Offers {
    /// In the order in which they were published.
    all: Vec<Offer>,
    /// The same cubes, with the address of the bits that they speak of.
    known: FxHashSet<(usize, Arc<[Lit]>)>,
}

/// A cube that is blocked forever.
struct Offer {
    from: Member,
    /// The bits that it speaks of.
    about: Arc<Prepared>,
    cube: Arc<[Lit]>,
}

/// The number of an engine in a race.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Member(pub usize);

/// The access of one engine.
#[derive(Clone)]
pub struct Partner {
    exchange: Arc<Exchange>,
    member: Member,
}

impl Exchange {
    /// The access of a member.
    pub fn partner(self: &Arc<Self>, member: Member) -> Partner {
        Partner { exchange: Arc::clone(self), member }
    }

    /// How many lemmas were adopted by some engine.
    pub fn adopted(&self) -> usize {
        self.adopted.load(Ordering::Relaxed)
    }

    /// How many lemmas were refused by some engine.
    pub fn refused(&self) -> usize {
        self.refused.load(Ordering::Relaxed)
    }

    fn offers(&self) -> MutexGuard<'_, Offers> {
        self.offers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Partner {
    /// The view of an engine that works on these bits.
    pub(crate) fn trade(&self, about: &Arc<Prepared>) -> Trade {
        let (partner, about) = (self.clone(), Arc::clone(about));
        Trade { partner, about, published: 0, seen: 0 }
    }
}

/// What one search has published and seen.
pub(crate) struct Trade {
    partner: Partner,
    about: Arc<Prepared>,
    /// How many of its own lemmas were considered for publication.
    published: usize,
    /// How many offers were looked at.
    seen: usize,
}

impl Trade {
    /// Offers inductive lemmas that are new, given all of them in the order in which they came.
    pub fn publish<'a>(&mut self, lemmas: impl ExactSizeIterator<Item = &'a [Lit]>) {
        let count = lemmas.len();
        if count <= self.published {
            return;
        }
        let Trade { partner: Partner { exchange, member }, about, published, .. } = self;
        // Signals have other numbers in another search.
        let registers = about.bits.registers().len();
        let is_plain = |lemma: &&[Lit]| lemma.iter().all(|lit| lit.var().index() <= registers);
        let new = lemmas.skip(std::mem::replace(published, count)).filter(is_plain);
        let mut offers = exchange.offers();
        for lemma in new {
            let cube: Arc<[Lit]> = lemma.into();
            // The offer keeps the bits, so that no others get their address.
            let address = Arc::as_ptr(about) as usize;
            // What came from others is there already.
            if offers.known.insert((address, Arc::clone(&cube))) {
                offers.all.push(Offer { from: *member, about: Arc::clone(about), cube });
            }
        }
        exchange.count.store(offers.all.len(), Ordering::Release);
    }

    /// The cubes that others have offered since the last call.
    pub fn take(&mut self) -> Vec<Arc<[Lit]>> {
        let Trade { partner: Partner { exchange, member }, about, seen, .. } = self;
        if exchange.count.load(Ordering::Acquire) <= *seen {
            return Vec::new();
        }
        let offers = exchange.offers();
        let new = offers.all[*seen..].iter();
        let of_others =
            new.filter(|offer| offer.from != *member && Arc::ptr_eq(&offer.about, about));
        let cubes = of_others.map(|offer| Arc::clone(&offer.cube)).collect();
        *seen = offers.all.len();
        cubes
    }

    /// Notes what became of offers.
    pub fn count(&self, adopted: usize, refused: usize) {
        let exchange = &self.partner.exchange;
        exchange.adopted.fetch_add(adopted, Ordering::Relaxed);
        exchange.refused.fetch_add(refused, Ordering::Relaxed);
    }
}
