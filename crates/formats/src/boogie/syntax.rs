//! The syntax tree.
//!
//! Its depth is bounded by the parser ([`super::parser::MAX_DEPTH`]): chains of operators,
//! of `else if` and of `[…]` are lists, so that only brackets make it deeper, and passes
//! over it may recurse.

use std::ops::Range;

use dashu_ratio::RBig;

pub(super) type Span = Range<usize>;

#[derive(Clone, Debug)]
pub(super) struct Name<'a> {
    pub text: &'a str,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(super) struct Type<'a> {
    pub kind: TypeKind<'a>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum TypeKind<'a> {
    /// A built-in type, a synonym, a parameter or a declared type, with arguments.
    Named(&'a str, Vec<Type<'a>>),
    Map(Vec<Type<'a>>, Box<Type<'a>>),
    Struct(Vec<(Name<'a>, Type<'a>)>),
}

/// `{:name "text", 5, true}`; arguments that are other expressions are dropped.
#[derive(Clone, Debug)]
pub(super) struct Attribute<'a> {
    pub name: &'a str,
    pub arguments: Vec<&'a str>,
}

/// A name with its type: a variable, a parameter, a constant, a bound variable.
#[derive(Clone, Debug)]
pub(super) struct Binding<'a> {
    pub name: Name<'a>,
    pub ty: Type<'a>,
    pub constraint: Option<Expr<'a>>,
}

#[derive(Debug, Default)]
pub(super) struct Unit<'a> {
    pub types: Vec<TypeDeclaration<'a>>,
    pub constants: Vec<Constant<'a>>,
    pub globals: Vec<Binding<'a>>,
    pub functions: Vec<FunctionDeclaration<'a>>,
    pub axioms: Vec<Expr<'a>>,
    pub procedures: Vec<Procedure<'a>>,
    pub implementations: Vec<Implementation<'a>>,
}

#[derive(Debug)]
pub(super) struct TypeDeclaration<'a> {
    pub name: Name<'a>,
    pub parameters: Vec<Name<'a>>,
    pub synonym: Option<Type<'a>>,
}

#[derive(Debug)]
pub(super) struct Constant<'a> {
    pub binding: Binding<'a>,
    pub unique: bool,
}

#[derive(Debug)]
pub(super) struct FunctionDeclaration<'a> {
    pub attributes: Vec<Attribute<'a>>,
    pub name: Name<'a>,
    /// Parameters without a name have an empty one.
    pub parameters: Vec<Binding<'a>>,
    pub result: Type<'a>,
    pub body: Option<Expr<'a>>,
}

/// What procedures and implementations begin with.
#[derive(Clone, Debug)]
pub(super) struct Signature<'a> {
    pub attributes: Vec<Attribute<'a>>,
    pub name: Name<'a>,
    pub inputs: Vec<Binding<'a>>,
    pub outputs: Vec<Binding<'a>>,
}

#[derive(Debug)]
pub(super) struct Procedure<'a> {
    pub signature: Signature<'a>,
    pub requires: Vec<Clause<'a>>,
    pub ensures: Vec<Clause<'a>>,
    pub modifies: Vec<Name<'a>>,
}

/// Of a specification: `requires`, `ensures`, `invariant`.
#[derive(Debug)]
pub(super) struct Clause<'a> {
    pub condition: Expr<'a>,
    /// Assumed where it helps, never to be proved.
    pub free: bool,
    /// With its keyword.
    pub span: Span,
}

#[derive(Debug)]
pub(super) struct Implementation<'a> {
    pub signature: Signature<'a>,
    pub locals: Vec<Binding<'a>>,
    pub body: Block<'a>,
}

pub(super) type Block<'a> = Vec<Statement<'a>>;

#[derive(Debug)]
pub(super) struct Statement<'a> {
    pub labels: Vec<Name<'a>>,
    pub kind: StatementKind<'a>,
    /// Of a loop or a choice, up to its condition.
    pub span: Span,
}

#[derive(Debug)]
pub(super) enum StatementKind<'a> {
    /// Nothing, for labels at the end of a block.
    Skip,
    Assert(Expr<'a>),
    Assume(Expr<'a>),
    Assign(Vec<Target<'a>>, Vec<Expr<'a>>),
    Havoc(Vec<Name<'a>>),
    Call {
        callee: Name<'a>,
        arguments: Vec<Expr<'a>>,
        results: Vec<Name<'a>>,
    },
    Goto(Vec<Name<'a>>),
    Return,
    Break(Option<Name<'a>>),
    If(Vec<Branch<'a>>, Option<Block<'a>>),
    While {
        condition: Option<Expr<'a>>,
        invariants: Vec<Clause<'a>>,
        body: Block<'a>,
    },
}

#[derive(Debug)]
pub(super) struct Branch<'a> {
    /// `None` for `*`.
    pub condition: Option<Expr<'a>>,
    pub span: Span,
    pub block: Block<'a>,
}

/// What is assigned to: a variable, or a part of its value.
#[derive(Debug)]
pub(super) struct Target<'a> {
    pub name: Name<'a>,
    pub parts: Vec<Part<'a>>,
    pub span: Span,
}

#[derive(Debug)]
pub(super) enum Part<'a> {
    Element(Vec<Expr<'a>>),
    Field(Name<'a>),
}

#[derive(Clone, Debug)]
pub(super) struct Expr<'a> {
    pub kind: ExprKind<'a>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum ExprKind<'a> {
    Name(&'a str),
    Bool(bool),
    /// Its digits.
    Integer(&'a str),
    Real(RBig),
    /// The digits of the value, and the width.
    Word(&'a str, u32),
    Not(Box<Expr<'a>>),
    Negate(Box<Expr<'a>>),
    /// Operators of one precedence, one after the other.
    Chain(Box<Expr<'a>>, Vec<(Operator, Expr<'a>)>),
    Suffixes(Box<Expr<'a>>, Vec<Suffix<'a>>),
    Apply(Name<'a>, Vec<Expr<'a>>),
    Old(Box<Expr<'a>>),
    ToInt(Box<Expr<'a>>),
    ToReal(Box<Expr<'a>>),
    /// Conditions with their values, then what else.
    Choice(Vec<(Expr<'a>, Expr<'a>)>, Box<Expr<'a>>),
    Struct(Vec<(Name<'a>, Expr<'a>)>),
    /// Names for values, all given at once, in an expression.
    Let(Vec<(Name<'a>, Expr<'a>)>, Box<Expr<'a>>),
    Quantified(Box<Quantified<'a>>),
}

#[derive(Clone, Debug)]
pub(super) struct Quantified<'a> {
    pub universal: bool,
    pub bound: Vec<Binding<'a>>,
    /// Each a set of patterns that must all be found.
    pub triggers: Vec<Vec<Expr<'a>>>,
    pub body: Expr<'a>,
}

#[derive(Clone, Debug)]
pub(super) struct Suffix<'a> {
    pub kind: SuffixKind<'a>,
    /// From the beginning of the expression to the end of the suffix.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum SuffixKind<'a> {
    Select(Vec<Expr<'a>>),
    Store(Vec<Expr<'a>>, Expr<'a>),
    /// The bits below the first number, from the second on.
    Extract(u32, u32),
    Field(Name<'a>),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Operator {
    Iff,
    Implies,
    /// `a <== b`.
    Explies,
    Or,
    And,
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Concat,
    Add,
    Subtract,
    Multiply,
    /// `/`, whose meaning depends on the operands.
    Divide,
    /// `div`.
    IntDivide,
    /// `mod` and `%`.
    Modulo,
}

/// The first argument of the attribute with this name, `""` if there is no argument; `None`
/// without such an attribute.
pub(super) fn attribute<'a>(attributes: &[Attribute<'a>], name: &str) -> Option<&'a str> {
    let last = attributes.iter().rev().find(|attribute| attribute.name == name)?;
    Some(last.arguments.first().copied().unwrap_or_default())
}

impl Operator {
    pub fn symbol(self) -> &'static str {
        match self {
            Operator::Iff => "<==>",
            Operator::Implies => "==>",
            Operator::Explies => "<==",
            Operator::Or => "||",
            Operator::And => "&&",
            Operator::Equal => "==",
            Operator::Unequal => "!=",
            Operator::Less => "<",
            Operator::AtMost => "<=",
            Operator::Greater => ">",
            Operator::AtLeast => ">=",
            Operator::Concat => "++",
            Operator::Add => "+",
            Operator::Subtract => "-",
            Operator::Multiply => "*",
            Operator::Divide => "/",
            Operator::IntDivide => "div",
            Operator::Modulo => "mod",
        }
    }

    /// Operators that bind tighter have greater levels.
    pub fn level(self) -> u8 {
        match self {
            Operator::Iff => 1,
            Operator::Implies | Operator::Explies => 2,
            Operator::Or => 3,
            Operator::And => 4,
            Operator::Equal
            | Operator::Unequal
            | Operator::Less
            | Operator::AtMost
            | Operator::Greater
            | Operator::AtLeast => 5,
            Operator::Concat => 6,
            Operator::Add | Operator::Subtract => 7,
            Operator::Multiply | Operator::Divide | Operator::IntDivide | Operator::Modulo => 8,
        }
    }
}

impl<'a> Expr<'a> {
    /// The expressions directly inside, those of triggers left out.
    pub fn children(&self) -> Vec<&Expr<'a>> {
        match &self.kind {
            ExprKind::Name(_)
            | ExprKind::Bool(_)
            | ExprKind::Integer(_)
            | ExprKind::Real(_)
            | ExprKind::Word(..) => Vec::new(),
            ExprKind::Not(inner)
            | ExprKind::Negate(inner)
            | ExprKind::Old(inner)
            | ExprKind::ToInt(inner)
            | ExprKind::ToReal(inner) => vec![inner],
            ExprKind::Chain(first, rest) => {
                [&**first].into_iter().chain(rest.iter().map(|(_, operand)| operand)).collect()
            }
            ExprKind::Suffixes(inner, suffixes) => {
                let mut children = vec![&**inner];
                for suffix in suffixes {
                    match &suffix.kind {
                        SuffixKind::Select(indices) => children.extend(indices),
                        SuffixKind::Store(indices, element) => {
                            children.extend(indices.iter().chain([element]));
                        }
                        SuffixKind::Extract(..) | SuffixKind::Field(_) => {}
                    }
                }
                children
            }
            ExprKind::Apply(_, arguments) => arguments.iter().collect(),
            ExprKind::Choice(branches, otherwise) => branches
                .iter()
                .flat_map(|(condition, value)| [condition, value])
                .chain([&**otherwise])
                .collect(),
            ExprKind::Struct(fields) => fields.iter().map(|(_, value)| value).collect(),
            ExprKind::Let(values, body) => {
                values.iter().map(|(_, value)| value).chain([&**body]).collect()
            }
            ExprKind::Quantified(quantified) => vec![&quantified.body],
        }
    }

    /// Is there a `/` somewhere inside?
    pub fn divides(&self) -> bool {
        let mut stack = vec![self];
        while let Some(expr) = stack.pop() {
            if let ExprKind::Chain(_, rest) = &expr.kind
                && rest.iter().any(|(operator, _)| *operator == Operator::Divide)
            {
                return true;
            }
            stack.extend(expr.children());
        }
        false
    }

    /// The functions that are applied somewhere inside.
    pub fn applied(&self) -> Vec<&Name<'a>> {
        let mut found = Vec::new();
        let mut stack = vec![self];
        while let Some(expr) = stack.pop() {
            if let ExprKind::Apply(name, _) = &expr.kind {
                found.push(name);
            }
            stack.extend(expr.children());
        }
        found
    }
}
