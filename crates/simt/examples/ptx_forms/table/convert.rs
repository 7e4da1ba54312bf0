//! `cvt` and `cvt.pack`.

use super::Table;

const INTS: [&str; 8] = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"];

fn bits(ty: &str) -> u32 {
    ty.trim_start_matches(|c: char| c.is_alphabetic()).parse().unwrap_or(0)
}

pub(crate) fn forms(t: &mut Table) {
    t.group("cvt").size(2048, 128);
    for from in INTS {
        for to in INTS {
            if from != to {
                t.op(&format!("cvt.{to}.{from}"), to, from);
            }
            // Saturation has an effect only if the range shrinks.
            let shrinks = bits(to) < bits(from)
                || from.starts_with('s') && to.starts_with('u')
                || from.starts_with('u') && to.starts_with('s') && bits(to) == bits(from);
            if shrinks {
                t.op(&format!("cvt.sat.{to}.{from}"), to, from);
            }
        }
        for to in ["f16", "bf16", "f32", "f64"] {
            for r in super::ROUNDS {
                // Conversions between bf16 and 8 bits do not exist.
                let exists = to != "bf16" || bits(from) > 8;
                if exists && (bits(from) >= 32 || r == ".rn") {
                    t.op(&format!("cvt{r}.{to}.{from}"), to, from);
                }
            }
        }
        t.op(&format!("cvt.rn.sat.f32.{from}"), "f32", from);
        for r in [".rni", ".rzi", ".rmi", ".rpi"] {
            for ty in ["f16", "bf16", "f32", "f64"] {
                let class = match ty {
                    "f32" => "f32:cvt",
                    "f64" => "f64:cvt",
                    other => other,
                };
                let exists = ty != "bf16" || bits(from) > 8;
                if exists && (r == ".rni" || r == ".rzi" || bits(from) >= 32) {
                    t.op(&format!("cvt{r}.{from}.{ty}"), from, class);
                }
            }
        }
        t.op(&format!("cvt.rni.ftz.{from}.f32"), from, "f32:cvt");
        t.op(&format!("cvt.rpi.ftz.{from}.f32"), from, "f32");
        t.op(&format!("cvt.rzi.sat.{from}.f32"), from, "f32:cvt");
    }
    float(t);
    narrow(t);
    t.op("cvt.pack.sat.u16.s32", "b32", "s32 s32");
    t.op("cvt.pack.sat.s16.s32", "b32", "s32 s32");
    for to in ["u8", "s8", "u4", "s4"] {
        t.op(&format!("cvt.pack.sat.{to}.s32.b32"), "b32", "s32 s32 b32");
    }
}

/// Adds conversions between the ordinary floating-point types.
fn float(t: &mut Table) {
    for r in super::ROUNDS {
        for ftz in ["", ".ftz"] {
            t.op(&format!("cvt{r}{ftz}.f16.f32"), "f16", "f32:half");
            t.op(&format!("cvt{r}{ftz}.f32.f64"), "f32", "f64:cvt");
        }
        t.op(&format!("cvt{r}.f16.f64"), "f16", "f64:cvt");
        t.op(&format!("cvt{r}.sat.f16.f32"), "f16", "f32:half");
        t.op(&format!("cvt{r}.sat.f32.f64"), "f32", "f64");
        t.op(&format!("cvt{r}.bf16.f64"), "bf16", "f64:cvt");
        t.op(&format!("cvt{r}.bf16.f16"), "bf16", "f16");
        t.op(&format!("cvt{r}.f16.bf16"), "f16", "bf16");
    }
    for ftz in ["", ".ftz"] {
        for sat in ["", ".sat"] {
            t.op(&format!("cvt{ftz}{sat}.f32.f16"), "f32", "f16");
            t.op(&format!("cvt{ftz}{sat}.f64.f32"), "f64", "f32");
            t.op(&format!("cvt{ftz}{sat}.f32.f32"), "f32", "f32");
        }
    }
    t.op("cvt.f32.bf16", "f32", "bf16");
    t.op("cvt.f64.bf16", "f64", "bf16");
    t.op("cvt.f64.f16", "f64", "f16");
    t.op("cvt.sat.f64.f64", "f64", "f64");
    for r in [".rni", ".rzi", ".rmi", ".rpi"] {
        for (ty, class) in [("f16", "f16"), ("bf16", "bf16"), ("f32", "f32:cvt"), ("f64", "f64:cvt")] {
            t.op(&format!("cvt{r}.{ty}.{ty}"), ty, class);
        }
        t.op(&format!("cvt{r}.ftz.f32.f32"), "f32", "f32");
        t.op(&format!("cvt{r}.sat.f32.f32"), "f32", "f32:cvt");
        t.op(&format!("cvt{r}.sat.f64.f64"), "f64", "f64:cvt");
    }
}

/// Adds conversions of halves, tf32 and the 8-bit formats, with `.relu` and `.satfinite`.
fn narrow(t: &mut Table) {
    for r in [".rn", ".rz"] {
        for relu in ["", ".relu"] {
            for finite in ["", ".satfinite"] {
                for ty in ["f16", "bf16"] {
                    if (r, relu, finite, ty) != (".rn", "", "", "f16")
                        && (r, relu, finite, ty) != (".rz", "", "", "f16")
                    {
                        t.op(&format!("cvt{r}{relu}{finite}.{ty}.f32"), ty, "f32:half");
                    }
                    t.op(
                        &format!("cvt{r}{relu}{finite}.{ty}x2.f32"),
                        &format!("{ty}x2"),
                        "f32:half f32:half",
                    );
                }
            }
            t.op(&format!("cvt{r}{relu}.tf32.f32"), "b32", "f32");
        }
    }
    t.op("cvt.rna.tf32.f32", "b32", "f32");
    for relu in ["", ".relu"] {
        for ty in ["e4m3x2", "e5m2x2"] {
            t.op(&format!("cvt.rn.satfinite{relu}.{ty}.f32"), ty, "f32:half f32:half");
            t.op(&format!("cvt.rn.satfinite{relu}.{ty}.f16x2"), ty, "f16x2");
            t.op(&format!("cvt.rn{relu}.f16x2.{ty}"), "f16x2", ty);
        }
    }
}
