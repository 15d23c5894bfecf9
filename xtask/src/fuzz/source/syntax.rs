//! The syntax tree of the programs that are drawn: a part of Boogie, with every expression typed.
//!
//! The tree shares nothing with the reader. The printer sets the line numbers, so that a property is
//! known by its kind and its line, to the oracle as well as to the tool.

/// The operands of an expression, by shared or by mutable reference.
macro_rules! children {
    ($kind:expr, $iter:ident $(, $mutable:tt)?) => {
        match $kind {
            ExprKind::Name(_)
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Real(_)
            | ExprKind::Word(_) => Vec::new(),
            ExprKind::Old(inner)
            | ExprKind::Not(inner)
            | ExprKind::Negate(inner)
            | ExprKind::Extract(_, _, inner)
            | ExprKind::ToInt(inner)
            | ExprKind::ToReal(inner) => vec![inner],
            ExprKind::Binary(_, a, b) | ExprKind::Concat(a, b) => vec![a, b],
            ExprKind::Choice(a, b, c) => vec![a, b, c],
            ExprKind::Select(map, indices) => {
                [&$($mutable)? **map].into_iter().chain(indices).collect()
            }
            ExprKind::Store(map, indices, element) => {
                let map = [&$($mutable)? **map].into_iter();
                map.chain(indices).chain([&$($mutable)? **element]).collect()
            }
            ExprKind::Apply(_, arguments) | ExprKind::WordOp(_, arguments) => {
                arguments.$iter().collect()
            }
        }
    };
}

/// The expressions of a program, by shared or by mutable reference.
macro_rules! program_expressions {
    ($program:expr, $iter:ident, $option:ident, $block:ident $(, $mutable:tt)?) => {{
        let mut all: Vec<&$($mutable)? Expr> = $program.theory.axioms.$iter().collect();
        all.extend($program.globals.$iter().filter_map(|global| global.constraint.$option()));
        all.extend($program.theory.functions.$iter().filter_map(|function| function.body.$option()));
        for procedure in $program.procedures.$iter() {
            all.extend(procedure.variables.$iter().filter_map(|v| v.constraint.$option()));
            let clauses = procedure.requires.$iter().chain(procedure.ensures.$iter());
            all.extend(clauses.map(|clause| &$($mutable)? clause.condition));
            all.extend(procedure.body.$iter().flat_map(|body| $block(body)));
        }
        all
    }};
}

/// A function for the expressions of a block, by shared or by mutable reference, with or
/// without those of assertions that are valid.
macro_rules! block_expressions {
    ($name:ident, $iter:ident, $valid:literal $(, $mutable:tt)?) => {
        fn $name(block: &$($mutable)? [Statement]) -> Vec<&$($mutable)? Expr> {
            let mut all = Vec::new();
            for statement in block {
                match &$($mutable)? statement.kind {
                    StatementKind::Assert(e) | StatementKind::Assume(e) => all.push(e),
                    StatementKind::AssertValid(e) => all.extend($valid.then_some(e)),
                    StatementKind::Assign(pairs) => {
                        for (target, value) in pairs {
                            all.extend(target.indices.$iter().flatten());
                            all.push(value);
                        }
                    }
                    StatementKind::Call { arguments, .. } => all.extend(arguments),
                    StatementKind::If(condition, then, otherwise) => {
                        all.extend(condition);
                        all.extend($name(then));
                        all.extend(otherwise.$iter().flat_map(|block| $name(block)));
                    }
                    StatementKind::While(condition, invariants, body) => {
                        all.extend(condition);
                        all.extend(invariants.$iter().map(|c| &$($mutable)? c.condition));
                        all.extend($name(body));
                    }
                    StatementKind::Havoc(_)
                    | StatementKind::Goto(_)
                    | StatementKind::Label(_)
                    | StatementKind::Break
                    | StatementKind::Return => {}
                }
            }
            all
        }
    };
}

/// The blocks inside a statement, by shared or by mutable reference.
macro_rules! blocks {
    ($kind:expr) => {
        match $kind {
            StatementKind::If(_, then, otherwise) => [then].into_iter().chain(otherwise).collect(),
            StatementKind::While(_, _, body) => vec![body],
            StatementKind::Assert(_)
            | StatementKind::AssertValid(_)
            | StatementKind::Assume(_)
            | StatementKind::Assign(_)
            | StatementKind::Havoc(_)
            | StatementKind::Call { .. }
            | StatementKind::Goto(_)
            | StatementKind::Label(_)
            | StatementKind::Break
            | StatementKind::Return => Vec::new(),
        }
    };
}

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Type {
    Bool,
    Int,
    Real,
    Word(u32),
    /// An uninterpreted type, by its number.
    Named(u8),
    Map(Vec<Type>, Box<Type>),
}

impl Type {
    pub fn map(index: Type, element: Type) -> Type {
        Type::Map(vec![index], Box::new(element))
    }
}

/// How integer division is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    Boogie,
    Ultimate,
}

#[derive(Clone, Debug)]
pub struct Program {
    pub dialect: Dialect,
    pub theory: Theory,
    pub globals: Vec<Variable>,
    pub procedures: Vec<Procedure>,
}

/// What the procedures do not change.
#[derive(Clone, Default, Debug)]
pub struct Theory {
    /// How many uninterpreted types there are.
    pub types: u8,
    pub constants: Vec<Constant>,
    pub functions: Vec<Function>,
    pub axioms: Vec<Expr>,
}

#[derive(Clone, Debug)]
pub struct Constant {
    pub name: String,
    pub ty: Type,
    pub unique: bool,
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub ty: Type,
    /// Its `where` clause.
    pub constraint: Option<Expr>,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub parameters: Vec<Type>,
    pub result: Type,
    /// Over [`Name::Parameter`].
    pub body: Option<Expr>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Attribute {
    /// Verified only where it is called.
    Inline,
    /// Not verified.
    Unverified,
    /// The only procedure that is started, marked by the attribute.
    Entry,
    /// The only procedure that is started, by its name.
    Start,
}

#[derive(Clone, Debug)]
pub struct Procedure {
    pub name: String,
    pub attribute: Option<Attribute>,
    /// Inputs, outputs and locals, in this order.
    pub variables: Vec<Variable>,
    pub inputs: usize,
    pub outputs: usize,
    pub requires: Vec<Clause>,
    pub ensures: Vec<Clause>,
    /// Globals, by number.
    pub modifies: Vec<usize>,
    pub body: Option<Vec<Statement>>,
}

impl Procedure {
    /// The positions of the output parameters among the variables.
    pub fn output_range(&self) -> std::ops::Range<usize> {
        self.inputs..self.inputs + self.outputs
    }
}

#[derive(Clone, Debug)]
pub struct Clause {
    pub condition: Expr,
    pub free: bool,
    pub line: u32,
}

#[derive(Clone, Debug)]
pub struct Statement {
    pub kind: StatementKind,
    pub line: u32,
}

#[derive(Clone, Debug)]
pub enum StatementKind {
    Assert(Expr),
    /// An assertion that holds in all states, whatever they are.
    AssertValid(Expr),
    Assume(Expr),
    Assign(Vec<(Target, Expr)>),
    Havoc(Vec<Name>),
    Call {
        callee: usize,
        arguments: Vec<Expr>,
        results: Vec<Name>,
    },
    If(Option<Expr>, Vec<Statement>, Option<Vec<Statement>>),
    While(Option<Expr>, Vec<Clause>, Vec<Statement>),
    /// To labels, by number; a label belongs to one procedure.
    Goto(Vec<u32>),
    Label(u32),
    Break,
    Return,
}

/// `name`, `name[i]` or `name[i][j]`.
#[derive(Clone, Debug)]
pub struct Target {
    pub name: Name,
    pub ty: Type,
    pub indices: Vec<Vec<Expr>>,
}

/// A declared name, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Name {
    Constant(usize),
    Global(usize),
    /// A variable of the procedure.
    Local(usize),
    /// A parameter of the function.
    Parameter(usize),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    pub ty: Type,
    pub kind: ExprKind,
}

#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    Name(Name),
    Bool(bool),
    Int(i64),
    /// In halves: `Real(3)` is 1.5.
    Real(i64),
    Word(u128),
    Old(Box<Expr>),
    Not(Box<Expr>),
    Negate(Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Choice(Box<Expr>, Box<Expr>, Box<Expr>),
    Select(Box<Expr>, Vec<Expr>),
    Store(Box<Expr>, Vec<Expr>, Box<Expr>),
    Apply(usize, Vec<Expr>),
    WordOp(WordOp, Vec<Expr>),
    Concat(Box<Expr>, Box<Expr>),
    /// The bits below the first number, from the second on.
    Extract(u32, u32, Box<Expr>),
    ToInt(Box<Expr>),
    ToReal(Box<Expr>),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    /// Of integers, rounded so that the remainder is not negative.
    Divide,
    Modulo,
    /// Of numbers that may be integers in Boogie's dialect; the result is real.
    Quotient,
    And,
    Or,
    Implies,
    Iff,
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// An operator of SMT-LIB, declared by `{:bvbuiltin}`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum WordOp {
    Not,
    Negate,
    Add,
    Subtract,
    Multiply,
    And,
    Or,
    Xor,
    UnsignedDivide,
    UnsignedRemainder,
    SignedDivide,
    SignedRemainder,
    SignedModulo,
    ShiftLeft,
    ShiftRight,
    SignedShiftRight,
    UnsignedLess,
    UnsignedAtMost,
    SignedLess,
    SignedAtMost,
}

impl WordOp {
    pub const ALL: [WordOp; 20] = [
        WordOp::Not,
        WordOp::Negate,
        WordOp::Add,
        WordOp::Subtract,
        WordOp::Multiply,
        WordOp::And,
        WordOp::Or,
        WordOp::Xor,
        WordOp::UnsignedDivide,
        WordOp::UnsignedRemainder,
        WordOp::SignedDivide,
        WordOp::SignedRemainder,
        WordOp::SignedModulo,
        WordOp::ShiftLeft,
        WordOp::ShiftRight,
        WordOp::SignedShiftRight,
        WordOp::UnsignedLess,
        WordOp::UnsignedAtMost,
        WordOp::SignedLess,
        WordOp::SignedAtMost,
    ];

    /// Its name in SMT-LIB.
    pub fn name(self) -> &'static str {
        match self {
            WordOp::Not => "bvnot",
            WordOp::Negate => "bvneg",
            WordOp::Add => "bvadd",
            WordOp::Subtract => "bvsub",
            WordOp::Multiply => "bvmul",
            WordOp::And => "bvand",
            WordOp::Or => "bvor",
            WordOp::Xor => "bvxor",
            WordOp::UnsignedDivide => "bvudiv",
            WordOp::UnsignedRemainder => "bvurem",
            WordOp::SignedDivide => "bvsdiv",
            WordOp::SignedRemainder => "bvsrem",
            WordOp::SignedModulo => "bvsmod",
            WordOp::ShiftLeft => "bvshl",
            WordOp::ShiftRight => "bvlshr",
            WordOp::SignedShiftRight => "bvashr",
            WordOp::UnsignedLess => "bvult",
            WordOp::UnsignedAtMost => "bvule",
            WordOp::SignedLess => "bvslt",
            WordOp::SignedAtMost => "bvsle",
        }
    }

    pub fn operands(self) -> usize {
        match self {
            WordOp::Not | WordOp::Negate => 1,
            WordOp::Add
            | WordOp::Subtract
            | WordOp::Multiply
            | WordOp::And
            | WordOp::Or
            | WordOp::Xor
            | WordOp::UnsignedDivide
            | WordOp::UnsignedRemainder
            | WordOp::SignedDivide
            | WordOp::SignedRemainder
            | WordOp::SignedModulo
            | WordOp::ShiftLeft
            | WordOp::ShiftRight
            | WordOp::SignedShiftRight
            | WordOp::UnsignedLess
            | WordOp::UnsignedAtMost
            | WordOp::SignedLess
            | WordOp::SignedAtMost => 2,
        }
    }

    pub fn is_comparison(self) -> bool {
        matches!(
            self,
            WordOp::UnsignedLess
                | WordOp::UnsignedAtMost
                | WordOp::SignedLess
                | WordOp::SignedAtMost
        )
    }
}

impl Expr {
    pub fn new(ty: Type, kind: ExprKind) -> Self {
        Expr { ty, kind }
    }

    pub fn name(name: Name, ty: Type) -> Self {
        Expr::new(ty, ExprKind::Name(name))
    }

    pub fn bool(value: bool) -> Self {
        Expr::new(Type::Bool, ExprKind::Bool(value))
    }

    pub fn not(inner: Expr) -> Self {
        Expr::new(Type::Bool, ExprKind::Not(Box::new(inner)))
    }

    pub fn binary(op: BinaryOp, ty: Type, left: Expr, right: Expr) -> Self {
        Expr::new(ty, ExprKind::Binary(op, Box::new(left), Box::new(right)))
    }

    pub fn equal(left: Expr, right: Expr) -> Self {
        Expr::binary(BinaryOp::Equal, Type::Bool, left, right)
    }

    /// The operands.
    pub fn children(&self) -> Vec<&Expr> {
        children!(&self.kind, iter)
    }

    /// The operands, to be changed.
    pub fn children_mut(&mut self) -> Vec<&mut Expr> {
        children!(&mut self.kind, iter_mut, mut)
    }

    /// Calls `visit` for the expression and everything inside it.
    pub fn visit(&self, visit: &mut dyn FnMut(&Expr)) {
        visit(self);
        self.children().into_iter().for_each(|child| child.visit(visit));
    }
}

impl Program {
    /// All expressions that are not part of another one.
    pub fn expressions(&self) -> Vec<&Expr> {
        program_expressions!(self, iter, as_ref, block_expressions)
    }

    /// The expressions that may be replaced by any others of the same type.
    pub fn expressions_mut(&mut self) -> Vec<&mut Expr> {
        program_expressions!(self, iter_mut, as_mut, block_expressions_mut, mut)
    }
}

block_expressions!(block_expressions, iter, true);
// A part of an assertion that is valid may not hold.
block_expressions!(block_expressions_mut, iter_mut, false, mut);

impl StatementKind {
    /// The blocks inside the statement.
    pub fn blocks(&self) -> Vec<&Vec<Statement>> {
        blocks!(self)
    }

    /// The blocks inside the statement, to be changed.
    pub fn blocks_mut(&mut self) -> Vec<&mut Vec<Statement>> {
        blocks!(self)
    }
}

/// Calls `visit` for all statements of a block, and for those inside them.
pub fn visit_block(block: &[Statement], visit: &mut dyn FnMut(&Statement)) {
    for statement in block {
        visit(statement);
        statement.kind.blocks().into_iter().for_each(|block| visit_block(block, visit));
    }
}

/// The same, with statements that can be changed.
pub fn visit_block_mut(block: &mut [Statement], visit: &mut dyn FnMut(&mut Statement)) {
    for statement in block {
        visit(statement);
        statement.kind.blocks_mut().into_iter().for_each(|block| visit_block_mut(block, visit));
    }
}
