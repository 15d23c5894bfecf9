//! The fuzz targets on random mutations of valid files. Mutations are small, so that many
//! files are accepted and their promises checked.

#[path = "../../crates/formats/tests/common/circuits.rs"]
mod circuits;
#[path = "../../fuzz/src/lib.rs"]
mod targets;

use std::path::Path;

use circuits::SAMPLES;
use elinvar_engines::pdr::{Pdr, PdrOptions};
use elinvar_engines::{Run, Task};
use elinvar_formats::model::{Model, read_model};
use elinvar_formats::{aiger, btor2, certificate};
use elinvar_ir::{Certificate, PropertyId, Rng, Verdict, WitnessCircuit};

/// Runs a target on so many mutations. At least so many must be accepted, or the test says
/// little.
fn mutate_all(name: &str, seeds: &[Vec<u8>], words: &[&str], rounds: usize, least: usize) {
    let (_, target) = targets::TARGETS.iter().find(|(other, _)| *other == name).expect("a target");
    for seed in seeds {
        assert!(target(seed), "{name} refuses a valid file: {}", String::from_utf8_lossy(seed));
    }
    // `FUZZ_FACTOR=100 cargo test -p xtask --test fuzz_targets --release` searches longer.
    let factor = std::env::var("FUZZ_FACTOR").ok().and_then(|factor| factor.parse().ok());
    let rounds = rounds * factor.unwrap_or(1);
    let mut rng = Rng::new(2024);
    let mut count = 0;
    for round in 0..rounds {
        let mut source = seeds[round % seeds.len()].clone();
        for _ in 0..1 + rng.below(2) {
            if rng.one_in(3) {
                damage_bytes(&mut source, seeds, &mut rng);
            } else {
                source = damage_words(&source, words, &mut rng);
            }
        }
        let judged = std::panic::catch_unwind(|| target(&source));
        let accepted = judged.unwrap_or_else(|_| {
            panic!("{name}, round {round}: {:?}", String::from_utf8_lossy(&source))
        });
        count += usize::from(accepted);
    }
    assert!(count >= least, "{name}: {count} of {rounds} accepted");
}

/// Removes, repeats, inserts or replaces lines and words.
fn damage_words(source: &[u8], words: &[&str], rng: &mut Rng) -> Vec<u8> {
    let split = |line: &[u8]| line.split(|&byte| byte == b' ').map(<[u8]>::to_vec).collect();
    let mut lines: Vec<Vec<Vec<u8>>> = source.split(|&byte| byte == b'\n').map(split).collect();
    let at = rng.below(lines.len());
    let line = lines[at].clone();
    let word = rng.below(line.len());
    match rng.below(8) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(rng.below(lines.len()), line),
        2 => drop(lines[at].remove(word)),
        3 => lines[at].insert(word, rng.pick(words).as_bytes().to_vec()),
        4 | 5 => lines[at][word] = rng.pick(words).as_bytes().to_vec(),
        _ => {
            let other = &lines[rng.below(lines.len())];
            let taken = other.get(word).or(other.first()).cloned();
            lines[at][word] = taken.unwrap_or_default();
        }
    }
    lines.iter().map(|line| line.join(&b' ')).collect::<Vec<_>>().join(&b'\n')
}

/// Changes, removes, inserts or copies bytes, or continues with another file.
fn damage_bytes(text: &mut Vec<u8>, samples: &[Vec<u8>], rng: &mut Rng) {
    if text.is_empty() {
        return;
    }
    let at = rng.below(text.len());
    match rng.below(8) {
        0 => text.truncate(at),
        1 => text[at] ^= 1 << rng.below(8),
        2 => text[at] = rng.pick(b"0123456789 \ncilobjf=;()[]{}"),
        3 => text.insert(at, rng.pick(b"0123456789 \ncilobjf=\x80")),
        4 => drop(text.remove(at)),
        5 => {
            let other = &samples[rng.below(samples.len())];
            let from = rng.below(other.len());
            text.truncate(at);
            text.extend_from_slice(&other[from..]);
        }
        6 => {
            let number = rng.pick(&["0", "1", "2", "4294967295", "99999999999", "67108864"]);
            text.splice(at..at, number.bytes());
        }
        _ => {
            let end = at + rng.below(text.len() - at);
            let part = text[at..end].to_vec();
            let to = rng.below(text.len());
            text.splice(to..to, part);
        }
    }
}

/// Words that readers of numbered lines may stumble over.
const NUMBERS: [&str; 18] = [
    "0",
    "-1",
    "1",
    "2",
    "3",
    "9",
    "64",
    "65",
    "1048576",
    "4294967296",
    "18446744073709551615",
    "1000000000000",
    "sort",
    "init",
    "next",
    ";",
    "\u{e9}",
    "-",
];

fn bytes(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// The examples with these extensions.
fn examples(extensions: &[&str]) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files
        .filter(|file| file.extension().is_some_and(|e| extensions.iter().any(|x| e == *x)))
        .collect();
    files.sort();
    files.iter().map(|file| std::fs::read(file).unwrap()).collect()
}

#[test]
fn btor2_files() {
    let seeds = bytes(&[
        "1 sort bitvec 1\n2 sort bitvec 4\n3 sort array 2 2\n4 input 1 go\n5 constd 2 -3\n\
         6 state 2 s\n7 init 2 6 5\n8 state 3 m\n9 read 2 8 6\n10 write 3 8 6 -9\n11 next 3 8 10\n\
         12 slice 1 9 2 2\n13 bad -12 p\n14 justice 1 4\n15 constraint 4 c\n",
        "1 sort bitvec 3\n2 input 1\n3 input 1\n4 udiv 1 2 3\n5 sra 1 4 -2\n6 sort bitvec 6\n\
         7 concat 6 5 5\n8 sort bitvec 1\n9 smulo 8 2 3\n10 output 9\n11 uext 6 5 3\n12 fair 9\n",
        "1 sort bitvec 2\n2 state 1 s\n3 sort bitvec 1\n4 redor 3 2\n5 bad 4\n\0\
         sat\nb0\n#0\n0 01 s\n@0\n@1\n.\n",
    ]);
    mutate_all("btor2", &seeds, &NUMBERS, 30_000, 3_000);
}

#[test]
fn btor_files() {
    let seeds = bytes(&[
        "1 var 4 x\n2 var 2 y\n3 array 4 2 m\n4 sll 4 1 2\n5 consth 4 a\n6 write 4 2 3 2 4\n\
         7 anext 4 2 3 6\n8 next 4 1 -5\n9 ulte 1 4 5\n10 root 1 -9 p\n11 root 4 4\n",
        "1 var 8\n2 const 8 01010101\n4 one 1\n3 cond 8 4 1 2\n6 array 1 1\n5 acond 1 1 4 6 6\n\
         7 sext 16 1 8\n8 redxor 1 7\n9 ones 8\n10 smod 8 1 -2\n11 root 8 10\n",
    ]);
    mutate_all("btor", &seeds, &NUMBERS, 30_000, 1_000);
}

#[test]
fn aiger_files() {
    let mut seeds = bytes(&SAMPLES);
    for text in SAMPLES {
        let system = aiger::read(text.as_bytes()).unwrap().system;
        seeds.push(aiger::write(&system, aiger::Encoding::Binary).unwrap());
    }
    mutate_all("aiger", &seeds, &NUMBERS, 60_000, 5_000);
}

fn words_of(text: &str) -> Vec<&str> {
    text.split(' ').collect()
}

#[test]
fn assembler_files() {
    let words = words_of(
        "0 1 7 10 4294967295 4294967296 a b z aa load SAVE peek poke add sub mul div mod \
         and or xor not eq ne lt le gt ge jmp exit rem -1 ;",
    );
    mutate_all("basm", &examples(&["basm"]), &words, 4_000, 500);
}

#[test]
fn boogie_files() {
    let words = [
        "var",
        "x",
        "y",
        "i",
        "int",
        "bool",
        "real",
        "bv8",
        "[int]int",
        ":=",
        "==",
        "<==>",
        "==>",
        "&&",
        "+",
        "-",
        "div",
        "mod",
        "/",
        "0",
        "1",
        "-1",
        "340282366920938463463374607431768211456",
        "3bv8",
        "300bv8",
        "1.5",
        "(",
        ")",
        "{",
        "}",
        ";",
        ",",
        ":",
        "assert",
        "assume",
        "havoc",
        "if",
        "else",
        "while",
        "(*)",
        "goto",
        "return",
        "break",
        "call",
        "old(x)",
        "forall",
        "procedure",
        "requires",
        "ensures",
        "modifies",
        "invariant",
        "where",
        "axiom",
        "const",
        "unique",
        "function",
        "type",
        "[",
        "]",
        "x[i]",
        "x[i := 0]",
        "++",
        "x[8:0]",
        "{:inline 1}",
        "//",
        "/*",
        "\"",
        "\u{e9}",
    ];
    let mut seeds = examples(&["bpl"]);
    seeds.extend(bytes(&[
        "type T; const unique c: T; const d: T;\nfunction f(x: int) returns (int);\n\
         function g(x: int) returns (bool) { x > 0 }\naxiom ( forall x: int :: f(x) >= x );\n\
         var a: [int]bool; var r: real;\n\
         procedure p ( n: int ) returns ( m: int )\n  requires n >= 0;\n  ensures m >= n;\n\
         modifies a, r;\n{\n  m := n;\n  a[m] := g ( n ) || c == d;\n  r := r / 2.0;\n}\n",
        "procedure main ( )\n{\n  var x : bv8; var i : int;\n  x := 0bv8; i := 0;\n\
         L: while ( i < 3 )\n  invariant i <= 3;\n  {\n    if ( * ) { break; }\n    i := i + 1;\n\
         x := x[4:0] ++ 3bv4;\n  }\n  assert i <= 3 && x != 1bv8;\n  goto M, N;\n  M: return;\n\
         N: assume false;\n}\n",
    ]));
    mutate_all("boogie", &seeds, &words, 6_000, 500);
}

#[test]
fn graph_files() {
    let words = words_of(
        "0 1 2 99 4294967296 n e o a0 a1 b0 c1 c1' t1 t2 t3 f2 .v .i .o .c BEGIN END a0,b0 \
         # , \u{e9}",
    );
    mutate_all("graph", &examples(&["dag", "tfc"]), &words, 20_000, 1_000);
}

#[test]
fn formula_files() {
    let words = words_of(
        "go count full count[3] count[1:0] count[9] light \"count\" true false ! X F G U W R & && | \
         || -> <-> ( ) == != < <= > >= 0 1 15 16 99 always s_eventually s_until until nexttime \
         a: # \u{e9}",
    );
    let seeds = bytes(&[
        "G (go -> F full)\n",
        "# two\nfair: (G F go) -> (G F count == 3)\nlow: ! full W ( count [ 3 ] | X go )\n",
        "always ( go -> s_eventually full )\n( go U full ) <-> ( full R \"go\" )\n",
    ]);
    mutate_all("ltl", &seeds, &words, 20_000, 2_000);
}

#[test]
fn map_files() {
    let words = words_of(
        "0 1 2 3 99 -1 4294967296 input init output latch invlatch wire ninitff a u.q mem[1] $x.1 \
         { } [ ] , : null \"path\": \"width\": \"offset\": \"input\": \"inits\": [\"a\"] \u{e9}",
    );
    let seeds = bytes(&[
        "input 0 0 clk\ninit 1 0 u.q\noutput 0 0 q\nlatch 0 0 u.q\ninvlatch 0 0 q\n\
         ninitff 0\nwire 6 0 $auto$a.cc:1\n",
        "{ \"version\": \"Yosys Witness Aiger map\",\n  \"clocks\": [ { \"path\": [\"\\\\clk\"], \
         \"input\": 0, \"offset\": 0, \"edge\": \"posedge\" } ],\n  \"inputs\": [\n\
         { \"path\": [\"\\\\clk\"], \"input\": 0, \"offset\": 0 } ],\n  \"inits\": [\n\
         { \"path\": [\"\\\\u\", \"\\\\q\"], \"input\": 1, \"offset\": 3 } ],\n  \
         \"asserts\": [ [\"$assert$a.sv:3$1\"] ] }\n",
        "{ \"version\": \"Yosys Witness BTOR map\",\n  \"inputs\": [ [\n\
         { \"path\": [\"\\\\a\"], \"width\": 2, \"offset\": 0 } ] ],\n  \"states\": [ null,\n\
         { \"path\": [\"\\\\mem\"], \"width\": 1, \"size\": 2 } ] }\n",
    ]);
    mutate_all("map", &seeds, &words, 20_000, 2_000);
}

#[test]
fn proof_files() {
    let words = [
        "always",
        "0",
        "1",
        "7",
        "-0.0",
        "0.7",
        "1.127",
        "1.128",
        "9.0",
        "open",
        "safe",
        "unsafe",
        "bitvec",
        "array",
        "4",
        "8",
        "\"count\"",
        "\"\"",
        "\"\\u{20}\"",
        "\"\\",
        "lemma",
        "register",
        "property",
        "depth",
        "18446744073709551616",
        "1e400",
        "-1",
        "nan",
        "00000000000000ff",
        "xyz",
    ];
    let seed = "elinvar proof 1\ndepth 7\nseconds 12.5\nproperty open 6 \"below\\u{20}9\"\n\
                property safe \"é\\\"\\\\\\u{a}\"\nproperty unsafe \"\"\n\
                register 0 3 bitvec 8 \"count\" 0123456789abcdef 00000000000000ff\n\
                register 1 4 array 4 8 \"\"\nlemma always 0.7 -1.127\nlemma 7 -0.0\nend 0 0\n";
    mutate_all("proof", &bytes(&[seed]), &words, 20_000, 1_000);
}

/// Evidence for each model: the proofs of PDR as circuits, inductions as text, and traces.
fn evidence_seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (index, (name, text)) in targets::MODELS.iter().enumerate() {
        let model = read_model(text.as_bytes(), Some(name)).unwrap();
        let properties: Vec<PropertyId> = model.system().bads().map(|(id, _)| id).collect();
        let task = Task::about(model.system(), &properties, &Run::new());
        let verdicts = task.check(&mut Pdr(PdrOptions::default())).unwrap();
        for (&property, verdict) in properties.iter().zip(verdicts) {
            let files = match verdict {
                Verdict::Safe(proof) => proofs(&model, property, &proof),
                Verdict::Unsafe(trace) => vec![match &model {
                    Model::Aiger(model) => aiger::write_witness(&model.system, &trace).into_bytes(),
                    Model::Btor(_) | Model::Btor2(_) | Model::Basm(_) => {
                        btor2::write_witness(model.system(), &trace).into_bytes()
                    }
                }],
                Verdict::Unknown(reason) => panic!("{name}: {reason}"),
            };
            let choice = format!("{index}").into_bytes();
            seeds.extend(files.into_iter().map(|file| [&choice[..], &file].concat()));
        }
    }
    seeds
}

/// The proof as a circuit in the format of the model, and as text.
fn proofs(model: &Model, property: PropertyId, proof: &Certificate) -> Vec<Vec<u8>> {
    let system = model.system();
    let circuit = WitnessCircuit::from_certificate(system, property, proof).unwrap();
    vec![model.write_certificate(&circuit, aiger::Encoding::Ascii).unwrap()]
}

#[test]
fn evidence_files() {
    let words = [
        "0",
        "1",
        "2",
        "3",
        "10",
        "-1",
        "255",
        "4294967296",
        "sat",
        "b0",
        "b1",
        "j0",
        "#0",
        "@0",
        "@1",
        ".",
        "x",
        "01x0x",
        "k-induction",
        "simple-path",
        "invariant",
        "property",
        "bad",
        "constraint",
        "next",
        "init",
        "state",
        "input",
        "sort",
        "bitvec",
        "zero",
        "one",
        "ones",
        "not",
        "and",
        "MAPPING",
        "c",
        "1000000000000000000",
    ];
    let mut seeds = evidence_seeds();
    let text = |index: usize, text: &str| format!("{index}{text}").into_bytes();
    seeds.push(text(4, "elinvar certificate 1\nproperty 0\nk-induction 1\n"));
    seeds.push(text(
        0,
        "elinvar certificate 1\nproperty 0\ninvariant for all inputs\n1 sort bitvec 1\n\
         2 sort bitvec 8\n3 input 1 enable\n4 state 2 count\n5 constd 2 200\n6 ugt 1 4 5\n7 bad 6\n",
    ));
    assert!(seeds.len() > 6 && seeds.iter().any(|seed| certificate::is_certificate(&seed[1..])));
    mutate_all("evidence", &seeds, &words, 6_000, 300);
}
