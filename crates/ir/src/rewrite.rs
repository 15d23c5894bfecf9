//! Building expressions: sorts are checked, then local rewrites are tried.
//!
//! Each rewrite looks at most one level below its operands, so building is
//! constant time, and each is written down as match and result beside its code
//! (`~` complement, `#` concatenation). Derived operators (`or`, `ule`, `nand`, …)
//! have no node of their own: they are built from the others, so that there is
//! one place where each meaning is defined.
//!
//! A pool made by [`Pool::verbatim`] skips all rewrites.

use crate::expr::{Expr, ExprId, MAX_WIDTH, Pool, Sort, SortError};
use crate::operator::{BinaryOp, UnaryOp};
use crate::polynomial::constant_difference;
use crate::value::BitVec;

/// Constants wider than this are not folded: a chain of operators on huge
/// constants must not cost more memory than the text it came from.
const FOLD_WIDTH: u32 = 4096;

type Built = Result<ExprId, SortError>;

/// The values of two operands, if they are constants.
type Constants = (Option<BitVec>, Option<BitVec>);

impl Pool {
    // ---- the operators --------------------------------------------------

    /// Bitwise complement.
    pub fn not(&mut self, a: ExprId) -> Built {
        self.expect_bv(a)?;
        Ok(self.complement(a))
    }

    /// An operator with one operand.
    pub fn unary(&mut self, op: UnaryOp, a: ExprId) -> Built {
        let width = self.expect_bv(a)?;
        if op == UnaryOp::Not {
            return self.not(a);
        }
        if !self.rewrites() {
            return Ok(self.intern_unary(op, a));
        }
        if let Some(value) = self.foldable(a) {
            return Ok(self.constant(op.apply(&value)));
        }
        match op {
            UnaryOp::Not => unreachable!("handled above"),
            // -(-a) → a
            UnaryOp::Neg => {
                if let Expr::Unary(UnaryOp::Neg, inner) = self.get(a) {
                    return Ok(inner);
                }
                // -a → a at width 1
                if width == 1 {
                    return Ok(a);
                }
            }
            // redand(a), redxor(a) → a at width 1
            UnaryOp::RedAnd | UnaryOp::RedXor if width == 1 => return Ok(a),
            // redxor(~a) → redxor(a), complemented when the width is odd
            UnaryOp::RedXor if a.is_complement() => {
                let regular = self.intern_unary(op, a.regular());
                return Ok(Pool::complement_if(regular, width % 2 == 1));
            }
            UnaryOp::RedAnd | UnaryOp::RedXor => {}
        }
        Ok(self.intern_unary(op, a))
    }

    /// An operator with two operands.
    pub fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Built {
        let (wa, wb) = (self.expect_bv(a)?, self.expect_bv(b)?);
        if op == BinaryOp::Concat {
            return self.concat(a, b, wa, wb);
        }
        if wa != wb {
            return Err(SortError::Width { found: wb, expected: wa });
        }
        if !self.rewrites() {
            return Ok(self.intern_binary(op, a, b));
        }
        let consts = (self.const_value(a), self.const_value(b));
        if let (Some(x), Some(y)) = &consts
            && wa <= FOLD_WIDTH
        {
            return Ok(self.constant(op.apply(x, y)));
        }
        Ok(match op {
            BinaryOp::And => self.build_and(a, b, consts),
            BinaryOp::Xor => self.build_xor(a, b, consts),
            BinaryOp::Eq => self.build_eq(a, b, wa, consts),
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
                self.build_arithmetic(op, [a, b], consts)
            }
            BinaryOp::Ult | BinaryOp::Slt => self.build_less(op, [a, b], consts),
            BinaryOp::Shl | BinaryOp::Lshr | BinaryOp::Ashr | BinaryOp::Rol | BinaryOp::Ror => {
                self.build_shift(op, a, b, wa, consts.1)
            }
            BinaryOp::Udiv | BinaryOp::Urem if consts.1.as_ref().is_some_and(BitVec::is_one) => {
                // a / 1 → a, a % 1 → 0
                if op == BinaryOp::Udiv { a } else { self.constant(BitVec::zero(wa)) }
            }
            BinaryOp::Udiv
            | BinaryOp::Urem
            | BinaryOp::Sdiv
            | BinaryOp::Srem
            | BinaryOp::Smod
            | BinaryOp::Uaddo
            | BinaryOp::Saddo
            | BinaryOp::Ssubo
            | BinaryOp::Umulo
            | BinaryOp::Smulo
            | BinaryOp::Sdivo => self.intern_binary(op, a, b),
            BinaryOp::Concat => unreachable!("handled above"),
        })
    }

    /// Bits `hi` down to `lo`.
    pub fn slice(&mut self, a: ExprId, hi: u32, lo: u32) -> Built {
        let width = self.expect_bv(a)?;
        if lo > hi || hi >= width {
            return Err(SortError::Slice { hi, lo, width });
        }
        if !self.rewrites() {
            return Ok(self.intern_slice(a, hi, lo));
        }
        // a[w-1:0] → a
        if lo == 0 && hi + 1 == width {
            return Ok(a);
        }
        if let Some(value) = self.foldable(a) {
            return Ok(self.constant(value.slice(hi, lo)));
        }
        // (~a)[h:l] → ~(a[h:l])
        if a.is_complement() {
            let inner = self.slice(a.regular(), hi, lo)?;
            return self.not(inner);
        }
        Ok(match self.get(a) {
            // a[h:l][h2:l2] → a[l+h2:l+l2]
            Expr::Slice { arg, lo: below, .. } => self.intern_slice(arg, below + hi, below + lo),
            // (a # b)[h:l] → the part, when it lies in one operand
            Expr::Binary(BinaryOp::Concat, high, low) => {
                let split = self.width(low);
                if hi < split {
                    return self.slice(low, hi, lo);
                } else if lo >= split {
                    return self.slice(high, hi - split, lo - split);
                }
                self.intern_slice(a, hi, lo)
            }
            // uext(a)[h:l] → a[h:l] below, zeros above
            Expr::Uext { arg, .. } => {
                let split = self.width(arg);
                if hi < split {
                    return self.slice(arg, hi, lo);
                } else if lo >= split && hi - lo < FOLD_WIDTH {
                    return Ok(self.constant(BitVec::zero(hi - lo + 1)));
                }
                self.intern_slice(a, hi, lo)
            }
            // sext(a)[h:l] → a[h:l] when it lies below the extension
            Expr::Sext { arg, .. } if hi < self.width(arg) => return self.slice(arg, hi, lo),
            _ => self.intern_slice(a, hi, lo),
        })
    }

    /// The operand with `by` zeros in front.
    pub fn uext(&mut self, a: ExprId, by: u32) -> Built {
        self.extend(false, a, by)
    }

    /// The operand with `by` copies of its sign in front.
    pub fn sext(&mut self, a: ExprId, by: u32) -> Built {
        self.extend(true, a, by)
    }

    /// `c ? t : e`, on bit-vectors or arrays.
    pub fn ite(&mut self, c: ExprId, t: ExprId, e: ExprId) -> Built {
        let width = self.expect_bv(c)?;
        if width != 1 {
            return Err(SortError::Width { found: width, expected: 1 });
        }
        let sort = self.sort(t);
        if sort != self.sort(e) {
            return Err(SortError::Mismatch(sort, self.sort(e)));
        }
        if !self.rewrites() {
            return Ok(self.intern_ite(c, t, e));
        }
        // (~c ? t : e) → (c ? e : t)
        let (c, t, e) = if c.is_complement() { (c.regular(), e, t) } else { (c, t, e) };
        // (c ? t : t) → t;  (1 ? t : e) → t;  (0 ? t : e) → e
        if t == e || self.is_true(c) {
            return Ok(t);
        }
        if self.is_false(c) {
            return Ok(e);
        }
        if sort == Sort::BOOL {
            return Ok(self.build_bool_ite(c, t, e));
        }
        // (c ? ~t : ~e) → ~(c ? t : e)
        if t.is_complement() && e.is_complement() {
            let inner = self.intern_ite(c, t.regular(), e.regular());
            return self.not(inner);
        }
        // (c ? (c ? x : y) : e) → (c ? x : e);  (c ? t : (c ? x : y)) → (c ? t : y)
        let t = match self.get(t) {
            Expr::Ite(inner, x, _) if inner == c => x,
            _ => t,
        };
        let e = match self.get(e) {
            Expr::Ite(inner, _, y) if inner == c => y,
            _ => e,
        };
        if t == e {
            return Ok(t);
        }
        Ok(self.intern_ite(c, t, e))
    }

    /// The element of an array at an address.
    pub fn read(&mut self, array: ExprId, index: ExprId) -> Built {
        let (index_width, element) = self.expect_array(array)?;
        self.expect_width(index, index_width)?;
        if !self.rewrites() {
            return Ok(self.intern_read(array, index, element));
        }
        match self.get(array) {
            // write(a, i, v)[i] → v;  write(a, i, v)[j] → a[j] for constants i ≠ j
            Expr::Write(base, at, value) => {
                if at == index {
                    return Ok(value);
                }
                let distinct = (self.const_value(at), self.const_value(index));
                if let (Some(x), Some(y)) = distinct
                    && x != y
                {
                    return self.read(base, index);
                }
            }
            // constarray(v)[i] → v
            Expr::ConstArray(value) => return Ok(value),
            _ => {}
        }
        Ok(self.intern_read(array, index, element))
    }

    /// The array with another element at an address.
    pub fn write(&mut self, array: ExprId, index: ExprId, value: ExprId) -> Built {
        let (index_width, element) = self.expect_array(array)?;
        self.expect_width(index, index_width)?;
        self.expect_width(value, element)?;
        if !self.rewrites() {
            return Ok(self.intern_write(array, index, value));
        }
        // write(write(a, i, v), i, w) → write(a, i, w)
        if let Expr::Write(base, at, _) = self.get(array)
            && at == index
        {
            return Ok(self.intern_write(base, index, value));
        }
        // write(a, i, a[i]) → a
        if self.get(value) == Expr::Read(array, index) {
            return Ok(array);
        }
        Ok(self.intern_write(array, index, value))
    }

    /// The array that holds `element` at each of the 2^index addresses.
    pub fn const_array(&mut self, index: u32, element: ExprId) -> Built {
        self.expect_bv(element)?;
        self.intern_const_array(index, element)
    }

    /// Equality on bit-vectors and, extensionally, on arrays.
    pub fn equal(&mut self, a: ExprId, b: ExprId) -> Built {
        let (sa, sb) = (self.sort(a), self.sort(b));
        match (sa, sb) {
            (Sort::Bv(_), Sort::Bv(_)) => self.binary(BinaryOp::Eq, a, b),
            (Sort::Array { .. }, Sort::Array { .. }) if sa == sb => {
                // a = a → 1
                if a == b && self.rewrites() {
                    Ok(self.bool(true))
                } else {
                    Ok(self.intern_array_eq(a, b))
                }
            }
            _ => Err(SortError::Mismatch(sa, sb)),
        }
    }

    // ---- bits ------------------------------------------------------------------

    /// The complement of a bit, without the checks of [`Pool::not`].
    pub fn not_bit(&self, a: ExprId) -> ExprId {
        debug_assert_eq!(self.sort(a), Sort::BOOL);
        // The constants are nodes of their own: ~0 → 1, ~1 → 0.
        if a.node() <= 1 { self.bool(a.node() == 0) } else { Pool::complement_if(a, true) }
    }

    /// The conjunction of two bits: what [`Pool::and`] gives, for readers of
    /// large circuits who know their operands to be bits.
    pub fn and_bits(&mut self, a: ExprId, b: ExprId) -> ExprId {
        debug_assert_eq!((self.sort(a), self.sort(b)), (Sort::BOOL, Sort::BOOL));
        let (a, b) = if b < a { (b, a) } else { (a, b) };
        if !self.rewrites() {
            return self.intern_and_bits(a, b);
        }
        // 0 & b → 0;  1 & b → b
        if a.node() <= 1 {
            return if a.node() == 0 { a } else { b };
        }
        // a & a → a;  a & ~a → 0
        if a.regular() == b.regular() {
            return if a == b { a } else { self.bool(false) };
        }
        self.intern_and_bits(a, b)
    }

    // ---- derived operators ---------------------------------------------------

    /// Bitwise and.
    pub fn and(&mut self, a: ExprId, b: ExprId) -> Built {
        self.binary(BinaryOp::And, a, b)
    }

    /// Bitwise exclusive or.
    pub fn xor(&mut self, a: ExprId, b: ExprId) -> Built {
        self.binary(BinaryOp::Xor, a, b)
    }

    /// `a | b` is `~(~a & ~b)`.
    pub fn or(&mut self, a: ExprId, b: ExprId) -> Built {
        let (na, nb) = (self.not(a)?, self.not(b)?);
        let neither = self.and(na, nb)?;
        self.not(neither)
    }

    /// `a → b` is `~(a & ~b)`.
    pub fn implies(&mut self, a: ExprId, b: ExprId) -> Built {
        let nb = self.not(b)?;
        let counter = self.and(a, nb)?;
        self.not(counter)
    }

    /// The conjunction of bits; true when there are none.
    pub fn conjoin(&mut self, bits: impl IntoIterator<Item = ExprId>) -> Built {
        let mut all = self.bool(true);
        for bit in bits {
            all = self.and(all, bit)?;
        }
        Ok(all)
    }

    /// The disjunction of bits; false when there are none.
    pub fn disjoin(&mut self, bits: impl IntoIterator<Item = ExprId>) -> Built {
        let mut any = self.bool(false);
        for bit in bits {
            any = self.or(any, bit)?;
        }
        Ok(any)
    }

    /// `redor(a)` is `~redand(~a)`.
    pub fn redor(&mut self, a: ExprId) -> Built {
        let na = self.not(a)?;
        let none = self.unary(UnaryOp::RedAnd, na)?;
        self.not(none)
    }

    /// `a ≤ b` is `~(b < a)`, unsigned.
    pub fn ule(&mut self, a: ExprId, b: ExprId) -> Built {
        let greater = self.binary(BinaryOp::Ult, b, a)?;
        self.not(greater)
    }

    /// `a ≤ b` is `~(b < a)`, signed.
    pub fn sle(&mut self, a: ExprId, b: ExprId) -> Built {
        let greater = self.binary(BinaryOp::Slt, b, a)?;
        self.not(greater)
    }

    /// The complement; constants are folded, never complemented on the edge.
    fn complement(&mut self, a: ExprId) -> ExprId {
        match self.const_value(a) {
            Some(value) => self.constant(value.not()),
            None => self.intern_unary(UnaryOp::Not, a),
        }
    }

    // ---- sorts ------------------------------------------------------------------

    fn expect_bv(&self, a: ExprId) -> Result<u32, SortError> {
        let sort = self.sort(a);
        sort.width().ok_or(SortError::NotABitVector(sort))
    }

    fn expect_array(&self, a: ExprId) -> Result<(u32, u32), SortError> {
        match self.sort(a) {
            Sort::Array { index, element } => Ok((index, element)),
            sort @ Sort::Bv(_) => Err(SortError::NotAnArray(sort)),
        }
    }

    fn expect_width(&self, a: ExprId, expected: u32) -> Result<(), SortError> {
        match self.expect_bv(a)? {
            found if found == expected => Ok(()),
            found => Err(SortError::Width { found, expected }),
        }
    }

    fn foldable(&self, a: ExprId) -> Option<BitVec> {
        if self.width(a) <= FOLD_WIDTH { self.const_value(a) } else { None }
    }

    // ---- rewrites by operator ---------------------------------------------------

    fn build_and(&mut self, a: ExprId, b: ExprId, consts: Constants) -> ExprId {
        // a & a → a;  a & ~a → 0
        if a == b {
            return a;
        }
        if a.regular() == b.regular() {
            return self.constant(BitVec::zero(self.width(a)));
        }
        // a & 0 → 0;  a & 1…1 → a
        for (value, this, other) in [(&consts.0, a, b), (&consts.1, b, a)] {
            if let Some(value) = value {
                if value.is_zero() {
                    return this;
                }
                if value.is_ones() {
                    return other;
                }
            }
        }
        self.intern_binary(BinaryOp::And, a, b)
    }

    fn build_xor(&mut self, a: ExprId, b: ExprId, consts: Constants) -> ExprId {
        // a ^ a → 0;  a ^ 0 → a;  a ^ 1…1 → ~a;  ~a ^ b → ~(a ^ b)
        if a == b {
            return self.constant(BitVec::zero(self.width(a)));
        }
        if a.regular() == b.regular() {
            return self.constant(BitVec::ones(self.width(a)));
        }
        for (value, other) in [(&consts.0, b), (&consts.1, a)] {
            if let Some(value) = value {
                if value.is_zero() {
                    return other;
                }
                if value.is_ones() {
                    return self.complement(other);
                }
            }
        }
        let flip = a.is_complement() != b.is_complement();
        let regular = self.intern_binary(BinaryOp::Xor, a.regular(), b.regular());
        Pool::complement_if(regular, flip)
    }

    fn build_eq(&mut self, a: ExprId, b: ExprId, width: u32, consts: Constants) -> ExprId {
        // a = a → 1;  a = ~a → 0
        if a.regular() == b.regular() {
            return self.bool(a == b);
        }
        // a = b → ~(a ^ b) at width 1
        if width == 1 {
            let differ = self.build_xor(a, b, consts);
            return self.complement(differ);
        }
        // ~a = ~b → a = b;  a = 1…1 → redand(a);  a = 0 → redand(~a)
        for (value, other) in [(&consts.0, b), (&consts.1, a)] {
            if let Some(value) = value {
                if value.is_ones() {
                    return self.intern_unary(UnaryOp::RedAnd, other);
                }
                if value.is_zero() {
                    let complement = self.complement(other);
                    return self.intern_unary(UnaryOp::RedAnd, complement);
                }
                if other.is_complement() {
                    let flipped = self.constant(value.not());
                    return self.intern_binary(BinaryOp::Eq, flipped, other.regular());
                }
            }
        }
        let both = a.is_complement() && b.is_complement();
        let (a, b) = if both { (a.regular(), b.regular()) } else { (a, b) };
        // p = q → 1 or 0 when p - q is a constant polynomial
        if let Some(difference) = constant_difference(self, a, b) {
            return self.bool(difference.is_zero());
        }
        self.intern_binary(BinaryOp::Eq, a, b)
    }

    fn build_arithmetic(&mut self, op: BinaryOp, [a, b]: [ExprId; 2], consts: Constants) -> ExprId {
        let width = self.width(a);
        // At width 1, addition and subtraction are xor, multiplication is and.
        if width == 1 {
            return match op {
                BinaryOp::Mul => self.build_and(a, b, consts),
                _ => self.build_xor(a, b, consts),
            };
        }
        // a - a → 0;  a ± 0 → a;  0 + a → a;  0 - a → -a
        if op == BinaryOp::Sub && a == b {
            return self.constant(BitVec::zero(width));
        }
        let is =
            |value: &Option<BitVec>, test: fn(&BitVec) -> bool| value.as_ref().is_some_and(test);
        match op {
            BinaryOp::Mul => {
                // a · 0 → 0;  a · 1 → a
                for (value, this, other) in [(&consts.0, a, b), (&consts.1, b, a)] {
                    if is(value, BitVec::is_zero) {
                        return this;
                    }
                    if is(value, BitVec::is_one) {
                        return other;
                    }
                }
            }
            _ if is(&consts.1, BitVec::is_zero) => return a,
            BinaryOp::Add if is(&consts.0, BitVec::is_zero) => return b,
            BinaryOp::Sub if is(&consts.0, BitVec::is_zero) => {
                return self.intern_unary(UnaryOp::Neg, b);
            }
            _ => {}
        }
        self.intern_binary(op, a, b)
    }

    fn build_less(&mut self, op: BinaryOp, [a, b]: [ExprId; 2], consts: Constants) -> ExprId {
        let width = self.width(a);
        // a < a → 0
        if a == b {
            return self.bool(false);
        }
        // At width 1: a <u b → ~a & b;  a <s b → a & ~b
        if width == 1 {
            let (x, y) = if op == BinaryOp::Ult { (a, b) } else { (b, a) };
            let nx = self.complement(x);
            let consts = (self.const_value(nx), self.const_value(y));
            return self.build_and(nx, y, consts);
        }
        if op == BinaryOp::Ult {
            // a <u 0 → 0;  1…1 <u a → 0;  0 <u a → ~redand(~a);  a <u 1…1 → ~redand(a)
            match &consts {
                (_, Some(y)) if y.is_zero() => return self.bool(false),
                (Some(x), _) if x.is_ones() => return self.bool(false),
                (Some(x), _) if x.is_zero() => {
                    let complement = self.complement(b);
                    let zero = self.intern_unary(UnaryOp::RedAnd, complement);
                    return self.complement(zero);
                }
                (_, Some(y)) if y.is_ones() => {
                    let all = self.intern_unary(UnaryOp::RedAnd, a);
                    return self.complement(all);
                }
                _ => {}
            }
        }
        self.intern_binary(op, a, b)
    }

    fn build_shift(
        &mut self,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        width: u32,
        by: Option<BitVec>,
    ) -> ExprId {
        // A shift or rotation by zero is the identity.
        if by.as_ref().is_some_and(BitVec::is_zero) {
            return a;
        }
        // At width 1: rotations and sra → a;  sll, srl → a & ~b
        if width == 1 {
            return match op {
                BinaryOp::Shl | BinaryOp::Lshr => {
                    let nb = self.complement(b);
                    let consts = (self.const_value(a), self.const_value(nb));
                    self.build_and(a, nb, consts)
                }
                _ => a,
            };
        }
        self.intern_binary(op, a, b)
    }

    fn concat(&mut self, a: ExprId, b: ExprId, wa: u32, wb: u32) -> Built {
        let width = u64::from(wa) + u64::from(wb);
        if width > u64::from(MAX_WIDTH) {
            return Err(SortError::Unsupported(width));
        }
        if !self.rewrites() {
            return Ok(self.intern_binary(BinaryOp::Concat, a, b));
        }
        if width <= u64::from(FOLD_WIDTH)
            && let (Some(x), Some(y)) = (self.const_value(a), self.const_value(b))
        {
            return Ok(self.constant(x.concat(&y)));
        }
        // a[h:m+1] # a[m:l] → a[h:l]
        if let (Expr::Slice { arg: x, hi, lo: middle }, Expr::Slice { arg: y, hi: below, lo }) =
            (self.get(a), self.get(b))
            && x == y
            && middle == below + 1
        {
            return self.slice(x, hi, lo);
        }
        Ok(self.intern_binary(BinaryOp::Concat, a, b))
    }

    fn extend(&mut self, signed: bool, a: ExprId, by: u32) -> Built {
        let width = self.expect_bv(a)?;
        let wide = u64::from(width) + u64::from(by);
        if wide > u64::from(MAX_WIDTH) {
            return Err(SortError::Unsupported(wide));
        }
        if !self.rewrites() {
            return Ok(self.intern_extension(signed, a, by));
        }
        if by == 0 {
            return Ok(a);
        }
        if let Some(value) = self.const_value(a)
            && wide <= u64::from(FOLD_WIDTH)
        {
            let value = if signed { value.sext(by) } else { value.uext(by) };
            return Ok(self.constant(value));
        }
        Ok(match self.get(a) {
            // ext(ext(a, m), n) → ext(a, m + n)
            Expr::Uext { arg, by: inner } if !signed => {
                self.intern_extension(false, arg, by + inner)
            }
            Expr::Sext { arg, by: inner } if signed => self.intern_extension(true, arg, by + inner),
            _ => self.intern_extension(signed, a, by),
        })
    }

    /// An if-then-else on bits is made of and and xor.
    fn build_bool_ite(&mut self, c: ExprId, t: ExprId, e: ExprId) -> ExprId {
        let must = "operands are bits";
        // (c ? 1 : e) → c | e;  (c ? 0 : e) → ~c & e;  (c ? t : 0) → c & t;  (c ? t : 1) → ~c | t
        // (c ? ~e : e) → c ^ e;  (c ? c : e) and its kin as with the constants
        if self.is_true(t) || t == c {
            return self.or(c, e).expect(must);
        }
        let nc = self.not(c).expect(must);
        if self.is_false(t) || t == nc {
            return self.and(nc, e).expect(must);
        }
        if self.is_false(e) || e == c {
            return self.and(c, t).expect(must);
        }
        if self.is_true(e) || e == nc {
            return self.or(nc, t).expect(must);
        }
        if t.regular() == e.regular() {
            return self.xor(c, e).expect(must);
        }
        // (c ? ~t : e) keeps its complement inside: the node is canonical up to
        // the complement of both branches.
        if t.is_complement() {
            let (nt, ne) = (self.not(t).expect(must), self.not(e).expect(must));
            let inner = self.intern_ite(c, nt, ne);
            return self.complement(inner);
        }
        self.intern_ite(c, t, e)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_way_for_bits_gives_what_the_long_way_gives() {
        let mut pool = Pool::new();
        let mut bits = vec![pool.bool(false), pool.bool(true)];
        for _ in 0..3 {
            let bit = pool.symbol(Sort::BOOL, None).unwrap();
            bits.extend([bit, pool.not(bit).unwrap()]);
        }
        for _ in 0..2 {
            let known = bits.clone();
            for (i, &a) in known.iter().enumerate() {
                assert_eq!(pool.not_bit(a), pool.not(a).unwrap());
                for &b in &known[..i] {
                    let short = pool.and_bits(a, b);
                    assert_eq!(short, pool.and(a, b).unwrap());
                    bits.push(short);
                }
            }
            bits.truncate(60);
        }
    }
}
