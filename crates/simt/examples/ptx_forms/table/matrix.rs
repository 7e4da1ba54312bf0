//! `mma`, `wmma`, `ldmatrix`, `stmatrix`, `movmatrix`.

use super::Table;

/// A fragment's registers: their number and input class.
pub(super) type Regs = (usize, &'static str);

pub(super) fn list(prefix: &str, from: usize, n: usize) -> String {
    let all: Vec<String> = (from..from + n).map(|i| format!("%{prefix}{i}")).collect();
    format!("{{{}}}", all.join(", "))
}

fn mma(t: &mut Table, mnemonic: &str, suffix: &str, d: Regs, a: Regs, b: Regs, c: Regs) {
    let words = |r: Regs| vec![r.1; r.0];
    let sources = [words(a), words(b), words(c)].concat().join(" ");
    let results = words(d).join(" ");
    // Results have types without distributions.
    let results: Vec<&str> = results.split(' ').map(|r| r.split(':').next().unwrap_or(r)).collect();
    let body = format!(
        "{mnemonic} {}, {}, {}, {};",
        list("d", 0, d.0),
        list("s", 0, a.0),
        list("s", a.0, b.0),
        list("s", a.0 + b.0, c.0)
    );
    t.body(&format!("{mnemonic}{suffix}"), &results.join(" "), &sources, &body);
}

pub(crate) fn forms(t: &mut Table) {
    t.group("mma").size(512, 128);
    // Half inputs, both accumulators, ordinary and arbitrary values.
    for (ty, unit, any) in [("f16", "f16x2:unit", "f16x2"), ("bf16", "bf16x2:unit", "bf16x2")] {
        for (shape, a, b) in [("m16n8k8", 2, 1), ("m16n8k16", 4, 2)] {
            for (suffix, half, acc) in [("", unit, "f32:unit"), ("-any", any, "f32")] {
                let name = format!("mma.sync.aligned.{shape}.row.col.f32.{ty}.{ty}.f32");
                mma(t, &name, suffix, (4, acc), (a, half), (b, half), (4, acc));
                if ty == "f16" {
                    let name = format!("mma.sync.aligned.{shape}.row.col.f16.f16.f16.f16");
                    mma(t, &name, suffix, (2, half), (a, half), (b, half), (2, half));
                }
            }
        }
    }
    for (shape, a, b) in [("m16n8k4", 2, 1), ("m16n8k8", 4, 2)] {
        for (suffix, class) in [("", "f32:unit"), ("-any", "f32")] {
            // tf32 operands are `.b32` registers.
            let name = format!("mma.sync.aligned.{shape}.row.col.f32.tf32.tf32.f32");
            let word = if suffix.is_empty() { "tf32:unit" } else { "tf32" };
            mma(t, &name, suffix, (4, class), (a, word), (b, word), (4, class));
        }
    }
    for (shape, a, b, c) in
        [("m8n8k4", 1, 1, 2), ("m16n8k4", 2, 1, 4), ("m16n8k8", 4, 2, 4), ("m16n8k16", 8, 4, 4)]
    {
        for (suffix, class) in [("", "f64:unit"), ("-any", "f64")] {
            let name = format!("mma.sync.aligned.{shape}.row.col.f64.f64.f64.f64");
            mma(t, &name, suffix, (c, class), (a, class), (b, class), (c, class));
        }
    }
    for (shape, a, b, c) in [("m8n8k16", 1, 1, 2), ("m16n8k16", 2, 1, 4), ("m16n8k32", 4, 2, 4)] {
        for (x, y) in [("s8", "s8"), ("u8", "u8"), ("s8", "u8"), ("u8", "s8")] {
            for sat in ["", ".satfinite"] {
                let name = format!("mma.sync.aligned.{shape}.row.col{sat}.s32.{x}.{y}.s32");
                mma(t, &name, "", (c, "s32"), (a, "b32"), (b, "b32"), (c, "s32"));
            }
        }
    }
    for (shape, a, b, c) in [("m8n8k32", 1, 1, 2), ("m16n8k32", 2, 1, 4), ("m16n8k64", 4, 2, 4)] {
        for (x, y) in [("s4", "s4"), ("u4", "u4"), ("s4", "u4")] {
            let name = format!("mma.sync.aligned.{shape}.row.col.s32.{x}.{y}.s32");
            mma(t, &name, "", (c, "s32"), (a, "b32"), (b, "b32"), (c, "s32"));
        }
    }
    for (shape, a, b, c) in [("m8n8k128", 1, 1, 2), ("m16n8k128", 2, 1, 4), ("m16n8k256", 4, 2, 4)] {
        for op in ["xor", "and"] {
            let name = format!("mma.sync.aligned.{shape}.row.col.s32.b1.b1.s32.{op}.popc");
            mma(t, &name, "", (c, "s32"), (a, "b32"), (b, "b32"), (c, "s32"));
        }
    }
    for (x, y) in [("e4m3", "e4m3"), ("e5m2", "e5m2"), ("e4m3", "e5m2"), ("e5m2", "e4m3")] {
        let name = format!("mma.sync.aligned.m16n8k32.row.col.f32.{x}.{y}.f32");
        mma(t, &name, "", (4, "f32:unit"), (4, "b32"), (2, "b32"), (4, "f32:unit"));
        mma(t, &name, "-small", (4, "f32:unit"), (4, "b32:fp8"), (2, "b32:fp8"), (4, "f32:unit"));
    }
    for (la, lb) in [("row", "col"), ("row", "row"), ("col", "col"), ("col", "row")] {
        let name = format!("mma.sync.aligned.m8n8k4.{la}.{lb}.f32.f16.f16.f32");
        mma(t, &name, "", (8, "f32:unit"), (2, "f16x2:unit"), (2, "f16x2:unit"), (8, "f32:unit"));
        let name = format!("mma.sync.aligned.m8n8k4.{la}.{lb}.f16.f16.f16.f16");
        mma(t, &name, "", (4, "f16x2:unit"), (2, "f16x2:unit"), (2, "f16x2:unit"), (4, "f16x2:unit"));
    }
    lanes(t);
    wmma_fragments(t);
    wmma_products(t);
}

/// Adds `ldmatrix`, `stmatrix` and `movmatrix`: moves of 8x8 matrices between shared memory and lanes.
fn lanes(t: &mut Table) {
    t.group("ldmatrix").size(128, 128);
    let setup = ".shared .align 16 .b8 cells[2048];\n.reg .b32 %at, %base;\nmov.u32 %base, cells;\nmad.lo.u32 %at, %thread, 16, %base;\n";
    // A warp's four matrices are its 32 rows of 16 bytes; the lanes' addresses descend.
    let rows = "xor.b32 %at, %thread, 31;\nmad.lo.u32 %at, %at, 16, %base;\n";
    for trans in ["", ".trans"] {
        for n in [1, 2, 4] {
            let results = vec!["b32"; n].join(" ");
            let body = format!(
                "{setup}st.shared.v4.b32 [%at], {{%s0, %s1, %s2, %s3}};\nbar.sync 0;\n{rows}ldmatrix.sync.aligned.m8n8.x{n}{trans}.shared.b16 {}, [%at];",
                list("d", 0, n)
            );
            t.body(&format!("ldmatrix.x{n}{trans}"), &results, "b32 b32 b32 b32", &body);
            let sources = vec!["b32"; n].join(" ");
            let body = format!(
                "{setup}.reg .b32 %z;\nmov.b32 %z, 0;\nst.shared.v4.b32 [%at], {{%z, %z, %z, %z}};\nbar.sync 0;\n{rows}stmatrix.sync.aligned.m8n8.x{n}{trans}.shared.b16 [%at], {};\nbar.sync 0;\n\
                 mad.lo.u32 %at, %thread, 16, %base;\nld.shared.v4.b32 {{%d0, %d1, %d2, %d3}}, [%at];",
                list("s", 0, n)
            );
            t.body(&format!("stmatrix.x{n}{trans}"), "b32 b32 b32 b32", &sources, &body);
        }
    }
    t.op("movmatrix.sync.aligned.m8n8.trans.b16", "b32", "b32");
}

/// Adds loads that show which element of a matrix each lane's fragment registers contain.
fn wmma_fragments(t: &mut Table) {
    t.group("wmma").size(128, 32);
    // Half-word i of the warp's 2048 bytes contains i, so that a loaded value identifies its element.
    let mut fill = String::from(
        ".reg .b32 %w;\n.reg .b64 %base, %back;\nmul.wide.u32 %back, %lane, 64;\nsub.u64 %base, %scratch, %back;\nmad.lo.u32 %w, %lane, 2097184, 65536;\n",
    );
    for i in 0..16 {
        fill += &format!("st.global.b32 [%scratch+{}], %w;\nadd.u32 %w, %w, 131074;\n", 4 * i);
    }
    fill += "bar.warp.sync -1;\n";
    // The same fill with 32-bit words.
    let words = {
        let mut f = String::from(
            ".reg .b32 %w;\n.reg .b64 %base, %back;\nmul.wide.u32 %back, %lane, 64;\nsub.u64 %base, %scratch, %back;\nmul.lo.u32 %w, %lane, 16;\n",
        );
        for i in 0..16 {
            f += &format!("st.global.b32 [%scratch+{}], %w;\nadd.u32 %w, %w, 1;\n", 4 * i);
        }
        f + "bar.warp.sync -1;\n"
    };
    let mut load = |fill: &str, name: &str, n: usize, result: &str, stride: usize| {
        let results = vec![result; n].join(" ");
        let body = format!("{fill}{name} {}, [%base], {stride};", list("d", 0, n));
        t.body(name, &results, "", &body);
    };
    for layout in ["row", "col"] {
        for (shape, m, n) in [("m16n16k16", 16, 16), ("m32n8k16", 32, 8), ("m8n32k16", 8, 32)] {
            let k = 16;
            let (sa, sb) = if layout == "row" { (k, n) } else { (m, k) };
            let sc = if layout == "row" { n } else { m };
            load(&fill, &format!("wmma.load.a.sync.aligned.{layout}.{shape}.global.f16"), 8, "b32", sa);
            load(&fill, &format!("wmma.load.b.sync.aligned.{layout}.{shape}.global.f16"), 8, "b32", sb);
            load(&fill, &format!("wmma.load.c.sync.aligned.{layout}.{shape}.global.f16"), 4, "b32", sc);
            load(&words, &format!("wmma.load.c.sync.aligned.{layout}.{shape}.global.f32"), 8, "f32", sc);
            load(&words, &format!("wmma.load.c.sync.aligned.{layout}.{shape}.global.s32"), 8, "b32", sc);
            let regs = |m: usize| {
                if m == 16 {
                    4
                } else if m == 32 {
                    8
                } else {
                    2
                }
            };
            load(
                &fill,
                &format!("wmma.load.a.sync.aligned.{layout}.{shape}.global.bf16"),
                regs(m),
                "b32",
                sa,
            );
            load(
                &fill,
                &format!("wmma.load.b.sync.aligned.{layout}.{shape}.global.bf16"),
                regs(n),
                "b32",
                sb,
            );
            let regs = |m: usize| {
                if m == 16 {
                    2
                } else if m == 32 {
                    4
                } else {
                    1
                }
            };
            load(&fill, &format!("wmma.load.a.sync.aligned.{layout}.{shape}.global.s8"), regs(m), "b32", sa);
            load(&fill, &format!("wmma.load.b.sync.aligned.{layout}.{shape}.global.u8"), regs(n), "b32", sb);
        }
        let (sa, sb) = if layout == "row" { (8, 16) } else { (16, 8) };
        load(&words, &format!("wmma.load.a.sync.aligned.{layout}.m16n16k8.global.tf32"), 4, "b32", sa);
        load(&words, &format!("wmma.load.b.sync.aligned.{layout}.m16n16k8.global.tf32"), 4, "b32", sb);
        load(&words, &format!("wmma.load.c.sync.aligned.{layout}.m16n16k8.global.f32"), 8, "f32", 16);
        let (sa, sb) = if layout == "row" { (4, 8) } else { (8, 4) };
        load(&words, &format!("wmma.load.a.sync.aligned.{layout}.m8n8k4.global.f64"), 1, "f64", sa);
        load(&words, &format!("wmma.load.b.sync.aligned.{layout}.m8n8k4.global.f64"), 1, "f64", sb);
        load(&words, &format!("wmma.load.c.sync.aligned.{layout}.m8n8k4.global.f64"), 2, "f64", 8);
        load(&words, &format!("wmma.load.c.sync.aligned.{layout}.m8n8k32.global.s32"), 2, "b32", 8);
        load(&words, &format!("wmma.load.c.sync.aligned.{layout}.m8n8k128.global.s32"), 2, "b32", 8);
    }
    load(&fill, "wmma.load.a.sync.aligned.row.m8n8k32.global.s4", 1, "b32", 32);
    load(&fill, "wmma.load.b.sync.aligned.col.m8n8k32.global.u4", 1, "b32", 32);
    load(&fill, "wmma.load.a.sync.aligned.row.m8n8k128.global.b1", 1, "b32", 128);
    load(&fill, "wmma.load.b.sync.aligned.col.m8n8k128.global.b1", 1, "b32", 128);
}

/// Adds whole products through memory: A and B in the first kilobyte of the warp's scratch, C and then D in
/// the second.
fn wmma_products(t: &mut Table) {
    t.group("wmma-mma").size(512, 128);
    struct Product {
        shape: &'static str,
        sizes: (usize, usize, usize),
        /// PTX type, input class, registers of A and of B.
        ab: (&'static str, &'static str, usize, usize),
        /// PTX type of C and D, input class, register type, registers.
        cd: (&'static str, &'static str, &'static str, usize),
        bytes: (usize, usize),
    }
    let mut all = Vec::new();
    for (shape, sizes) in [("m16n16k16", (16, 16, 16)), ("m32n8k16", (32, 8, 16)), ("m8n32k16", (8, 32, 16))]
    {
        all.push(Product {
            shape,
            sizes,
            ab: ("f16", "f16x2:unit", 8, 8),
            cd: ("f32", "f32:unit", "f32", 8),
            bytes: (2, 4),
        });
        all.push(Product {
            shape,
            sizes,
            ab: ("f16", "f16x2:unit", 8, 8),
            cd: ("f16", "f16x2:unit", "b32", 4),
            bytes: (2, 2),
        });
        let regs = |m: usize| m / 4;
        all.push(Product {
            shape,
            sizes,
            ab: ("bf16", "bf16x2:unit", regs(sizes.0), regs(sizes.1)),
            cd: ("f32", "f32:unit", "f32", 8),
            bytes: (2, 4),
        });
        let regs = |m: usize| m / 8;
        all.push(Product {
            shape,
            sizes,
            ab: ("s8", "b32", regs(sizes.0), regs(sizes.1)),
            cd: ("s32", "s32", "b32", 8),
            bytes: (1, 4),
        });
        all.push(Product {
            shape,
            sizes,
            ab: ("u8", "b32", regs(sizes.0), regs(sizes.1)),
            cd: ("s32", "s32", "b32", 8),
            bytes: (1, 4),
        });
    }
    all.push(Product {
        shape: "m16n16k8",
        sizes: (16, 16, 8),
        ab: ("tf32", "tf32:unit", 4, 4),
        cd: ("f32", "f32:unit", "f32", 8),
        bytes: (4, 4),
    });
    all.push(Product {
        shape: "m8n8k4",
        sizes: (8, 8, 4),
        ab: ("f64", "f64:unit", 1, 1),
        cd: ("f64", "f64:unit", "f64", 2),
        bytes: (8, 8),
    });
    for p in all {
        for (la, lb, ld) in [("row", "col", "row"), ("col", "row", "col")] {
            let ((m, n, k), (ab, ab_class, ra, rb), (cd, cd_class, cd_reg, rc)) = (p.sizes, p.ab, p.cd);
            let shape = p.shape;
            let double = p.bytes.0 == 8;
            // Words of A and B, then words of C: each lane supplies 8 of each (4 doubles of each).
            let half = if double { 4 } else { 8 };
            let step = 64 / (2 * half);
            let mut body = String::from(
                ".reg .b64 %base, %back, %b, %c, %at;\nmul.wide.u32 %back, %lane, 64;\nsub.u64 %base, %scratch, %back;\nmul.wide.u32 %at, %lane, 32;\nadd.u64 %at, %base, %at;\n",
            );
            for i in 0..half {
                let st = |c: &str| {
                    let reg = crate::recorded_forms::form::register(c).0;
                    if reg.starts_with(".f") { reg.to_owned() } else { format!(".b{}", step * 8) }
                };
                body += &format!("st.global{} [%at+{}], %s{i};\n", st(ab_class), i * step);
                body += &format!("st.global{} [%at+{}], %s{};\n", st(cd_class), 1024 + i * step, half + i);
            }
            body += &format!(
                "bar.warp.sync -1;\nadd.u64 %b, %base, {};\nadd.u64 %c, %base, 1024;\n",
                m * k * p.bytes.0
            );
            let ab_reg = if ab == "f64" { ".f64" } else { ".b32" };
            let cd_reg = if cd_reg == "f32" {
                ".f32"
            } else if cd_reg == "f64" {
                ".f64"
            } else {
                ".b32"
            };
            body += &format!(".reg {ab_reg} %fa<{ra}>, %fb<{rb}>;\n.reg {cd_reg} %fc<{rc}>, %fd<{rc}>;\n");
            let stride = |layout: &str, rows: usize, cols: usize| if layout == "row" { cols } else { rows };
            body += &format!(
                "wmma.load.a.sync.aligned.{la}.{shape}.global.{ab} {}, [%base], {};\n",
                list("fa", 0, ra),
                stride(la, m, k)
            );
            body += &format!(
                "wmma.load.b.sync.aligned.{lb}.{shape}.global.{ab} {}, [%b], {};\n",
                list("fb", 0, rb),
                stride(lb, k, n)
            );
            body += &format!(
                "wmma.load.c.sync.aligned.{ld}.{shape}.global.{cd} {}, [%c], {};\n",
                list("fc", 0, rc),
                stride(ld, m, n)
            );
            let types = if ab == "f16" { format!("{cd}.{cd}") } else { format!("{cd}.{ab}.{ab}.{cd}") };
            let mnemonic = format!("wmma.mma.sync.aligned.{la}.{lb}.{shape}.{types}");
            let rnd = if ab == "f64" {
                mnemonic.replace(".f64.f64", ".rn.f64.f64").replacen(
                    ".rn.f64.f64.rn.f64.f64",
                    ".rn.f64.f64.f64.f64",
                    1,
                )
            } else {
                mnemonic.clone()
            };
            body += &format!(
                "{rnd} {}, {}, {}, {};\n",
                list("fd", 0, rc),
                list("fa", 0, ra),
                list("fb", 0, rb),
                list("fc", 0, rc)
            );
            body += &format!(
                "wmma.store.d.sync.aligned.{ld}.{shape}.global.{cd} [%c], {}, {};\nbar.warp.sync -1;\n",
                list("fd", 0, rc),
                stride(ld, m, n)
            );
            for i in 0..half {
                let class = cd_class;
                let reg = crate::recorded_forms::form::register(class).0;
                let ld = if reg.starts_with(".f") { reg.to_owned() } else { format!(".b{}", step * 8) };
                body += &format!("ld.global{ld} %d{i}, [%at+{}];\n", 1024 + i * step);
            }
            let sources = [vec![ab_class; half], vec![cd_class; half]].concat().join(" ");
            let result = cd_class.split(':').next().unwrap_or(cd_class);
            t.body(&mnemonic, &vec![result; half].join(" "), &sources, &body);
        }
    }
}
