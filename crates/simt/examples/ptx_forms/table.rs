//! The table of forms: pure instructions here, the rest in its submodules.

mod access;
mod convert;
mod machine;
mod matrix;
mod sparse;
mod video;

use crate::recorded_forms::form::{Compare, Form};

/// Collects forms with their common attributes.
pub(crate) struct Table {
    forms: Vec<(Form, String)>,
    group: &'static str,
    items: usize,
    kept: usize,
    compare: Compare,
}

impl Table {
    fn group(&mut self, group: &'static str) -> &mut Table {
        self.group = group;
        (self.items, self.kept, self.compare) = (4096, 192, Compare::Exact);
        self
    }

    fn size(&mut self, items: usize, kept: usize) -> &mut Table {
        (self.items, self.kept) = (items, kept);
        self
    }

    /// Compares the following forms within `ulp` units in the last place.
    fn near(&mut self, ulp: u32, absolute: f64) -> &mut Table {
        self.compare = Compare::Near { ulp, absolute };
        self
    }

    /// Adds `NAME %d0, %s0, %s1, …`.
    fn op(&mut self, name: &str, result: &str, sources: &str) {
        let sources_n = sources.split_whitespace().count();
        let operands: Vec<String> = (0..sources_n).map(|i| format!("%s{i}")).collect();
        let body = format!("{name} %d0, {};", operands.join(", "));
        self.body(name, result, sources, &body);
    }

    fn body(&mut self, name: &str, results: &str, sources: &str, body: &str) {
        let words = |s: &str| s.split_whitespace().map(str::to_owned).collect();
        let form = Form {
            group: self.group.to_owned(),
            name: name.replace("::", "-").replace('|', "_"),
            results: words(results),
            sources: words(sources),
            items: self.items,
            kept: self.kept,
            compare: self.compare,
        };
        self.forms.push((form, body.to_owned()));
    }
}

pub(crate) fn all() -> Vec<(Form, String)> {
    let mut t = Table { forms: Vec::new(), group: "", items: 0, kept: 0, compare: Compare::Exact };
    single(&mut t);
    double(&mut t);
    half(&mut t);
    approx(&mut t);
    integer(&mut t);
    bits(&mut t);
    compare(&mut t);
    convert::forms(&mut t);
    machine::forms(&mut t);
    matrix::forms(&mut t);
    sparse::forms(&mut t);
    video::forms(&mut t);
    t.forms
}

const ROUNDS: [&str; 4] = [".rn", ".rz", ".rm", ".rp"];

fn single(t: &mut Table) {
    t.group("f32");
    for op in ["add", "sub", "mul"] {
        t.op(&format!("{op}.f32"), "f32", "f32 f32");
    }
    for ftz in ["", ".ftz"] {
        for r in ROUNDS {
            for sat in ["", ".sat"] {
                for op in ["add", "sub", "mul"] {
                    t.op(&format!("{op}{r}{ftz}{sat}.f32"), "f32", "f32 f32");
                }
                t.op(&format!("fma{r}{ftz}{sat}.f32"), "f32", "f32 f32 f32");
            }
            t.op(&format!("mad{r}{ftz}.f32"), "f32", "f32 f32 f32");
            t.op(&format!("div{r}{ftz}.f32"), "f32", "f32 f32");
            t.op(&format!("rcp{r}{ftz}.f32"), "f32", "f32");
            t.op(&format!("sqrt{r}{ftz}.f32"), "f32", "f32");
        }
        for op in ["abs", "neg"] {
            t.op(&format!("{op}{ftz}.f32"), "f32", "f32");
        }
        for op in ["min", "max"] {
            for how in ["", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"] {
                t.op(&format!("{op}{ftz}{how}.f32"), "f32", "f32 f32");
            }
        }
    }
    t.op("copysign.f32", "f32", "f32 f32");
}

fn double(t: &mut Table) {
    t.group("f64");
    for op in ["add", "sub", "mul"] {
        t.op(&format!("{op}.f64"), "f64", "f64 f64");
    }
    for r in ROUNDS {
        for op in ["add", "sub", "mul", "div"] {
            t.op(&format!("{op}{r}.f64"), "f64", "f64 f64");
        }
        t.op(&format!("fma{r}.f64"), "f64", "f64 f64 f64");
        t.op(&format!("mad{r}.f64"), "f64", "f64 f64 f64");
        t.op(&format!("rcp{r}.f64"), "f64", "f64");
        t.op(&format!("sqrt{r}.f64"), "f64", "f64");
    }
    for op in ["abs", "neg"] {
        t.op(&format!("{op}.f64"), "f64", "f64");
    }
    for op in ["min", "max", "copysign"] {
        t.op(&format!("{op}.f64"), "f64", "f64 f64");
    }
}

fn half(t: &mut Table) {
    t.group("half");
    for ty in ["f16", "f16x2"] {
        for op in ["add", "sub", "mul"] {
            for how in ["", ".rn", ".ftz", ".sat", ".ftz.sat", ".rn.ftz.sat"] {
                t.op(&format!("{op}{how}.{ty}"), ty, &format!("{ty} {ty}"));
            }
        }
        for how in ["", ".ftz", ".sat", ".ftz.sat", ".relu", ".ftz.relu"] {
            t.op(&format!("fma.rn{how}.{ty}"), ty, &format!("{ty} {ty} {ty}"));
        }
        for ftz in ["", ".ftz"] {
            t.op(&format!("abs{ftz}.{ty}"), ty, ty);
            t.op(&format!("neg{ftz}.{ty}"), ty, ty);
            for how in ["", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"] {
                t.op(&format!("min{ftz}{how}.{ty}"), ty, &format!("{ty} {ty}"));
                t.op(&format!("max{ftz}{how}.{ty}"), ty, &format!("{ty} {ty}"));
            }
        }
    }
    for ty in ["bf16", "bf16x2"] {
        for op in ["add", "sub", "mul"] {
            for how in ["", ".rn"] {
                t.op(&format!("{op}{how}.{ty}"), ty, &format!("{ty} {ty}"));
            }
        }
        for how in ["", ".relu"] {
            t.op(&format!("fma.rn{how}.{ty}"), ty, &format!("{ty} {ty} {ty}"));
        }
        t.op(&format!("abs.{ty}"), ty, ty);
        t.op(&format!("neg.{ty}"), ty, ty);
        for how in ["", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"] {
            t.op(&format!("min{how}.{ty}"), ty, &format!("{ty} {ty}"));
            t.op(&format!("max{how}.{ty}"), ty, &format!("{ty} {ty}"));
        }
    }
}

fn approx(t: &mut Table) {
    t.group("approx").size(4096, 512);
    for ftz in ["", ".ftz"] {
        t.op(&format!("div.approx{ftz}.f32"), "f32", "f32 f32");
        t.op(&format!("div.full{ftz}.f32"), "f32", "f32 f32");
        t.op(&format!("rcp.approx{ftz}.f32"), "f32", "f32");
        t.op(&format!("sqrt.approx{ftz}.f32"), "f32", "f32");
        t.op(&format!("rsqrt.approx{ftz}.f32"), "f32", "f32");
        t.op(&format!("ex2.approx{ftz}.f32"), "f32", "f32:mod");
        t.op(&format!("lg2.approx{ftz}.f32"), "f32", "f32");
        t.op(&format!("sin.approx{ftz}.f32"), "f32", "f32:mod");
        t.op(&format!("cos.approx{ftz}.f32"), "f32", "f32:mod");
    }
    t.op("rcp.approx.ftz.f64", "f64", "f64");
    t.op("rsqrt.approx.f64", "f64", "f64");
    t.op("rsqrt.approx.ftz.f64", "f64", "f64");
    for (ty, ftz) in [("f16", ""), ("f16x2", ""), ("bf16", ".ftz"), ("bf16x2", ".ftz")] {
        t.op(&format!("ex2.approx{ftz}.{ty}"), ty, ty);
    }
    // Not modelled to the bit: a relative error of 2^-11.
    t.near(1 << 13, 0.0);
    t.op("tanh.approx.f32", "f32", "f32:mod");
    t.near(1, 0.0);
    for ty in ["f16", "f16x2", "bf16", "bf16x2"] {
        t.op(&format!("tanh.approx.{ty}"), ty, ty);
    }
}

const INTS: [&str; 6] = ["u16", "s16", "u32", "s32", "u64", "s64"];

fn integer(t: &mut Table) {
    t.group("integer");
    for ty in INTS {
        let (two, three) = (format!("{ty} {ty}"), format!("{ty} {ty} {ty}"));
        for op in ["add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"] {
            t.op(&format!("{op}.{ty}"), ty, &two);
        }
        for op in ["mad.lo", "mad.hi"] {
            t.op(&format!("{op}.{ty}"), ty, &three);
        }
        if !ty.ends_with("64") {
            let wide = if ty.ends_with("16") { ty.replace("16", "32") } else { ty.replace("32", "64") };
            t.op(&format!("mul.wide.{ty}"), &wide, &two);
            t.op(&format!("mad.wide.{ty}"), &wide, &format!("{two} {wide}"));
        }
        t.op(&format!("sad.{ty}"), ty, &three);
        if ty.starts_with('s') {
            t.op(&format!("abs.{ty}"), ty, ty);
            t.op(&format!("neg.{ty}"), ty, ty);
        }
    }
    t.op("add.sat.s32", "s32", "s32 s32");
    t.op("sub.sat.s32", "s32", "s32 s32");
    t.op("mad.hi.sat.s32", "s32", "s32 s32 s32");
    for ty in ["u16x2", "s16x2"] {
        for op in ["add", "min", "max"] {
            t.op(&format!("{op}.{ty}"), ty, &format!("{ty} {ty}"));
        }
    }
    for op in ["min", "max"] {
        for ty in ["s16x2", "s32"] {
            t.op(&format!("{op}.relu.{ty}"), ty, &format!("{ty} {ty}"));
        }
    }
    for ty in ["u32", "s32"] {
        for part in ["lo", "hi"] {
            t.op(&format!("mul24.{part}.{ty}"), ty, &format!("{ty} {ty}"));
            t.op(&format!("mad24.{part}.{ty}"), ty, &format!("{ty} {ty} {ty}"));
        }
        for other in ["u32", "s32"] {
            t.op(&format!("dp4a.{ty}.{other}"), "b32", "b32 b32 b32");
            for part in ["lo", "hi"] {
                t.op(&format!("dp2a.{part}.{ty}.{other}"), "b32", "b32 b32 b32");
            }
        }
    }
    t.op("mad24.hi.sat.s32", "s32", "s32 s32 s32");
    // Extended precision: a second instruction makes the carry observable.
    for ty in ["u32", "s32", "u64", "s64"] {
        let body = |op: &str| format!("{op}.cc.{ty} %d0, %s0, %s1;\n{op}c.{ty} %d1, %s2, %s3;");
        let (two, four) = (format!("{ty} {ty}"), format!("{ty} {ty} {ty} {ty}"));
        t.body(&format!("add.cc-addc.{ty}"), &two, &four, &body("add"));
        t.body(&format!("sub.cc-subc.{ty}"), &two, &four, &body("sub"));
        let three = format!("{ty} {ty} {ty}");
        for op in ["add", "sub"] {
            // A chain of three, the middle one both reading and writing the carry.
            let b = format!(
                "{op}.cc.{ty} %d0, %s0, %s1;\n{op}c.cc.{ty} %d1, %s1, %s2;\n{op}c.{ty} %d2, %s2, %s0;"
            );
            t.body(&format!("{op}.cc-{op}c.cc-{op}c.{ty}"), &three, &three, &b);
        }
        for part in ["lo", "hi"] {
            let b = format!("mad.{part}.cc.{ty} %d0, %s0, %s1, %s2;\naddc.{ty} %d1, %s3, 0;");
            t.body(&format!("mad.{part}.cc.{ty}"), &two, &four, &b);
            let b = format!(
                "add.cc.{ty} %d0, %s0, %s1;\nmadc.{part}.cc.{ty} %d1, %s1, %s2, %s3;\naddc.{ty} %d2, 0, 0;"
            );
            t.body(&format!("madc.{part}.cc.{ty}"), &three, &four, &b);
        }
    }
}

fn bits(t: &mut Table) {
    t.group("bits");
    for ty in ["b32", "b64"] {
        t.op(&format!("popc.{ty}"), "u32", ty);
        t.op(&format!("clz.{ty}"), "u32", ty);
        t.op(&format!("brev.{ty}"), ty, ty);
        t.op(&format!("bfi.{ty}"), ty, &format!("{ty} {ty} b32:shift b32:shift"));
    }
    for ty in ["u32", "s32", "u64", "s64"] {
        t.op(&format!("bfind.{ty}"), "u32", ty);
        t.op(&format!("bfind.shiftamt.{ty}"), "u32", ty);
        t.op(&format!("bfe.{ty}"), ty, &format!("{ty} b32:shift b32:shift"));
    }
    t.op("fns.b32", "b32", "b32 b32:lane s32:offset");
    for how in ["clamp", "wrap"] {
        t.op(&format!("bmsk.{how}.b32"), "b32", "b32:shift b32:shift");
        for ty in ["u32", "s32"] {
            t.op(&format!("szext.{how}.{ty}"), ty, &format!("{ty} u32:shift"));
        }
        for side in ["l", "r"] {
            t.op(&format!("shf.{side}.{how}.b32"), "b32", "b32 b32 b32:shift");
        }
    }
    for ty in ["b16", "b32", "b64"] {
        for op in ["and", "or", "xor"] {
            t.op(&format!("{op}.{ty}"), ty, &format!("{ty} {ty}"));
        }
        t.op(&format!("not.{ty}"), ty, ty);
        t.op(&format!("cnot.{ty}"), ty, ty);
        t.op(&format!("shl.{ty}"), ty, &format!("{ty} u32:shift"));
    }
    for ty in ["b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64"] {
        t.op(&format!("shr.{ty}"), ty, &format!("{ty} u32:shift"));
    }
    for op in ["and", "or", "xor"] {
        t.op(&format!("{op}.pred"), "pred", "pred pred");
    }
    t.op("not.pred", "pred", "pred");
    for table in [0x00u8, 0x01, 0x17, 0x69, 0x80, 0x96, 0xca, 0xe8, 0xf0, 0xfe] {
        t.body(
            &format!("lop3.b32-{table:02x}"),
            "b32",
            "b32 b32 b32",
            &format!("lop3.b32 %d0, %s0, %s1, %s2, {table};"),
        );
    }
    for op in ["and", "or"] {
        t.body(
            &format!("lop3.{op}.b32"),
            "b32 pred",
            "b32:mask b32:mask b32:mask pred",
            &format!("lop3.{op}.b32 %d0|%d1, %s0, %s1, %s2, 0x80, %s3;"),
        );
    }
    for mode in ["", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"] {
        t.op(&format!("prmt.b32{mode}"), "b32", "b32 b32 b32");
    }
}

fn compare(t: &mut Table) {
    t.group("compare").size(2048, 96);
    let float = ["eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"];
    for cmp in float {
        for ty in ["f32", "ftz.f32", "f64", "f16", "ftz.f16", "bf16"] {
            let reg = ty.trim_start_matches("ftz.");
            t.op(&format!("setp.{cmp}.{ty}"), "pred", &format!("{reg} {reg}"));
        }
        for ty in ["f16x2", "bf16x2"] {
            let body = format!("setp.{cmp}.{ty} %d0|%d1, %s0, %s1;");
            t.body(&format!("setp.{cmp}.{ty}"), "pred pred", &format!("{ty} {ty}"), &body);
        }
        t.op(&format!("set.{cmp}.u32.f32"), "u32", "f32 f32");
        t.op(&format!("set.{cmp}.ftz.f32.f32"), "f32", "f32 f32");
        t.op(&format!("set.{cmp}.f32.f64"), "f32", "f64 f64");
    }
    for ty in ["u16", "s16", "u32", "s32", "u64", "s64", "b16", "b32", "b64"] {
        let list: &[&str] = match ty.as_bytes()[0] {
            b'u' => &["eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"],
            b's' => &["eq", "ne", "lt", "le", "gt", "ge"],
            _ => &["eq", "ne"],
        };
        for cmp in list {
            t.op(&format!("setp.{cmp}.{ty}"), "pred", &format!("{ty} {ty}"));
        }
        t.op(&format!("set.{}.u32.{ty}", list[list.len() - 1]), "u32", &format!("{ty} {ty}"));
        t.op(&format!("set.{}.f32.{ty}", list[1]), "f32", &format!("{ty} {ty}"));
        t.op(&format!("selp.{ty}"), ty, &format!("{ty} {ty} pred"));
        t.op(&format!("slct.{ty}.s32"), ty, &format!("{ty} {ty} s32"));
        t.op(&format!("slct.{ty}.f32"), ty, &format!("{ty} {ty} f32"));
    }
    for ty in ["f32", "f64"] {
        t.op(&format!("selp.{ty}"), ty, &format!("{ty} {ty} pred"));
        t.op(&format!("slct.{ty}.s32"), ty, &format!("{ty} {ty} s32"));
        t.op(&format!("slct.ftz.{ty}.f32"), ty, &format!("{ty} {ty} f32"));
        for test in ["finite", "infinite", "number", "notanumber", "normal", "subnormal"] {
            t.op(&format!("testp.{test}.{ty}"), "pred", ty);
        }
    }
    for op in ["and", "or", "xor"] {
        let body = format!("setp.lt.{op}.s32 %d0|%d1, %s0, %s1, %s2;");
        t.body(&format!("setp.lt.{op}.s32"), "pred pred", "s32 s32 pred", &body);
        let body = format!("setp.geu.{op}.f32 %d0|%d1, %s0, %s1, !%s2;");
        t.body(&format!("setp.geu.{op}.f32-not"), "pred pred", "f32 f32 pred", &body);
        t.op(&format!("set.gt.{op}.s32.f32"), "s32", "f32 f32 pred");
        t.op(&format!("set.le.{op}.f32.u32"), "f32", "u32 u32 pred");
    }
    for cmp in ["eq", "ne", "lt", "leu", "num", "nan"] {
        for (ty, dst) in [("f16", "f16"), ("f16", "u16"), ("f16", "s32"), ("bf16", "bf16"), ("bf16", "u32")] {
            t.op(&format!("set.{cmp}.{dst}.{ty}"), dst, &format!("{ty} {ty}"));
        }
        for (ty, dst) in [("f16x2", "f16x2"), ("bf16x2", "bf16x2")] {
            t.op(&format!("set.{cmp}.{dst}.{ty}"), dst, &format!("{ty} {ty}"));
        }
    }
    t.op("set.lt.ftz.f16x2.f16x2", "f16x2", "f16x2 f16x2");
    t.op("set.lt.ftz.f16.f16", "f16", "f16 f16");
}
