//! Names for symbols that their own line does not name.
//!
//! Yosys names the net behind a register on another line: as an output, as
//! `uext s N 0 name`, or as a concatenation or a slice of registers. A register without a
//! name of its own gets the name of such a net. Names never decide anything: evidence refers
//! to symbols by their positions.

use elinvar_ir::{BinaryOp, Expr, ExprId, Named, Pool, Sort, SymbolId, SystemBuilder};
use rustc_hash::FxHashMap;

/// Names the unnamed symbols after labels and outputs, and removes the labels that have
/// become the name of a symbol.
pub(crate) fn name_symbols(builder: &mut SystemBuilder) {
    let named = builder.labels.iter().chain(&builder.outputs);
    let mut found = Found::default();
    for Named { name, expr } in named {
        found.net(&builder.pool, name, *expr);
    }
    let mut promoted: FxHashMap<ExprId, String> = FxHashMap::default();
    for (symbol, name) in found.names(&builder.pool) {
        promoted.insert(builder.pool.symbol_expr(symbol), name.clone());
        builder.pool.rename(symbol, &name);
    }
    builder.labels.retain(|label| promoted.get(&label.expr) != Some(&label.name));
    name_copies(builder);
}

/// Names registers that only hold a value of the cycle before: `$past(x)` takes over x, and
/// `$initstate` is true in the first cycle and in no other.
fn name_copies(builder: &mut SystemBuilder) {
    let mut names: FxHashMap<ExprId, String> = FxHashMap::default();
    for Named { name, expr } in builder.labels.iter().chain(&builder.outputs) {
        names.entry(*expr).or_insert_with(|| name.clone());
    }
    for state in builder.states.clone() {
        let Some(symbol) = unnamed(&builder.pool, state.symbol) else { continue };
        let Some(next) = state.next.filter(|&next| next != state.symbol) else { continue };
        let pool = &builder.pool;
        let own = pool.as_symbol(next).and_then(|symbol| pool.symbol_name(symbol));
        let constant = |expr: Option<ExprId>| Some(pool.const_value(expr?)?.is_true());
        let is_bit = pool.sort(state.symbol) == Sort::BOOL;
        let name = match own.or_else(|| names.get(&next).map(String::as_str)) {
            Some(source) => in_scope("past", source),
            None if is_bit
                && (constant(state.init), constant(Some(next))) == (Some(true), Some(false)) =>
            {
                "$initstate".to_owned()
            }
            None => continue,
        };
        builder.pool.rename(symbol, &name);
    }
}

/// `u.q` becomes `u.$past(q)`, in the same scope.
fn in_scope(function: &str, source: &str) -> String {
    let (scope, name) = source.rsplit_once('.').map_or(("", source), |(scope, name)| (scope, name));
    let dot = if scope.is_empty() { "" } else { "." };
    format!("{scope}{dot}${function}({name})")
}

/// What the nets say about symbols without a name.
#[derive(Default)]
struct Found {
    /// The best name of a net that is the whole symbol, or a part of the net that is.
    whole: FxHashMap<SymbolId, String>,
    /// Nets that are some bits of the symbol: the highest and the lowest bit, and the name.
    parts: FxHashMap<SymbolId, Vec<(u32, u32, String)>>,
}

impl Found {
    fn net(&mut self, pool: &Pool, name: &str, expr: ExprId) {
        if let Some(symbol) = unnamed(pool, expr) {
            self.offer(symbol, name.to_owned());
            return;
        }
        match pool.get(expr) {
            Expr::Slice { arg, hi, lo } => {
                if let Some(symbol) = unnamed(pool, arg) {
                    self.parts.entry(symbol).or_default().push((hi, lo, name.to_owned()));
                }
            }
            Expr::Binary(BinaryOp::Concat, ..) if !expr.is_complement() => {
                self.concatenation(pool, name, expr);
            }
            // A register with an asynchronous reset: the net has the constant during the
            // reset and the value of the register otherwise.
            Expr::Ite(_, then, otherwise) => {
                let register = match (pool.is_const(then), pool.is_const(otherwise)) {
                    (true, false) => unnamed(pool, otherwise),
                    (false, true) => unnamed(pool, then),
                    (true, true) | (false, false) => None,
                };
                if let Some(symbol) = register {
                    self.offer(symbol, in_scope("reg", name));
                }
            }
            _ => {}
        }
    }

    /// Names the symbols in a concatenation after the bits of the net that they are.
    fn concatenation(&mut self, pool: &Pool, name: &str, expr: ExprId) {
        let mut low = 0;
        let mut stack = vec![expr];
        while let Some(expr) = stack.pop() {
            let width = pool.sort(expr).width().expect("arrays are not concatenated");
            match pool.get(expr) {
                Expr::Binary(BinaryOp::Concat, high, rest) if !expr.is_complement() => {
                    stack.extend([high, rest]);
                    continue;
                }
                _ => {}
            }
            if let Some(symbol) = unnamed(pool, expr) {
                let bits = match width {
                    1 => format!("[{low}]"),
                    _ => format!("[{}:{low}]", low + width - 1),
                };
                self.offer(symbol, format!("{name}{bits}"));
            }
            low += width;
        }
    }

    /// Keeps the name with the fewest scopes, then the first one.
    fn offer(&mut self, symbol: SymbolId, name: String) {
        let scopes = |name: &str| (name.starts_with('$'), name.matches('.').count());
        match self.whole.get(&symbol) {
            Some(known) if scopes(known) <= scopes(&name) => {}
            Some(_) | None => {
                self.whole.insert(symbol, name);
            }
        }
    }

    /// The names, in the order of the symbols.
    fn names(self, pool: &Pool) -> Vec<(SymbolId, String)> {
        let Found { mut whole, parts } = self;
        for (symbol, parts) in parts {
            let width = pool.sort(pool.symbol_expr(symbol)).width().expect("it has slices");
            whole.entry(symbol).or_insert_with(|| joined(width, parts));
        }
        let mut names: Vec<_> = whole.into_iter().collect();
        names.sort_unstable_by_key(|(symbol, _)| symbol.index());
        names
    }
}

/// `{a,b}` for a symbol whose bits are the nets a and b; `_` are bits without a name.
fn joined(width: u32, mut parts: Vec<(u32, u32, String)>) -> String {
    parts.sort_by_key(|&(hi, lo, _)| (std::cmp::Reverse(hi), lo));
    let mut words: Vec<String> = Vec::new();
    // The bits below this one have no name yet.
    let mut left = width;
    for (hi, lo, name) in parts {
        if hi >= left {
            continue;
        }
        if hi + 1 < left {
            words.push("_".to_owned());
        }
        words.push(name);
        left = lo;
    }
    if left > 0 {
        words.push("_".to_owned());
    }
    format!("{{{}}}", words.join(","))
}

/// The symbol that the expression is, if it has no name.
fn unnamed(pool: &Pool, expr: ExprId) -> Option<SymbolId> {
    let symbol = pool.as_symbol(expr)?;
    pool.symbol_name(symbol).is_none().then_some(symbol)
}

/// The inputs that are clocks: bits on which nothing depends and that are called so, or that
/// the file says are clocks.
pub(crate) fn find_clocks(builder: &SystemBuilder) -> Vec<usize> {
    let pool = &builder.pool;
    let is_called_so = |input: usize| {
        let symbol = builder.inputs[input].symbol;
        let name = pool.as_symbol(symbol).and_then(|symbol| pool.symbol_name(symbol));
        let name = name.unwrap_or_default().to_ascii_lowercase();
        let last = name.rsplit('.').next().unwrap_or_default();
        pool.sort(symbol) == Sort::BOOL
            && (last.contains("clk") || last.contains("clock") || builder.clocks.contains(&input))
    };
    let mut candidates: Vec<usize> =
        (0..builder.inputs.len()).filter(|&input| is_called_so(input)).collect();
    if candidates.is_empty() {
        return candidates;
    }
    let used = elinvar_ir::cone(pool, roots(builder));
    candidates.retain(|&input| used.binary_search(&builder.inputs[input].symbol).is_err());
    candidates
}

/// Everything that the behaviour depends on.
fn roots(builder: &SystemBuilder) -> Vec<ExprId> {
    let states = builder.states.iter();
    let mut roots: Vec<ExprId> = states.flat_map(|s| s.init.into_iter().chain(s.next)).collect();
    roots.extend(builder.constraints.iter().chain(&builder.fairness));
    for property in &builder.properties {
        match &property.kind {
            elinvar_ir::PropertyKind::Bad(bad) => roots.push(*bad),
            elinvar_ir::PropertyKind::Justice(conditions) => roots.extend(conditions),
        }
    }
    roots
}

#[cfg(test)]
mod tests {
    use crate::btor2;

    fn names(text: &str) -> Vec<String> {
        let system = btor2::read(text.as_bytes()).unwrap().system;
        (0..system.states().len()).map(|state| system.state_name(state)).collect()
    }

    const STATES: &str = "1 sort bitvec 4\n2 sort bitvec 1\n3 state 1\n4 state 2\n5 state 1 own\n";

    #[test]
    fn registers_are_named_after_their_nets() {
        let named = |lines: &str| names(&format!("{STATES}{lines}"));
        assert_eq!(named(""), ["state0", "state1", "own"]);
        assert_eq!(named("6 uext 1 3 0 u.count\n7 output 4 full\n"), ["u.count", "full", "own"]);
        assert_eq!(
            named("6 uext 1 3 0 u.n\n7 uext 1 3 0 n\n8 uext 1 5 0 m\n")[..],
            ["n", "state1", "own"]
        );
        let concat = "6 sort bitvec 5\n7 concat 6 4 3 bus\n";
        assert_eq!(named(concat), ["bus[3:0]", "bus[4]", "own"]);
        let slices = "6 sort bitvec 2\n7 slice 6 3 3 2 hi\n8 slice 2 3 0 0 lo\n";
        assert_eq!(named(slices), ["{hi,_,lo}", "state1", "own"]);
        let reset = "6 input 2 rst\n7 zero 1\n8 ite 1 6 7 3 u.count\n";
        assert_eq!(named(reset), ["u.$reg(count)", "state1", "own"]);
    }

    #[test]
    fn registers_that_hold_the_last_value_say_so() {
        let text = "1 sort bitvec 1\n2 input 1 u.x\n3 state 1\n4 next 1 3 2\n5 state 1\n\
                    6 next 1 5 3\n7 one 1\n8 zero 1\n9 state 1\n10 init 1 9 7\n11 next 1 9 8\n\
                    12 not 1 2\n13 output 12 y\n14 state 1\n15 next 1 14 12\n16 state 1\n\
                    17 next 1 16 16\n";
        let expected = ["u.$past(x)", "u.$past($past(x))", "$initstate", "$past(y)", "state4"];
        assert_eq!(names(text), expected);
    }

    #[test]
    fn a_name_is_not_kept_twice() {
        let text = format!("{STATES}6 uext 1 3 0 n\n7 uext 1 3 0 m\n");
        let system = btor2::read(text.as_bytes()).unwrap().system;
        let labels: Vec<&str> = system.labels().iter().map(|label| label.name.as_str()).collect();
        assert_eq!(labels, ["m"]);
    }

    #[test]
    fn clocks_are_inputs_that_nothing_depends_on() {
        let clocks = |text: &str| btor2::read(text.as_bytes()).unwrap().system.clocks().to_vec();
        let text = "1 sort bitvec 1\n2 input 1 rst\n3 input 1 i_clk\n4 input 1 u.CLOCK\n";
        assert_eq!(clocks(text), [1, 2]);
        assert_eq!(clocks(&format!("{text}5 bad 3\n")), [2]);
    }
}
