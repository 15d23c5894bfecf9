//! The solver against CaDiCaL on random problems: every answer of every query is
//! checked, and with logging every refutation too.
//!
//! `SAT_ROUNDS=50` in the environment multiplies the number of random problems.

mod domains;
mod duel;
mod layers;
mod plain;
mod random;
