//! From expressions to gates: every operator on bits by its truth table.

use elinvar_ir::{
    BinaryOp, BitVec, Expr, ExprId, Pool, PropertyKind, Sort, TransitionSystem, cone,
};

use crate::WriteError;

/// The gates of a system and the literals of its expressions: inputs from 2 on,
/// then an input for each state without next function, then latches, then gates.
pub(super) struct Gates {
    /// By node of the pool; only those in the cone of the system are meant.
    literals: Vec<u32>,
    /// The variable of the first gate.
    first: u32,
    /// Operands, the larger one first.
    gates: Vec<(u32, u32)>,
}

impl Gates {
    /// Expands everything that the file mentions.
    pub fn new(system: &TransitionSystem) -> Result<Self, WriteError> {
        let pool = system.pool();
        let ports = system.inputs().len() + system.free_states().len() + system.states().len();
        let first = u32::try_from(ports + 1).map_err(|_| WriteError::TooLarge)?;
        let mut gates = Gates { literals: vec![0; pool.len()], first, gates: Vec::new() };
        for (index, input) in system.inputs().iter().enumerate() {
            gates.literals[input.symbol.node()] = 2 * (index as u32 + 1);
        }
        let latches = system.inputs().len() + system.free_states().len();
        for (index, state) in system.states().iter().enumerate() {
            gates.literals[state.symbol.node()] = 2 * ((latches + index) as u32 + 1);
        }
        for node in cone(pool, roots(system)) {
            gates.build(pool, node)?;
        }
        Ok(gates)
    }

    /// The literal of an expression whose node was built.
    pub fn literal(&self, expr: ExprId) -> u32 {
        self.literals[expr.node()] ^ u32::from(expr.is_complement())
    }

    pub fn len(&self) -> usize {
        self.gates.len()
    }

    /// All gates: own literal, larger operand, smaller operand.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32, u32)> + '_ {
        let lhs = (self.first..).map(|variable| 2 * variable);
        lhs.zip(&self.gates).map(|(lhs, &(larger, smaller))| (lhs, larger, smaller))
    }

    fn build(&mut self, pool: &Pool, node: ExprId) -> Result<(), WriteError> {
        if pool.sort(node) != Sort::BOOL {
            return Err(WriteError::InnerNotABit(pool.sort(node)));
        }
        let literal = match pool.get(node) {
            Expr::Symbol(_) => return Ok(()),
            Expr::Const(value) => u32::from(value.is_true()),
            Expr::Unary(op, a) => {
                let at = |value| op.apply(&BitVec::bool(value)).is_true();
                table_of_one(self.operand(pool, a)?, at(false), at(true))
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.operand(pool, a)?, self.operand(pool, b)?);
                self.binary(op, a, b)?
            }
            Expr::Ite(c, t, e) => {
                let (c, t, e) =
                    (self.operand(pool, c)?, self.operand(pool, t)?, self.operand(pool, e)?);
                let (then, otherwise) = (self.and(c, t)?, self.and(c ^ 1, e)?);
                self.and(then ^ 1, otherwise ^ 1)? ^ 1
            }
            // These are bits made from words or arrays.
            Expr::Slice { arg, .. }
            | Expr::Uext { arg, .. }
            | Expr::Sext { arg, .. }
            | Expr::ConstArray(arg)
            | Expr::Read(arg, _)
            | Expr::Write(arg, _, _)
            | Expr::ArrayEq(arg, _) => return Err(WriteError::InnerNotABit(pool.sort(arg))),
        };
        self.literals[node.node()] = literal;
        Ok(())
    }

    fn operand(&self, pool: &Pool, operand: ExprId) -> Result<u32, WriteError> {
        match pool.sort(operand) {
            Sort::BOOL => Ok(self.literal(operand)),
            sort => Err(WriteError::InnerNotABit(sort)),
        }
    }

    /// Any operator on two bits, by its truth table.
    fn binary(&mut self, op: BinaryOp, a: u32, b: u32) -> Result<u32, WriteError> {
        let at = |a, b| op.apply(&BitVec::bool(a), &BitVec::bool(b)).is_true();
        let row = |a, b| u8::from(at(a, b)) << (2 * u8::from(a) + u8::from(b));
        let table = row(false, false) | row(false, true) | row(true, false) | row(true, true);
        Ok(match table {
            0b0000 => 0,
            0b0001 => self.and(a ^ 1, b ^ 1)?,
            0b0010 => self.and(a ^ 1, b)?,
            0b0011 => a ^ 1,
            0b0100 => self.and(a, b ^ 1)?,
            0b0101 => b ^ 1,
            0b0110 => self.xor(a, b)?,
            0b0111 => self.and(a, b)? ^ 1,
            0b1000 => self.and(a, b)?,
            0b1001 => self.xor(a, b)? ^ 1,
            0b1010 => b,
            0b1011 => self.and(a, b ^ 1)? ^ 1,
            0b1100 => a,
            0b1101 => self.and(a ^ 1, b)? ^ 1,
            0b1110 => self.and(a ^ 1, b ^ 1)? ^ 1,
            _ => 1,
        })
    }

    fn xor(&mut self, a: u32, b: u32) -> Result<u32, WriteError> {
        let (both, neither) = (self.and(a, b)?, self.and(a ^ 1, b ^ 1)?);
        self.and(both ^ 1, neither ^ 1)
    }

    fn and(&mut self, a: u32, b: u32) -> Result<u32, WriteError> {
        let variable = u64::from(self.first) + self.gates.len() as u64;
        if variable >= 1 << 30 {
            return Err(WriteError::TooLarge);
        }
        self.gates.push((a.max(b), a.min(b)));
        Ok(2 * variable as u32)
    }
}

/// The literal of a function of one literal.
fn table_of_one(a: u32, at_false: bool, at_true: bool) -> u32 {
    match (at_false, at_true) {
        (false, false) => 0,
        (false, true) => a,
        (true, false) => a ^ 1,
        (true, true) => 1,
    }
}

/// Every expression that the file mentions.
fn roots(system: &TransitionSystem) -> impl Iterator<Item = ExprId> + '_ {
    let conditions = system.properties().iter().flat_map(|property| match &property.kind {
        PropertyKind::Bad(bad) => std::slice::from_ref(bad),
        PropertyKind::Justice(conditions) => conditions,
    });
    (system.states().iter().flat_map(|state| state.init.into_iter().chain(state.next)))
        .chain(system.constraints().iter().copied())
        .chain(system.fairness().iter().copied())
        .chain(conditions.copied())
        .chain(system.outputs().iter().map(|output| output.expr))
}
