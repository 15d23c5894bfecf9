//! Axioms. Those without quantifiers are facts of the first edges; `exists` gives
//! constants. A `forall` is instantiated where terms of the program match its triggers
//! (Detlefs, Nelson and Saxe, "Simplify", 2005, Section 5, but by syntax alone): sound
//! for proofs, while a counterexample may contradict an instance that was not made.
//!
//! Matching needs terms in normal form. When a program is read verbatim, its terms are
//! copied into a pool that rewrites, instances are looked for there, and the axiom is
//! instantiated verbatim by what was found: any instance of an axiom holds.

use elinvar_ir::program::{Function, Node, Op, Sort, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::expression::{Lowering, Replaceable, Value};
use super::scope::Scope;
use super::syntax::{Constant, Expr, ExprKind, Operator, Span, Unit};
use super::types::Type;
use crate::Diagnostic;

/// How often instances are looked for in instances.
const ROUNDS: usize = 2;
/// How many instances of an axiom a statement may have.
const MAX_INSTANCES: usize = 200;
/// From so many on, unique constants are told apart by a function to integers.
const MANY_UNIQUE: usize = 50;

#[derive(Default)]
pub(super) struct Axioms {
    /// With no quantifier.
    pub facts: Vec<(Term, Span)>,
    schemas: Vec<Schema>,
    /// Instances for terms, each made once.
    known: FxHashMap<Vec<Term>, Vec<Term>>,
    /// Where a verbatim reading looks for instances; made when it is needed.
    normal: Option<Box<Normal>>,
}

/// A pool that rewrites, with the schemas in it.
struct Normal {
    terms: Terms,
    schemas: Vec<Schema>,
}

/// `forall bound :: body`.
struct Schema {
    bound: Vec<Term>,
    body: Term,
    /// Each a set of patterns that must all match.
    triggers: Vec<Vec<Term>>,
    span: Span,
}

type Binding = FxHashMap<Term, Term>;

/// The parts of a unique constant, and where it is declared.
type Unique = (Vec<Term>, Span);

pub(super) fn axioms<'a>(scope: &mut Scope<'a>, unit: &'a Unit<'a>) -> Result<Axioms, Diagnostic> {
    let mut axioms = Axioms::default();
    for axiom in &unit.axioms {
        let mut parts = vec![axiom];
        while let Some(part) = parts.pop() {
            match &part.kind {
                ExprKind::Chain(first, rest) if rest[0].0 == Operator::And => {
                    parts.extend(rest.iter().rev().map(|(_, operand)| operand));
                    parts.push(first);
                }
                _ => axioms.add(scope, part)?,
            }
        }
    }
    axioms.unique(scope, &unit.constants);
    Ok(axioms)
}

impl Axioms {
    /// Where a universal axiom is, if there is one.
    pub fn weakening(&self) -> Option<&Span> {
        self.schemas.first().map(|schema| &schema.span)
    }

    fn add<'a>(&mut self, scope: &mut Scope<'a>, axiom: &'a Expr<'a>) -> Result<(), Diagnostic> {
        let span = axiom.span.clone();
        let mut lowering = Lowering::stateless(scope);
        let (mut bound, mut triggers) = (Vec::new(), Vec::new());
        let mut body = axiom;
        while let ExprKind::Quantified(quantified) = &body.kind {
            if !quantified.universal && !bound.is_empty() {
                break;
            }
            for binding in &quantified.bound {
                let scope = &mut *lowering.scope;
                let ty = scope.types.resolve(&mut scope.terms, &binding.ty)?;
                if quantified.universal {
                    bound.extend(lowering.bind(binding.name.text, &ty));
                } else {
                    lowering.bind_variables(binding.name.text, &ty);
                }
            }
            triggers = quantified
                .triggers
                .iter()
                .map(|patterns| {
                    let values = patterns.iter().map(|pattern| lowering.value(pattern));
                    let values = values.collect::<Result<Vec<Value>, Diagnostic>>()?;
                    Ok(values.into_iter().map(|value| value.parts[0]).collect())
                })
                .collect::<Result<Vec<Vec<Term>>, Diagnostic>>()?;
            body = &quantified.body;
        }
        let body = lowering.condition(body, Replaceable::Neither)?;
        if bound.is_empty() {
            self.facts.push((body, span));
            return Ok(());
        }
        let terms = &scope.terms;
        triggers.retain(|patterns| covers(terms, patterns, &bound));
        if triggers.is_empty() {
            triggers = found_triggers(terms, body, &bound);
        }
        if triggers.is_empty() {
            let message = "this axiom cannot be instantiated";
            return Err(Diagnostic::new(message, span).with_help(
                "each bound variable must be an argument of a function or an index of a map",
            ));
        }
        self.schemas.push(Schema { bound, body, triggers, span });
        Ok(())
    }

    /// Unique constants of one type are different.
    fn unique(&mut self, scope: &mut Scope<'_>, constants: &[Constant<'_>]) {
        let mut groups: Vec<(Type, Vec<Unique>)> = Vec::new();
        for constant in constants.iter().filter(|constant| constant.unique) {
            let symbol = scope.symbols[constant.binding.name.text].clone();
            let parts = symbol.parts.iter().map(|&part| scope.terms.variable(part)).collect();
            let one = (parts, constant.binding.name.span.clone());
            match groups.iter_mut().find(|(ty, _)| *ty == symbol.ty) {
                Some((_, group)) => group.push(one),
                None => groups.push((symbol.ty, vec![one])),
            }
        }
        for (ty, group) in groups {
            if group.len() < MANY_UNIQUE {
                self.pairwise(&mut scope.terms, &group);
            } else {
                self.ranked(&mut scope.terms, &ty, &group);
            }
        }
    }

    fn pairwise(&mut self, terms: &mut Terms, group: &[Unique]) {
        for (at, (later, span)) in group.iter().enumerate() {
            for (earlier, _) in &group[..at] {
                let parts: Vec<Term> =
                    earlier.iter().zip(later).map(|(&a, &b)| terms.equal(a, b)).collect();
                let same = terms.and(parts);
                self.facts.push((terms.not(same), span.clone()));
            }
        }
    }

    fn ranked(&mut self, terms: &mut Terms, ty: &Type, group: &[Unique]) {
        let rank = terms.declare_function(Function {
            name: format!("unique#{}", terms.functions().len()),
            arguments: ty.sorts(),
            result: Sort::Int,
            approximates: None,
        });
        for (at, (constant, span)) in group.iter().enumerate() {
            let found = terms.apply(rank, constant.clone());
            let number = terms.int(at);
            self.facts.push((terms.equal(found, number), span.clone()));
        }
    }

    /// What the universal axioms say of the applications in these terms.
    pub fn instances(&mut self, terms: &mut Terms, roots: Vec<Term>) -> Vec<Term> {
        if self.schemas.is_empty() {
            return Vec::new();
        }
        if let Some(known) = self.known.get(&roots) {
            return known.clone();
        }
        let found = if terms.is_verbatim() {
            self.verbatim_instances(terms, &roots)
        } else {
            let instances = instances_of(&self.schemas, terms, &roots);
            instances.into_iter().map(|(_, _, instance)| instance).collect()
        };
        self.known.insert(roots, found.clone());
        found
    }

    fn verbatim_instances(&mut self, terms: &mut Terms, roots: &[Term]) -> Vec<Term> {
        let schemas = &self.schemas;
        let normal = self.normal.get_or_insert_with(|| Box::new(Normal::new(terms, schemas)));
        normal.declare_like(terms);
        let copies: Vec<Term> =
            roots.iter().map(|&root| normal.terms.import(terms, root)).collect();
        let found = instances_of(&normal.schemas, &mut normal.terms, &copies);
        let instantiate = |(number, binding, _): (usize, Binding, Term)| {
            let (verbatim, schema) = (&schemas[number], &normal.schemas[number]);
            let mut map: Binding = FxHashMap::default();
            for (&bound, copy) in verbatim.bound.iter().zip(&schema.bound) {
                if let Some(&value) = binding.get(copy) {
                    map.insert(bound, terms.import(&normal.terms, value));
                }
            }
            terms.replace(verbatim.body, &mut map)
        };
        found.into_iter().map(instantiate).collect()
    }
}

impl Normal {
    fn new(terms: &Terms, schemas: &[Schema]) -> Self {
        let mut normal = Normal { terms: Terms::new(), schemas: Vec::new() };
        normal.declare_like(terms);
        let pool = &mut normal.terms;
        let mut copy = |term: Term| pool.import(terms, term);
        for Schema { bound, body, triggers, span } in schemas {
            normal.schemas.push(Schema {
                bound: bound.iter().map(|&term| copy(term)).collect(),
                body: copy(*body),
                triggers: (triggers.iter())
                    .map(|patterns| patterns.iter().map(|&term| copy(term)).collect())
                    .collect(),
                span: span.clone(),
            });
        }
        normal
    }

    /// Declares what was declared in the other pool meanwhile.
    fn declare_like(&mut self, terms: &Terms) {
        for name in &terms.types()[self.terms.types().len()..] {
            self.terms.declare_type(name);
        }
        for variable in &terms.variables()[self.terms.variables().len()..] {
            self.terms.declare(&variable.name, variable.sort.clone());
        }
        for function in &terms.functions()[self.terms.functions().len()..] {
            self.terms.declare_function(function.clone());
        }
    }
}

/// The instances of all schemas for the applications in these terms, each with the number
/// of its schema and what the bound variables are.
fn instances_of(
    schemas: &[Schema],
    terms: &mut Terms,
    roots: &[Term],
) -> Vec<(usize, Binding, Term)> {
    let mut found: Vec<(usize, Binding, Term)> = Vec::new();
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    let mut ground = terms.subterms(roots.iter().copied());
    for _ in 0..ROUNDS {
        let before = found.len();
        for (number, schema) in schemas.iter().enumerate() {
            for binding in schema.matches(terms, &ground) {
                let instance = terms.replace(schema.body, &mut binding.clone());
                if terms.as_bool(instance) != Some(true) && seen.insert(instance) {
                    found.push((number, binding, instance));
                }
            }
        }
        if found.len() == before {
            break;
        }
        let instances = found.iter().map(|(_, _, instance)| *instance);
        ground = terms.subterms(roots.iter().copied().chain(instances));
    }
    found
}

impl Schema {
    /// Values of the bound variables for which some trigger occurs.
    fn matches(&self, terms: &mut Terms, ground: &[Term]) -> Vec<Binding> {
        let mut all: Vec<Binding> = Vec::new();
        for patterns in &self.triggers {
            let mut partial = vec![Binding::default()];
            for &pattern in patterns {
                let mut next = Vec::new();
                for binding in &partial {
                    for &term in ground {
                        if next.len() < MAX_INSTANCES
                            && let Some(found) = self.unify(terms, pattern, term, binding)
                            && !next.contains(&found)
                        {
                            next.push(found);
                        }
                    }
                }
                partial = next;
            }
            all.extend(partial);
        }
        all.truncate(MAX_INSTANCES);
        all
    }

    fn unify(
        &self,
        terms: &mut Terms,
        pattern: Term,
        term: Term,
        known: &Binding,
    ) -> Option<Binding> {
        let mut binding = known.clone();
        let mut open = vec![(pattern, term)];
        while let Some((pattern, term)) = open.pop() {
            if self.bound.contains(&pattern) {
                if *binding.entry(pattern).or_insert(term) != term {
                    return None;
                }
                continue;
            }
            if pattern == term {
                continue;
            }
            if let Some((variable, rest)) = self.shifted(terms, pattern) {
                if !terms.sort(term).is_arithmetic() {
                    return None;
                }
                let value = terms.subtract(term, rest);
                open.push((variable, value));
                continue;
            }
            match (terms.node(pattern), terms.node(term)) {
                (Node::Apply(a, left), Node::Apply(b, right))
                    if a == b && left.len() == right.len() =>
                {
                    open.extend(left.iter().copied().zip(right.iter().copied()));
                }
                _ => return None,
            }
        }
        Some(binding)
    }

    /// Is the pattern a bound variable plus something without one?
    fn shifted(&self, terms: &mut Terms, pattern: Term) -> Option<(Term, Term)> {
        terms.as_op(pattern, Op::Add)?;
        let mut sum = terms.linear(pattern);
        let at = sum.terms.iter().position(|(term, factor)| {
            self.bound.contains(term) && *factor == dashu_ratio::RBig::ONE
        })?;
        let (variable, _) = sum.terms.remove(at);
        let inner = terms.subterms(sum.terms.iter().map(|(term, _)| *term));
        if inner.iter().any(|term| self.bound.contains(term)) {
            return None;
        }
        let sort = terms.sort(pattern).clone();
        Some((variable, terms.sum(&sum, &sort)))
    }
}

fn covers(terms: &Terms, patterns: &[Term], bound: &[Term]) -> bool {
    let inside = terms.subterms(patterns.iter().copied());
    bound.iter().all(|variable| inside.contains(variable))
}

/// Applications in the body that mention all bound variables; otherwise, several that do
/// together.
fn found_triggers(terms: &Terms, body: Term, bound: &[Term]) -> Vec<Vec<Term>> {
    let candidates: Vec<Term> = terms
        .subterms([body])
        .into_iter()
        .filter(|&term| {
            matches!(terms.node(term), Node::Apply(Op::Function(_) | Op::Select, _))
                && terms.subterms([term]).iter().any(|inner| bound.contains(inner))
        })
        .collect();
    let single: Vec<Vec<Term>> = candidates
        .iter()
        .map(|&candidate| vec![candidate])
        .filter(|patterns| covers(terms, patterns, bound))
        .collect();
    if !single.is_empty() {
        return single;
    }
    let mut together: Vec<Term> = Vec::new();
    for candidate in candidates {
        let covered = terms.subterms(together.iter().copied());
        let inside = terms.subterms([candidate]);
        if bound.iter().any(|variable| inside.contains(variable) && !covered.contains(variable)) {
            together.push(candidate);
        }
    }
    if covers(terms, &together, bound) { vec![together] } else { Vec::new() }
}
