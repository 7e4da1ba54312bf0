//! `mma.sp` and `mma.sp::ordered_metadata`.

use super::Table;
use super::matrix::{Regs, list};

/// A shape and types.
#[derive(Clone, Copy)]
struct Sparse {
    shape: &'static str,
    /// The types of D, A, B and C, with `.satfinite` in front if it applies.
    types: &'static str,
    /// The registers of A or B.
    ab: Regs,
    /// The registers of C or D.
    cd: Regs,
}

impl Sparse {
    /// Adds the instruction with a selector and metadata of a class.
    fn add(self, t: &mut Table, variant: &str, suffix: &str, selector: u32, metadata: &str) {
        let Sparse { shape, types, ab, cd } = self;
        let mnemonic = format!("mma.{variant}.sync.aligned.{shape}.row.col.{types}");
        let words = |r: Regs| vec![r.1; r.0];
        let sources = [words(ab), words(ab), words(cd), vec![metadata]].concat();
        let result = cd.1.split(':').next().unwrap_or(cd.1);
        let body = format!(
            "{mnemonic} {}, {}, {}, {}, %s{}, {selector};",
            list("d", 0, cd.0),
            list("s", 0, ab.0),
            list("s", ab.0, ab.0),
            list("s", 2 * ab.0, cd.0),
            sources.len() - 1,
        );
        let name = format!("{mnemonic}{suffix}-{selector}");
        t.body(&name, &vec![result; cd.0].join(" "), &sources.join(" "), &body);
    }

    /// Adds both variants, and all selectors of one.
    fn variants(self, t: &mut Table, suffix: &str, selectors: u32, [ordered, any]: [&str; 2]) {
        self.add(t, "sp::ordered_metadata", suffix, selectors - 1, ordered);
        for selector in 0..selectors {
            self.add(t, "sp", suffix, selector, any);
        }
    }
}

const PAIRS: [&str; 2] = ["b32:metadata", "b32:metadata-pairs"];

pub(super) fn forms(t: &mut Table) {
    t.group("mma-sp").size(256, 32);
    floats(t);
    integers(t);
}

fn floats(t: &mut Table) {
    for (shape, n, selectors) in [("m16n8k16", 2, 4), ("m16n8k32", 4, 2)] {
        for (suffix, half, bf16, single) in
            [("", "f16x2:unit", "bf16x2:unit", "f32:unit"), ("-any", "f16x2", "bf16x2", "f32")]
        {
            let sparse = |types, ab, cd| Sparse { shape, types, ab: (n, ab), cd };
            sparse("f32.f16.f16.f32", half, (4, single)).variants(t, suffix, selectors, PAIRS);
            sparse("f16.f16.f16.f16", half, (2, half)).variants(t, suffix, selectors, PAIRS);
            sparse("f32.bf16.bf16.f32", bf16, (4, single)).variants(t, suffix, selectors, PAIRS);
        }
    }
    for (shape, n, selectors) in [("m16n8k8", 2, 4), ("m16n8k16", 4, 2)] {
        for (suffix, tf32, single) in [("", "tf32:unit", "f32:unit"), ("-any", "tf32", "f32")] {
            let sparse = Sparse { shape, types: "f32.tf32.tf32.f32", ab: (n, tf32), cd: (4, single) };
            sparse.variants(t, suffix, selectors, ["b32:metadata-halves"; 2]);
        }
    }
    for types in ["f32.e4m3.e4m3.f32", "f32.e5m2.e5m2.f32", "f32.e4m3.e5m2.f32", "f32.e5m2.e4m3.f32"] {
        for (suffix, class) in [("", "b32"), ("-small", "b32:fp8")] {
            let sparse = Sparse { shape: "m16n8k64", types, ab: (4, class), cd: (4, "f32:unit") };
            sparse.variants(t, suffix, 1, PAIRS);
        }
    }
}

fn integers(t: &mut Table) {
    let eight = ["s32.s8.s8.s32", "s32.u8.u8.s32", "satfinite.s32.s8.u8.s32", "satfinite.s32.u8.s8.s32"];
    let four = ["s32.s4.s4.s32", "s32.u4.u4.s32", "satfinite.s32.s4.u4.s32", "satfinite.s32.u4.s4.s32"];
    for (all, shapes) in [(eight, ["m16n8k32", "m16n8k64"]), (four, ["m16n8k64", "m16n8k128"])] {
        for (shape, n, selectors) in [(shapes[0], 2, 2), (shapes[1], 4, 1)] {
            for types in all {
                let sparse = Sparse { shape, types, ab: (n, "b32"), cd: (4, "s32") };
                sparse.variants(t, "", selectors, PAIRS);
            }
        }
    }
}
