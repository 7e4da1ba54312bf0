//! Checks that invalid text always yields a result, never a crash.

use crate::common;

use common::FIXTURES;
use common::exercise::exercise;
use proptest::prelude::*;
use ptx::ast::Item;

#[test]
fn truncation_at_every_byte() {
    for (_, text) in FIXTURES {
        for end in 0..text.len() {
            if text.is_char_boundary(end) {
                exercise(&text[..end]);
            }
        }
    }
}

#[test]
fn nesting_is_bounded() {
    let head = ".version 8.0\n.target sm_90\n.address_size 64\n";
    let deep = 100_000;
    for (open, close) in [("{", "}"), ("(", ")"), ("[", "]")] {
        let body = format!("{}{}", open.repeat(deep), close.repeat(deep));
        for text in [
            format!("{head}.entry k() {body}"),
            format!("{head}.entry k() {{ mov.u32 {body}; }}"),
            format!("{head}.entry k() {{ call {body}; }}"),
            format!("{head}.global .u32 x = {body};"),
            format!("{head}.global .u32 x[{body}];"),
            format!("{head}.entry k() {{ {}", open.repeat(deep)),
        ] {
            let parse = ptx::parse(&text);
            assert!(!parse.errors.is_empty());
            exercise(&text);
        }
    }
    for operator in ["-", "~", "!", "1 ? ", "1 + (", "1 * -"] {
        exercise(&format!("{head}.global .u32 x = {}1;", operator.repeat(deep)));
    }
}

#[test]
fn nesting_below_the_bound_is_kept() {
    let depth = ptx::MAX_DEPTH as usize - 8;
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() {{ {} ret; {} }}",
        "{".repeat(depth),
        "}".repeat(depth)
    );
    assert_eq!(ptx::parse(&text).errors, []);
    exercise(&text);
}

#[test]
fn huge_numbers_are_errors_or_cost_nothing() {
    let huge = "9".repeat(1000);
    let body = |body: &str| format!(".version 8.0\n.target sm_90\n.address_size 64\n.entry k() {{ {body} }}");
    for text in [
        body(&format!("mov.u64 %r1, {huge};")),
        body(&format!("mov.u64 %r1, 0x{huge};")),
        body(&format!(".reg .b32 %r<{huge}>;")),
        body(&format!(".loc {huge} 1 1")),
        format!(".version {huge}.0"),
        format!(".version 8.0 .target sm_90 .address_size {huge}"),
        format!(".global .b8 x[{huge}];"),
    ] {
        assert!(!ptx::parse(&text).errors.is_empty(), "{}", &text[..80]);
        exercise(&text);
    }
    // Four billion registers, one of which is used.
    let text = body(".reg .b32 %r<4294967295>; mov.b32 %r4294967294, 1; mov.b32 %r4294967295, 1;");
    exercise(&text);
    let parse = ptx::parse(&text);
    let flat = ptx::flatten(common::only_function(&parse.module));
    assert_eq!(flat.registers.len(), 1);
    assert_eq!(flat.errors.len(), 1);
    // Sizes that overflow are `None`.
    let parse = ptx::parse(".global .b64 x[4294967296][4294967296];");
    assert!(matches!(&parse.module.items[0], Item::Variable(v) if v.size().is_none()));
}

#[test]
fn errors_have_positions_and_the_rest_is_kept() {
    let text = ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() {\n  mov.u32 %r1 2;\n  ret;\n}\n.entry l() { ret; }\n";
    let parse = ptx::parse(text);
    assert_eq!(parse.errors.len(), 1);
    assert_eq!(parse.errors[0].to_string(), "5:15: expected `;`, found `2`");
    let functions = parse.module.items.iter().filter(|i| matches!(i, Item::Function(f) if f.body.is_some()));
    assert_eq!(functions.count(), 2);
}

/// Without a bound, the edges grow with the square of the text's length.
#[test]
fn indirect_branches_are_bounded() {
    let labels: String = (0..4000).map(|i| format!("L{i}: ")).collect();
    let names: Vec<_> = (0..4000).map(|i| format!("L{i}")).collect();
    let body = format!(
        ".reg .b32 %r1; T: .branchtargets {}; {} {labels} ret;",
        names.join(", "),
        "brx.idx %r1, T; ".repeat(4000)
    );
    let module = common::kernel(&body);
    let flat = ptx::flatten(common::only_function(&module));
    assert_eq!(flat.errors.len(), 4000 - (1 << 20) / 4000);
    let _ = ptx::cfg::Cfg::new(&flat, |_| false);
}

/// The verbatim text of such directives must print as a text that parses the same.
#[test]
fn unknown_directives_balance_and_have_names() {
    for text in [
        "x.32 two, [0x10 ld.u32 two, [-16];\n@p ret;\n",
        ".glued.32 two;",
        ".new (1; 2);",
        ".new (1, 2]; .global .u32 x;",
        ".new \"without end\n;",
        ".func .attribute(.managed { } f ();",
    ] {
        exercise(text);
    }
    assert!(ptx::parse(".new (1, {2; 3}) [4];").errors.is_empty());
    assert!(!ptx::parse(".new (1, 2]; .global .u32 x;").errors.is_empty());
}

#[test]
fn other_texts_are_not_ptx() {
    for text in [
        "",
        "\0",
        "hello",
        "\u{7f}ELF",
        "{{{{",
        "}}}}",
        "/*",
        "\"",
        ".",
        "%",
        "@",
        ".entry",
        ".func (",
        "é.ü",
    ] {
        exercise(text);
    }
    assert!(ptx::parse("").errors.is_empty());
    assert!(!ptx::parse("hello").errors.is_empty());
}

/// Generates a fixture with a few bytes changed, removed, doubled or moved.
fn mutated() -> impl Strategy<Value = String> {
    let edit = (0..4u8, any::<prop::sample::Index>(), 1..40usize, any::<prop::sample::Index>(), any::<u8>());
    (0..FIXTURES.len(), prop::collection::vec(edit, 1..6)).prop_map(|(fixture, edits)| {
        let mut bytes = FIXTURES[fixture].1.as_bytes().to_vec();
        for (kind, at, len, to, byte) in edits {
            let start = at.index(bytes.len());
            let end = (start + len).min(bytes.len());
            match kind {
                0 => bytes[start] = byte,
                1 => drop(bytes.drain(start..end)),
                2 => {
                    let piece = bytes[start..end].to_vec();
                    let to = to.index(bytes.len());
                    bytes.splice(to..to, piece);
                }
                _ => bytes.truncate(end.max(1)),
            }
            if bytes.is_empty() {
                bytes.push(byte);
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Generates words of the language in random order.
fn soup() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        ".entry",
        ".func",
        "k",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        "<",
        ">",
        ";",
        ",",
        ":",
        "@",
        "!",
        "%r1",
        "%p1|%p2",
        ".reg",
        ".b32",
        ".param",
        ".global",
        ".shared",
        ".loc",
        "1",
        "0x",
        "0f3F800000",
        "-",
        "+",
        "ld",
        ".u32",
        "ld.global.u32",
        "bra",
        "ret;",
        "L:",
        ".branchtargets",
        ".callprototype",
        "_",
        ".section",
        ".debug_str",
        "=",
        "generic(",
        "0xFF(",
        ".file",
        "\"a\"",
        ".pragma",
        ".align",
        ".ptr",
        ".v4",
        "inlined_at",
        "function_name",
        "atom",
        ".cas",
        "mma",
        ".m16n8k16",
        "call",
        "?",
        "*",
        "/",
        "//",
        "/*",
        "*/",
        "\n",
        "WARP_SZ",
    ]);
    prop::collection::vec(words, 0..60).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_text(text in "\\PC{0,200}") {
        exercise(&text);
    }

    #[test]
    fn arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        exercise(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn mutated_fixtures(text in mutated()) {
        exercise(&text);
    }

    #[test]
    fn word_soup(text in soup()) {
        exercise(&text);
        exercise(&format!(".version 8.0 .target sm_90 .address_size 64 .entry k() {{ {text} }}"));
    }
}
