//! Video instructions: bytes, halves and words of 32-bit registers.

use super::Table;

pub(crate) fn forms(t: &mut Table) {
    t.group("video").size(2048, 32);
    simd(t);
    scalar(t);
    shifts(t);
    multiply_add(t);
}

const TYPES: [&str; 2] = ["u32", "s32"];
const COMPARISONS: [&str; 6] = ["eq", "ne", "lt", "le", "gt", "ge"];
const PARTS: [&str; 7] = ["", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"];

/// Returns all combinations of `dtype.atype.btype`.
fn triples() -> impl Iterator<Item = String> {
    TYPES.iter().flat_map(|d| pairs().map(move |ab| format!("{d}.{ab}")))
}

fn pairs() -> impl Iterator<Item = String> {
    TYPES.iter().flat_map(|a| TYPES.iter().map(move |b| format!("{a}.{b}")))
}

/// Adds `NAME %d0SEL, %s0SEL, %s1SEL, %s2`; the selectors become part of the form's name.
fn selected(t: &mut Table, class: &str, name: &str, [d, a, b]: [&str; 3], third: bool) {
    let mut form = name.to_owned();
    if [d, a, b] != [""; 3] {
        let word = |s: &str| if s.is_empty() { "w".to_owned() } else { s[1..].to_owned() };
        form += &format!("-{}-{}-{}", word(d), word(a), word(b));
    }
    let c = if third { ", %s2" } else { "" };
    let sources = format!("{class} {class} b32");
    t.body(&form, "b32", &sources, &format!("{name} %d0{d}, %s0{a}, %s1{b}{c};"));
}

fn simd(t: &mut Table) {
    let chosen: [(u32, &str, [[&str; 3]; 7]); 2] = [
        (
            2,
            "b32:halves",
            [
                [".h0", "", ""],
                [".h1", "", ""],
                [".h10", ".h01", ".h23"],
                ["", ".h00", ".h33"],
                ["", ".h32", ".h10"],
                [".h1", ".h03", ".h21"],
                [".h0", "", ".h12"],
            ],
        ),
        (
            4,
            "b32:bytes",
            [
                [".b0", "", ""],
                [".b31", "", ""],
                [".b3210", ".b0123", ".b4567"],
                ["", ".b0000", ".b7777"],
                ["", ".b7654", ".b3210"],
                [".b310", ".b0527", ".b6143"],
                [".b32", "", ".b1234"],
            ],
        ),
    ];
    for (lanes, class, selections) in chosen {
        for op in ["vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"] {
            for types in pairs() {
                for how in ["", ".add"] {
                    selected(t, class, &format!("{op}{lanes}.u32.{types}{how}"), [""; 3], true);
                }
                for d in TYPES {
                    selected(t, class, &format!("{op}{lanes}.{d}.{types}.sat"), [""; 3], true);
                }
            }
        }
        for cmp in COMPARISONS {
            for types in pairs() {
                selected(t, class, &format!("vset{lanes}.{types}.{cmp}"), [""; 3], true);
            }
            selected(t, class, &format!("vset{lanes}.s32.u32.{cmp}.add"), [""; 3], true);
        }
        for selection in selections {
            for name in ["vsub.s32.u32.s32", "vsub.s32.u32.s32.sat", "vabsdiff.s32.u32.s32.add"] {
                selected(t, class, &name.replacen('.', &format!("{lanes}."), 1), selection, true);
            }
            selected(t, class, &format!("vset{lanes}.s32.u32.lt"), selection, true);
        }
    }
}

// Adds the forms that the driver compiles as the manual describes them: `docs/assumptions.md`.

fn scalar(t: &mut Table) {
    for op in ["vadd", "vsub", "vabsdiff", "vmin", "vmax"] {
        for types in triples() {
            selected(t, "b32", &format!("{op}.{types}"), [""; 3], false);
            selected(t, "b32", &format!("{op}.{types}.add"), [""; 3], true);
        }
        selected(t, "b32", &format!("{op}.s32.s32.s32.sat"), [""; 3], false);
        for (k, part) in PARTS.into_iter().enumerate() {
            let (a, b) = (PARTS[(k + 2) % PARTS.len()], PARTS[(k + 4) % PARTS.len()]);
            let name = format!("{op}.s32.s32.u32");
            if part != ".h1" {
                selected(t, "b32:bytes", &name, [part, a, b], true);
            }
            selected(t, "b32:bytes", &format!("{name}.add"), ["", part, a], true);
        }
    }
    for second in ["add", "min", "max"] {
        selected(t, "b32", &format!("vadd.s32.s32.s32.sat.{second}"), [""; 3], true);
        selected(t, "b32", &format!("vmin.u32.u32.u32.sat.{second}"), [""; 3], true);
    }
    for cmp in COMPARISONS {
        for types in pairs() {
            selected(t, "b32", &format!("vset.{types}.{cmp}"), [""; 3], false);
        }
        selected(t, "b32:bytes", &format!("vset.s32.u32.{cmp}"), [".b1", ".b0", ".b3"], true);
        selected(t, "b32:halves", &format!("vset.s32.u32.{cmp}.add"), ["", ".h1", ".h0"], true);
    }
}

fn shifts(t: &mut Table) {
    for (op, sat) in [("vshl", ""), ("vshr", ""), ("vshr", ".sat")] {
        for mode in ["clamp", "wrap"] {
            for a in TYPES {
                let name = format!("{op}.{a}.{a}.u32{sat}.{mode}");
                t.op(&name, "b32", "b32 b32:shift");
                t.op(&format!("{name}.add"), "b32", "b32 b32:shift b32");
                let body = format!("{name} %d0, %s0.b3, %s1.h0, %s2;");
                t.body(&format!("{name}-w-b3-h0"), "b32", "b32 b32:shift b32", &body);
            }
        }
    }
}

fn multiply_add(t: &mut Table) {
    let how = [("", "", ""), ("", "-", ""), ("", "", "-"), (".po", "", "")];
    let mut one = |types: &str, more: &str, (po, product, addend): (&str, &str, &str)| {
        let name = format!("vmad.s32.{types}{po}{more}");
        let sign = match (product, addend) {
            ("-", _) => "-minus-product",
            (_, "-") => "-minus-addend",
            _ => "",
        };
        let body = format!("{name} %d0, {product}%s0, %s1, {addend}%s2;");
        t.body(&format!("{name}{sign}"), "b32", "b32 b32 b32", &body);
    };
    for how in how {
        for types in pairs() {
            one(&types, "", how);
        }
        for more in [".shr7", ".shr15", ".sat", ".sat.shr7", ".sat.shr15"] {
            one("s32.s32", more, how);
        }
    }
    for types in pairs() {
        for (a, b) in [(".b0", ".b3"), (".h1", ""), ("", ".h0")] {
            let name = format!("vmad.u32.{types}");
            let body = format!("{name} %d0, -%s0{a}, -%s1{b}, %s2;");
            let part = |s: &str| if s.is_empty() { "w".to_owned() } else { s[1..].to_owned() };
            t.body(&format!("{name}-{}-{}", part(a), part(b)), "b32", "b32:bytes b32:bytes b32", &body);
        }
    }
}
