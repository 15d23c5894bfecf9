//! What a register computes and what it is used for, as a few numbers.
//!
//! The colour refinement of Weisfeiler and Leman ("The reduction of a graph to
//! canonical form", 1968) on the graph of a system. At first all registers of a
//! sort have the same colour, and so have all inputs; each round gives a register a
//! new colour from the one before and from
//!
//! * its functions: the initial value and the next function, as expressions over
//!   colours instead of names;
//! * from round [`FIRST_WITH_USES`] on, its uses: the expressions that read it, up to
//!   the registers, constraints and properties that they are for.
//!
//! Registers with equal functions and uses are told apart only by what is further
//! away: the more rounds, the further. The colours of early rounds survive more
//! changes of the system, those of late rounds tell more registers apart.
//!
//! Not counted are: names, numbers of nodes, the order of anything, the order of the
//! operands of commutative operators, and in functions how an operator that is
//! associative too is nested. (In uses the nesting counts: it tells apart what a long
//! conjunction reads.) Each round makes two passes over the pool, without recursion.
//!
//! The hashes are written to files. They depend on nothing but the expressions and
//! the functions `mix` and `ordered` below, so they are the same on all machines; a
//! change of them makes old files less useful, but never wrong.

use crate::expr::{Expr, ExprId, Sort};
use crate::operator::{BinaryOp, UnaryOp};
use crate::pdr_state::RegisterKey;
use crate::system::{PropertyKind, Role, TransitionSystem};
use crate::value::BitVec;

/// The number of hashes of a register.
pub const ROUNDS: usize = 4;

/// The first round in which the uses of a register count.
const FIRST_WITH_USES: usize = 2;

/// The hashes of every register, one a round.
pub fn shapes(system: &TransitionSystem) -> Vec<Vec<u64>> {
    let mut colouring = Colouring::new(system);
    let mut shapes = vec![Vec::with_capacity(ROUNDS); system.states().len()];
    for round in 0..ROUNDS {
        colouring.hash_expressions();
        colouring.refine_by_functions();
        if round >= FIRST_WITH_USES {
            colouring.hash_uses();
            colouring.refine_by_uses();
        }
        for (shape, state) in shapes.iter_mut().zip(system.states()) {
            shape.push(colouring.hashes[state.symbol.node()]);
        }
    }
    shapes
}

/// What every register of the system is recognised by in another version of it.
pub fn keys(system: &TransitionSystem) -> &[RegisterKey] {
    system.keys.get_or_init(|| compute_keys(system))
}

fn compute_keys(system: &TransitionSystem) -> Vec<RegisterKey> {
    let pool = system.pool();
    (system.states().iter().zip(shapes(system)).enumerate())
        .map(|(index, (state, shape))| {
            let name = pool.as_symbol(state.symbol).and_then(|symbol| pool.symbol_name(symbol));
            let name = name.unwrap_or_default().to_owned();
            RegisterKey { name, index, sort: pool.sort(state.symbol), shape }
        })
        .collect()
}

/// What is hashed, so that different things differ.
#[derive(Clone, Copy)]
#[repr(u64)]
enum Tag {
    Constant = 1,
    Input,
    Register,
    /// There is no initial value, or no next function.
    Free,
    Complement,
    Neg,
    RedAnd,
    RedXor,
    Slice,
    Uext,
    Sext,
    Ite,
    Read,
    Write,
    ConstArray,
    ArrayEq,
    Functions,
    Uses,
    Initial,
    Next,
    Constraint,
    Bad,
    Justice,
    Fairness,
    /// and all numbers above: the binary operators in the order of `BinaryOp`
    Binary,
}

struct Colouring<'a> {
    system: &'a TransitionSystem,
    /// By node: for symbols the colour, for others the hash of the expression.
    hashes: Vec<u64>,
    /// By node: its operator, if that is associative and commutative.
    nested: Vec<Option<BinaryOp>>,
    /// By such a node: the sum over the operands of the largest expression of this operator
    /// alone.
    sums: Vec<u64>,
    /// By node: the sum over the places where it is read; zero if there are none.
    uses: Vec<u64>,
}

impl<'a> Colouring<'a> {
    fn new(system: &'a TransitionSystem) -> Self {
        let pool = system.pool();
        let mut hashes = vec![0; pool.len()];
        for number in 0..pool.symbol_count() {
            let symbol = pool.nth_symbol(number);
            let tag = match system.role(symbol) {
                Role::Input(_) => Tag::Input,
                Role::State(_) => Tag::Register,
            };
            let expr = pool.symbol_expr(symbol);
            hashes[expr.node()] = ordered(tag as u64, &[sort_code(pool.sort(expr))]);
        }
        let nested = |id| match pool.get(id) {
            Expr::Binary(op, ..) if is_associative(op) => Some(op),
            _ => None,
        };
        let nested = pool.ids().map(nested).collect();
        Colouring { system, hashes, nested, sums: vec![0; pool.len()], uses: vec![0; pool.len()] }
    }

    /// The hashes of all expressions but symbols, by the colours of the symbols.
    fn hash_expressions(&mut self) {
        let pool = self.system.pool();
        for id in pool.ids() {
            let hash = match pool.get(id) {
                Expr::Symbol(_) => continue,
                Expr::Const(value) => constant(&value),
                Expr::Unary(op, a) => {
                    let tag = match op {
                        UnaryOp::Not => unreachable!("nodes are regular"),
                        UnaryOp::Neg => Tag::Neg,
                        UnaryOp::RedAnd => Tag::RedAnd,
                        UnaryOp::RedXor => Tag::RedXor,
                    };
                    ordered(tag as u64, &[self.edge(a)])
                }
                Expr::Binary(op, a, b) => self.binary(id, op, a, b),
                Expr::Slice { arg, hi, lo } => {
                    ordered(Tag::Slice as u64, &[self.edge(arg), hi.into(), lo.into()])
                }
                Expr::Uext { arg, by } => ordered(Tag::Uext as u64, &[self.edge(arg), by.into()]),
                Expr::Sext { arg, by } => ordered(Tag::Sext as u64, &[self.edge(arg), by.into()]),
                Expr::Ite(c, t, e) => {
                    ordered(Tag::Ite as u64, &[self.edge(c), self.edge(t), self.edge(e)])
                }
                Expr::Read(a, i) => ordered(Tag::Read as u64, &[self.edge(a), self.edge(i)]),
                Expr::Write(a, i, e) => {
                    ordered(Tag::Write as u64, &[self.edge(a), self.edge(i), self.edge(e)])
                }
                Expr::ConstArray(element) => {
                    let sort = sort_code(pool.sort(id));
                    ordered(Tag::ConstArray as u64, &[sort, self.edge(element)])
                }
                Expr::ArrayEq(a, b) => {
                    let sum = mix(self.edge(a)).wrapping_add(mix(self.edge(b)));
                    ordered(Tag::ArrayEq as u64, &[sum])
                }
            };
            self.hashes[id.node()] = hash;
        }
    }

    fn binary(&mut self, id: ExprId, op: BinaryOp, a: ExprId, b: ExprId) -> u64 {
        let tag = Tag::Binary as u64 + op as u64;
        if !op.is_commutative() {
            return ordered(tag, &[self.edge(a), self.edge(b)]);
        }
        let sum = self.summand(op, a).wrapping_add(self.summand(op, b));
        self.sums[id.node()] = sum;
        ordered(tag, &[sum])
    }

    /// What an operand of a commutative operator adds to the sum of it.
    fn summand(&self, op: BinaryOp, operand: ExprId) -> u64 {
        if !operand.is_complement() && self.nested[operand.node()] == Some(op) {
            self.sums[operand.node()]
        } else {
            mix(self.edge(operand))
        }
    }

    fn edge(&self, id: ExprId) -> u64 {
        let hash = self.hashes[id.node()];
        if id.is_complement() { ordered(Tag::Complement as u64, &[hash]) } else { hash }
    }

    fn refine_by_functions(&mut self) {
        let function = |expr: Option<ExprId>| expr.map_or(Tag::Free as u64, |expr| self.edge(expr));
        let colours: Vec<u64> = (self.system.states().iter())
            .map(|state| {
                let colour = self.hashes[state.symbol.node()];
                ordered(
                    Tag::Functions as u64,
                    &[colour, function(state.init), function(state.next)],
                )
            })
            .collect();
        for (state, colour) in self.system.states().iter().zip(colours) {
            self.hashes[state.symbol.node()] = colour;
        }
    }

    /// The uses of all nodes, from those of the expressions that they are in.
    fn hash_uses(&mut self) {
        self.uses.fill(0);
        self.use_roots();
        let pool = self.system.pool();
        for id in pool.ids().rev() {
            let (hash, uses) = (self.hashes[id.node()], self.uses[id.node()]);
            if uses == 0 {
                continue;
            }
            let expr = pool.get(id);
            let commutative = match expr {
                Expr::Binary(op, ..) => op.is_commutative(),
                Expr::ArrayEq(..) => true,
                Expr::Const(_) | Expr::Symbol(_) | Expr::Unary(..) | Expr::ConstArray(_) => false,
                Expr::Slice { .. } | Expr::Uext { .. } | Expr::Sext { .. } => false,
                Expr::Ite(..) | Expr::Read(..) | Expr::Write(..) => false,
            };
            let mut position = 0;
            expr.for_each_operand(|operand| {
                self.add_use(operand, &[uses, hash, position]);
                position += u64::from(!commutative);
            });
        }
    }

    /// What the expressions of the system are for.
    fn use_roots(&mut self) {
        let system = self.system;
        for state in system.states() {
            let colour = self.hashes[state.symbol.node()];
            for (tag, function) in [(Tag::Initial, state.init), (Tag::Next, state.next)] {
                if let Some(function) = function {
                    self.add_use(function, &[tag as u64, colour]);
                }
            }
        }
        for &constraint in system.constraints() {
            self.add_use(constraint, &[Tag::Constraint as u64]);
        }
        for &fair in system.fairness() {
            self.add_use(fair, &[Tag::Fairness as u64]);
        }
        for property in system.properties() {
            match &property.kind {
                &PropertyKind::Bad(bad) => self.add_use(bad, &[Tag::Bad as u64]),
                PropertyKind::Justice(conditions) => {
                    for &condition in conditions {
                        self.add_use(condition, &[Tag::Justice as u64]);
                    }
                }
            }
        }
    }

    fn add_use(&mut self, operand: ExprId, place: &[u64]) {
        let polarity = Tag::Uses as u64 ^ u64::from(operand.is_complement()) << 32;
        let uses = &mut self.uses[operand.node()];
        *uses = uses.wrapping_add(ordered(polarity, place));
    }

    fn refine_by_uses(&mut self) {
        let inputs = self.system.inputs().iter().map(|input| input.symbol);
        for symbol in inputs.chain(self.system.states().iter().map(|state| state.symbol)) {
            let node = symbol.node();
            self.hashes[node] = ordered(Tag::Uses as u64, &[self.hashes[node], self.uses[node]]);
        }
    }
}

/// Do nested expressions of this commutative operator not depend on the nesting?
fn is_associative(op: BinaryOp) -> bool {
    use BinaryOp::*;
    match op {
        And | Xor | Add | Mul => true,
        Eq | Uaddo | Saddo | Umulo | Smulo | Sub | Udiv | Urem | Sdiv | Srem | Smod | Ult | Slt
        | Shl | Lshr | Ashr | Rol | Ror | Concat | Ssubo | Sdivo => false,
    }
}

fn sort_code(sort: Sort) -> u64 {
    match sort {
        Sort::Bv(width) => width.into(),
        Sort::Array { index, element } => u64::from(index) << 32 | u64::from(element),
    }
}

fn constant(value: &BitVec) -> u64 {
    let width = value.width().into();
    match value.to_u64() {
        Some(word) => ordered(Tag::Constant as u64, &[width, word]),
        None => {
            let bytes = value.to_big().to_le_bytes();
            let words = bytes
                .chunks(8)
                .map(|chunk| chunk.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)));
            words.fold(mix(width), |hash, word| ordered(hash, &[word]))
        }
    }
}

/// A hash of numbers in their order.
fn ordered(tag: u64, parts: &[u64]) -> u64 {
    (parts.iter()).fold(mix(tag), |hash, &part| mix(hash.rotate_left(23) ^ mix(part)))
}

/// The finaliser of SplitMix64 [Steele, Lea, Flood, OOPSLA 2014]: a permutation of the
/// numbers of 64 bits in which every bit depends on every other.
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::SystemBuilder;

    fn bits<const N: usize>(b: &mut SystemBuilder) -> [ExprId; N] {
        std::array::from_fn(|_| b.state(Sort::BOOL, None).unwrap())
    }

    /// Two counters, an input and a gate, declared and built in one order or the other.
    fn counters(reverse: bool) -> TransitionSystem {
        let mut b = SystemBuilder::new();
        let mut order = [0, 1, 2];
        if reverse {
            order.reverse();
        }
        let mut symbols = [b.pool.bool(false); 3];
        for role in order {
            let name = format!("{role}{reverse}");
            symbols[role] = match role {
                0 | 1 => b.state(Sort::Bv(4), Some(&name)).unwrap(),
                _ => b.input(Sort::Bv(4), Some(&name)).unwrap(),
            };
        }
        let [slow, fast, x] = symbols;
        let two = b.pool.constant(BitVec::new(4, 2));
        let (slow_next, fast_next) = if reverse {
            let sum = b.pool.binary(BinaryOp::Add, two, x).unwrap();
            let fast_next = b.pool.binary(BinaryOp::Add, sum, fast).unwrap();
            (b.pool.binary(BinaryOp::Xor, x, slow).unwrap(), fast_next)
        } else {
            let slow_next = b.pool.binary(BinaryOp::Xor, slow, x).unwrap();
            let sum = b.pool.binary(BinaryOp::Add, fast, two).unwrap();
            (slow_next, b.pool.binary(BinaryOp::Add, x, sum).unwrap())
        };
        let (slow_index, fast_index) = if reverse { (1, 0) } else { (0, 1) };
        b.states[slow_index].next = Some(slow_next);
        b.states[fast_index].next = Some(fast_next);
        let bad = b.pool.binary(BinaryOp::Ult, slow, fast).unwrap();
        b.bad("p", bad);
        b.finish().unwrap()
    }

    #[test]
    fn names_numbers_order_and_nesting_do_not_count() {
        let [forward, mut reversed] = [false, true].map(|reverse| shapes(&counters(reverse)));
        reversed.reverse();
        for (a, b) in forward.iter().zip(&reversed) {
            assert_eq!(a[..FIRST_WITH_USES], b[..FIRST_WITH_USES]);
        }
        // The function of this one is not nested, nor is what reads it.
        assert_eq!(forward[0][FIRST_WITH_USES], reversed[0][FIRST_WITH_USES]);
    }

    #[test]
    fn complements_initial_values_and_missing_functions_count() {
        let mut b = SystemBuilder::new();
        let [first, ..] = bits::<5>(&mut b);
        b.states[0].next = Some(first);
        b.states[1].next = Some(b.pool.not(first).unwrap());
        for (state, init) in [(2, false), (3, true)] {
            b.states[state].next = Some(first);
            b.states[state].init = Some(b.pool.bool(init));
        }
        let shapes = shapes(&b.finish().unwrap());
        let first: std::collections::BTreeSet<u64> = shapes.iter().map(|shape| shape[0]).collect();
        assert_eq!(first.len(), 5);
    }

    /// In a chain of registers, each round tells one more register from its neighbours.
    #[test]
    fn each_round_sees_one_register_further() {
        let mut b = SystemBuilder::new();
        let chain = bits::<6>(&mut b);
        for (i, &before) in chain.iter().enumerate().take(5) {
            b.states[i + 1].next = Some(before);
        }
        let shapes = shapes(&b.finish().unwrap());
        assert_ne!(shapes[0][0], shapes[1][0]);
        assert_eq!(shapes[1][0], shapes[2][0]);
        assert_ne!(shapes[1][1], shapes[2][1]);
        assert_eq!(shapes[3][1], shapes[4][1]);
    }

    #[test]
    fn uses_tell_equal_registers_apart() {
        let mut b = SystemBuilder::new();
        let [a, c, d, e] = bits(&mut b);
        b.bad("p", a);
        b.constraints.push(c);
        let shapes = |b: &SystemBuilder| shapes(&b.clone().finish().unwrap());
        let before = shapes(&b);
        assert!((0..FIRST_WITH_USES).all(|round| before[0][round] == before[1][round]));
        let last = |shapes: &[Vec<u64>]| shapes.iter().map(|shape| shape[ROUNDS - 1]).collect();
        let colours: Vec<u64> = last(&before);
        assert!(colours[0] != colours[1] && colours[0] != colours[2] && colours[1] != colours[2]);
        assert_eq!(colours[2], colours[3]);
        // An expression that no other uses does not count.
        b.pool.and(d, e).unwrap();
        assert_eq!(shapes(&b), before);
        b.bad("q", e);
        let after: Vec<u64> = last(&shapes(&b));
        assert_ne!(after[2], after[3]);
    }

    /// Files hold shapes: those of old files must be found again.
    #[test]
    fn hashes_stay_what_they_are() {
        let mut b = SystemBuilder::new();
        let x = b.input(Sort::Bv(70), None).unwrap();
        let s = b.state(Sort::Bv(70), None).unwrap();
        let array = Sort::Array { index: 2, element: 70 };
        let memory = b.state(array, None).unwrap();
        let mut bit = b.pool.bool(true);
        for op in BinaryOp::ALL {
            let applied = b.pool.binary(op, s, x).unwrap();
            let odd = b.pool.unary(UnaryOp::RedXor, applied).unwrap();
            bit = b.pool.ite(odd, bit, odd).unwrap();
        }
        let wide = b.pool.sext(bit, 69).unwrap();
        let big = b.pool.constant(BitVec::ones(70));
        let sum = b.pool.binary(BinaryOp::Sub, wide, big).unwrap();
        let low = b.pool.slice(s, 1, 0).unwrap();
        let read = b.pool.read(memory, low).unwrap();
        b.states[0].next = Some(b.pool.binary(BinaryOp::Add, sum, read).unwrap());
        b.states[1].next = Some(b.pool.write(memory, low, x).unwrap());
        b.states[1].init = Some(b.pool.const_array(2, big).unwrap());
        b.bad("p", bit);
        let expected: [[u64; ROUNDS]; 2] = [
            [
                0x5a75_888e_2ab5_ef15,
                0xb9cc_c582_0121_4285,
                0x7c75_dc03_1f0b_451e,
                0x4ec8_2c99_7a09_130f,
            ],
            [
                0x27cf_b335_37ed_5e99,
                0x9691_d709_e7b6_cbbb,
                0x1dff_1fb2_e4ac_6a80,
                0xe06d_8ed4_8a2c_15e2,
            ],
        ];
        assert_eq!(shapes(&b.finish().unwrap()), expected);
    }
}
