//! Random programs.
//!
//! Each program draws first which types and which parts of the language it uses, so that small programs
//! use few of them often instead of many of them once. Besides random statements there are short
//! sequences whose assertions are not just false: maps that agree at all indices, loops that count, an
//! assertion behind an assumption or an assignment.

mod expressions;
mod patterns;
mod statements;

use super::random::Random;
use super::syntax::*;

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let features = Features::draw(&mut random);
    let types = types(&mut random, &features);
    let dialect = if features.ultimate { Dialect::Ultimate } else { Dialect::Boogie };
    let program = Program {
        dialect,
        theory: Theory {
            types: types.iter().filter_map(named).max().map_or(0, |number| number + 1),
            ..Theory::default()
        },
        globals: Vec::new(),
        procedures: Vec::new(),
    };
    let mut generator = Generator { random, features, types, program, labels: 0 };
    generator.declarations();
    generator.procedures();
    generator.program
}

/// Which parts of the language a program uses.
struct Features {
    /// Small types only, so that all runs can be tried.
    finite: bool,
    maps: bool,
    functions: bool,
    division: bool,
    constraints: bool,
    contracts: bool,
    free: bool,
    loops: bool,
    jumps: bool,
    attributes: bool,
    whole: bool,
    recursion: bool,
    ultimate: bool,
}

impl Features {
    fn draw(random: &mut Random) -> Self {
        let finite = random.chance(40);
        Features {
            finite,
            maps: random.chance(55),
            functions: random.chance(if finite { 15 } else { 40 }),
            division: random.chance(35),
            constraints: random.chance(45),
            contracts: random.chance(65),
            free: random.chance(60),
            loops: random.chance(40),
            jumps: random.chance(25),
            attributes: random.chance(25),
            whole: random.chance(20),
            recursion: random.chance(15),
            ultimate: random.chance(25),
        }
    }
}

fn named(ty: &Type) -> Option<u8> {
    if let Type::Named(number) = ty { Some(*number) } else { None }
}

/// A few types, with the types of indices and elements.
fn types(random: &mut Random, features: &Features) -> Vec<Type> {
    let mut all = vec![Type::Bool];
    let count = 1 + random.below(2);
    for _ in 0..count {
        let ty = scalar(random, features.finite);
        push(&mut all, ty);
    }
    if features.maps {
        let count = 1 + random.below(2);
        for _ in 0..count {
            let ty = map(random, &all);
            push(&mut all, ty);
        }
    }
    all
}

fn push(all: &mut Vec<Type>, ty: Type) {
    if !all.contains(&ty) {
        all.push(ty);
    }
}

fn scalar(random: &mut Random, finite: bool) -> Type {
    if finite {
        return Type::Word(1 + random.below(3) as u32);
    }
    match random.weighted(&[50, 20, 15, 10, 5]) {
        0 => Type::Int,
        1 => Type::Word(1 + random.below(3) as u32),
        2 => Type::Named(0),
        3 => Type::Real,
        _ => Type::Word(70),
    }
}

fn map(random: &mut Random, types: &[Type]) -> Type {
    let mut index = random.pick(types).clone();
    // Tables of tables of tables are not worth their time.
    if depth(&index) > 1 || random.chance(60) {
        index = types[random.below(types.len().min(2))].clone();
    }
    let element = random.pick(types).clone();
    let element = if depth(&element) > 1 { Type::Bool } else { element };
    if random.chance(12) {
        return Type::Map(vec![index, types[1].clone()], Box::new(element));
    }
    Type::map(index, element)
}

fn depth(ty: &Type) -> usize {
    match ty {
        Type::Bool | Type::Int | Type::Real | Type::Word(_) | Type::Named(_) => 0,
        Type::Map(indices, element) => {
            1 + indices.iter().chain([&**element]).map(depth).max().unwrap_or(0)
        }
    }
}

pub(super) struct Generator {
    random: Random,
    features: Features,
    types: Vec<Type>,
    program: Program,
    labels: u32,
}

/// The names that an expression may use.
#[derive(Clone, Default)]
struct Names {
    names: Vec<(Name, Type)>,
    /// May it speak of the values on entry?
    old: bool,
}

impl Generator {
    fn ty(&mut self) -> Type {
        self.random.pick(&self.types).clone()
    }

    fn constants(&self) -> Names {
        let constants = self.program.theory.constants.iter().enumerate();
        let names = constants.map(|(number, c)| (Name::Constant(number), c.ty.clone())).collect();
        Names { names, old: false }
    }

    /// Constants, globals, and so many variables of a procedure.
    fn names(&self, variables: &[Variable]) -> Names {
        let mut names = self.constants();
        let globals = self.program.globals.iter().enumerate();
        names.names.extend(globals.map(|(number, g)| (Name::Global(number), g.ty.clone())));
        let variables = variables.iter().enumerate();
        names.names.extend(variables.map(|(number, v)| (Name::Local(number), v.ty.clone())));
        names
    }

    fn declarations(&mut self) {
        // Types without literals have a constant, so that every type has an expression.
        for ty in self.types.clone() {
            let literal = !matches!(ty, Type::Named(_) | Type::Map(..));
            let count = if literal { usize::from(self.random.chance(15)) } else { 1 };
            for _ in 0..count + usize::from(self.random.chance(10)) {
                let name = format!("c{}", self.program.theory.constants.len());
                let unique = !self.features.finite && self.random.chance(25);
                self.program.theory.constants.push(Constant { name, ty: ty.clone(), unique });
            }
        }
        if self.features.functions {
            self.function();
            self.function();
        }
        if self.random.chance(15) {
            let names = self.constants();
            let axiom = self.expr(&Type::Bool, 2, &names);
            self.program.theory.axioms.push(axiom);
        }
        let count = self.random.below(3);
        for number in 0..count {
            let ty = self.ty();
            self.program.globals.push(Variable {
                name: format!("g{number}"),
                ty,
                constraint: None,
            });
        }
        for number in 0..count {
            let names = self.names(&[]);
            let ty = self.program.globals[number].ty.clone();
            let constraint = self.constraint(Name::Global(number), &ty, &names);
            self.program.globals[number].constraint = constraint;
        }
    }

    fn function(&mut self) {
        let count = 1 + self.random.below(2);
        let parameters: Vec<Type> = (0..count).map(|_| self.ty()).collect();
        let result = self.ty();
        let mut names = self.constants();
        let numbered = parameters.iter().cloned().enumerate();
        names.names.extend(numbered.map(|(number, ty)| (Name::Parameter(number), ty)));
        let body = self.random.chance(40).then(|| self.expr(&result, 2, &names));
        let name = format!("f{}", self.program.theory.functions.len());
        self.program.theory.functions.push(Function { name, parameters, result, body });
    }

    /// A `where` clause, perhaps.
    fn constraint(&mut self, name: Name, ty: &Type, names: &Names) -> Option<Expr> {
        (self.features.constraints && self.random.chance(35))
            .then(|| self.condition_on(name, ty, names))
    }

    fn procedures(&mut self) {
        let count = 1 + self.random.weighted(&[35, 45, 20]);
        for number in 0..count {
            let procedure = self.signature(number);
            self.program.procedures.push(procedure);
        }
        // A body may call any procedure, so all signatures come first.
        for number in (0..count).rev() {
            if number == 0 || self.random.chance(80) {
                self.body(number);
            }
        }
    }

    fn signature(&mut self, number: usize) -> Procedure {
        let inputs = self.random.below(3);
        let outputs = self.random.weighted(&[50, 40, 10]);
        let mut procedure = Procedure {
            name: format!("p{number}"),
            attribute: self.attribute(number),
            variables: Vec::new(),
            inputs,
            outputs,
            requires: Vec::new(),
            ensures: Vec::new(),
            modifies: Vec::new(),
            body: None,
        };
        if procedure.attribute == Some(Attribute::Start) {
            procedure.name = "ULTIMATE.start".into();
        }
        for at in 0..inputs + outputs {
            let name = if at < inputs { format!("x{at}") } else { format!("y{at}") };
            self.variable(&mut procedure, name);
        }
        for global in 0..self.program.globals.len() {
            if self.random.chance(if number == 0 { 75 } else { 45 }) {
                procedure.modifies.push(global);
            }
        }
        if self.features.contracts {
            let names = self.names(&procedure.variables[..inputs]);
            procedure.requires = self.clauses(&names);
            let mut names = self.names(&procedure.variables);
            names.old = true;
            procedure.ensures = self.clauses(&names);
        }
        procedure
    }

    fn attribute(&mut self, number: usize) -> Option<Attribute> {
        if number == 0 {
            let start = if self.features.ultimate { Attribute::Start } else { Attribute::Entry };
            return self.features.whole.then_some(start);
        }
        if !self.features.attributes {
            return None;
        }
        [Some(Attribute::Inline), Some(Attribute::Unverified), None]
            [self.random.weighted(&[40, 15, 45])]
    }

    fn variable(&mut self, procedure: &mut Procedure, name: String) {
        let ty = self.ty();
        let number = procedure.variables.len();
        procedure.variables.push(Variable { name, ty: ty.clone(), constraint: None });
        let names = self.names(&procedure.variables);
        procedure.variables[number].constraint = self.constraint(Name::Local(number), &ty, &names);
    }

    fn clauses(&mut self, names: &Names) -> Vec<Clause> {
        let count = self.random.weighted(&[45, 40, 15]);
        (0..count).map(|_| self.clause(names)).collect()
    }

    fn clause(&mut self, names: &Names) -> Clause {
        let free = self.features.free && self.random.chance(35);
        Clause { condition: self.condition(names), free, line: 0 }
    }

    fn body(&mut self, number: usize) {
        let mut procedure = self.program.procedures[number].clone();
        let count = self.random.below(3);
        for local in 0..count {
            self.variable(&mut procedure, format!("z{local}"));
        }
        self.program.procedures[number] = procedure.clone();
        let mut names = self.names(&procedure.variables);
        names.old = true;
        let mut writable: Vec<(Name, Type)> = Vec::new();
        for &global in &procedure.modifies {
            writable.push((Name::Global(global), self.program.globals[global].ty.clone()));
        }
        for (at, variable) in procedure.variables.iter().enumerate().skip(procedure.inputs) {
            writable.push((Name::Local(at), variable.ty.clone()));
        }
        let place = statements::Place { number, names, writable };
        let size = 2 + self.random.below(4);
        let mut body = self.block(&place, size, 2);
        if number == 0 && self.random.chance(50) {
            body.push(self.assertion(&place));
        }
        self.program.procedures[number].body = Some(body);
    }
}
