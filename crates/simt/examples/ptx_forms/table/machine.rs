//! Forms that need memory or the other lanes: atomics, moves, warp-wide instructions, barriers,
//! asynchronous copies.

use super::Table;

pub(crate) fn forms(t: &mut Table) {
    atomics(t);
    reductions(t);
    moves(t);
    memory(t);
    shuffles(t);
    warp(t);
    barriers(t);
    mbarriers(t);
    copies(t);
    functions(t);
    cluster(t);
}

fn width(ty: &str) -> &'static str {
    match ty {
        "f64" | "u64" | "s64" | "b64" => "b64",
        "f16" | "bf16" | "b16" => "b16",
        _ => "b32",
    }
}

/// Where a thread's own location is, in each space.
const CELLS: [(&str, &str, &str); 2] = [
    ("global", "", "%scratch"),
    (
        "shared",
        ".shared .align 16 .b8 cells[2048];\n.reg .b32 %cell;\nmov.u32 %cell, cells;\nmad.lo.u32 %cell, %thread, 16, %cell;\n",
        "%cell",
    ),
];

const RMW: [(&str, &[&str]); 8] = [
    ("and", &["b32", "b64"]),
    ("or", &["b32", "b64"]),
    ("xor", &["b32", "b64"]),
    ("add", &["u32", "s32", "u64", "f32", "f64"]),
    ("inc", &["u32"]),
    ("dec", &["u32"]),
    ("min", &["u32", "s32", "u64", "s64"]),
    ("max", &["u32", "s32", "u64", "s64"]),
];

fn atomics(t: &mut Table) {
    t.group("atom").size(2048, 96);
    for (space, setup, cell) in CELLS {
        let mut one = |op: &str, ty: &str| {
            let w = width(ty);
            let body = format!(
                "{setup}st.{space}.{w} [{cell}], %s0;\natom.{space}.{op}.{ty} %d0, [{cell}], %s1;\nld.{space}.{w} %d1, [{cell}];"
            );
            t.body(&format!("atom.{space}.{op}.{ty}"), &format!("{ty} {ty}"), &format!("{ty} {ty}"), &body);
        };
        for (op, types) in RMW {
            for ty in types {
                one(op, ty);
            }
        }
        for ty in ["b32", "b64"] {
            one("exch", ty);
        }
        for ty in ["f16", "f16x2", "bf16", "bf16x2"] {
            one("add.noftz", ty);
        }
        for ty in ["b16", "b32", "b64"] {
            // Half of the lanes compare with what is there.
            let body = format!(
                "{setup}.reg .pred %same;\n.reg .{ty} %old;\nst.{space}.{ty} [{cell}], %s0;\n\
                 setp.eq.u32 %same, %s3, 0;\nselp.{ty} %old, %s0, %s1, %same;\n\
                 atom.{space}.cas.{ty} %d0, [{cell}], %old, %s2;\nld.{space}.{ty} %d1, [{cell}];"
            );
            t.body(
                &format!("atom.{space}.cas.{ty}"),
                &format!("{ty} {ty}"),
                &format!("{ty} {ty} {ty} u32:few"),
                &body,
            );
        }
        let body = format!(
            "{setup}.reg .b128 %b, %c, %r;\nst.{space}.v2.b64 [{cell}], {{%s0, %s1}};\nmov.b128 %b, {{%s2, %s3}};\n\
             atom.{space}.exch.b128 %r, [{cell}], %b;\nmov.b128 {{%d0, %d1}}, %r;\nld.{space}.v2.b64 {{%d2, %d3}}, [{cell}];"
        )
        .replace("%b, %c, %r;", "%b, %r;");
        t.body(&format!("atom.{space}.exch.b128"), "b64 b64 b64 b64", "b64 b64 b64 b64", &body);
        let body = format!(
            "{setup}.reg .b128 %b, %c, %r;\nst.{space}.v2.b64 [{cell}], {{%s0, %s1}};\nmov.b128 %b, {{%s0, %s1}};\nmov.b128 %c, {{%s2, %s3}};\n\
             atom.{space}.cas.b128 %r, [{cell}], %b, %c;\nmov.b128 {{%d0, %d1}}, %r;\nld.{space}.v2.b64 {{%d2, %d3}}, [{cell}];"
        );
        t.body(&format!("atom.{space}.cas.b128"), "b64 b64 b64 b64", "b64 b64 b64 b64", &body);
    }
    for how in ["relaxed.cta", "acquire.gpu", "release.sys", "acq_rel.cluster"] {
        let body = format!(
            "st.global.b32 [%scratch], %s0;\natom.{how}.global.add.u32 %d0, [%scratch], %s1;\nld.global.b32 %d1, [%scratch];"
        );
        t.body(&format!("atom.{how}.global.add.u32"), "u32 u32", "u32 u32", &body);
    }
    for (op, ty, n) in [("add", "f32", 2), ("add", "f32", 4)] {
        let list = |c: &str, from: usize| {
            (from..from + n).map(|i| format!("%{c}{i}")).collect::<Vec<_>>().join(", ")
        };
        let body = format!(
            "st.global.v{n}.f32 [%scratch], {{{}}};\natom.global.{op}.v{n}.f32 {{{}}}, [%scratch], {{{}}};\nld.global.v{n}.f32 {{{}}}, [%scratch];",
            list("s", 0),
            list("d", 0),
            list("s", n),
            list("d", n)
        );
        let types = vec![ty; 2 * n].join(" ");
        t.body(&format!("atom.global.{op}.v{n}.{ty}"), &types, &types, &body);
    }
    for op in ["add", "min", "max"] {
        for (ty, packed) in [("f16x2", "f16x2"), ("bf16x2", "bf16x2")] {
            let body = format!(
                "st.global.v2.b32 [%scratch], {{%s0, %s1}};\natom.global.{op}.noftz.v2.{packed} {{%d0, %d1}}, [%scratch], {{%s2, %s3}};\nld.global.v2.b32 {{%d2, %d3}}, [%scratch];"
            );
            let four = format!("{ty} {ty} {ty} {ty}");
            t.body(&format!("atom.global.{op}.noftz.v2.{packed}"), &four, &four, &body);
        }
    }
}

fn reductions(t: &mut Table) {
    t.group("red").size(2048, 96);
    for (space, setup, cell) in CELLS {
        let mut one = |op: &str, ty: &str| {
            let w = width(ty);
            let body = format!(
                "{setup}st.{space}.{w} [{cell}], %s0;\nred.{space}.{op}.{ty} [{cell}], %s1;\nld.{space}.{w} %d0, [{cell}];"
            );
            t.body(&format!("red.{space}.{op}.{ty}"), ty, &format!("{ty} {ty}"), &body);
        };
        for (op, types) in RMW {
            for ty in types {
                one(op, ty);
            }
        }
        for ty in ["f16", "f16x2", "bf16", "bf16x2"] {
            one("add.noftz", ty);
        }
    }
    // All threads of a block on one location: the sum is independent of their order.
    for (op, ty) in [("add", "u32"), ("xor", "b32"), ("max", "s32")] {
        let body = format!(
            ".shared .align 4 .b32 one;\n.reg .pred %first;\nsetp.eq.u32 %first, %thread, 0;\n@%first st.shared.u32 [one], 0;\n\
             bar.sync 0;\nred.shared.{op}.{ty} [one], %s0;\nbar.sync 0;\nld.shared.b32 %d0, [one];"
        );
        t.body(&format!("red.shared.{op}.{ty}-contended"), ty, ty, &body);
    }
}

fn moves(t: &mut Table) {
    t.group("mov").size(1024, 64);
    t.op("mov.b32", "b32", "b32");
    t.op("mov.f64", "f64", "f64");
    t.op("mov.b16", "b16", "b16");
    t.op("mov.pred", "pred", "pred");
    t.body("mov.b64-pack", "b64", "b32 b32", "mov.b64 %d0, {%s0, %s1};");
    t.body("mov.b32-pack", "b32", "b16 b16", "mov.b32 %d0, {%s0, %s1};");
    t.body("mov.b64-pack4", "b64", "b16 b16 b16 b16", "mov.b64 %d0, {%s0, %s1, %s2, %s3};");
    t.body("mov.b64-unpack", "b32 b32", "b64", "mov.b64 {%d0, %d1}, %s0;");
    t.body("mov.b64-unpack-sink", "b32", "b64", "mov.b64 {_, %d0}, %s0;");
    t.body("mov.b32-unpack", "b16 b16", "b32", "mov.b32 {%d0, %d1}, %s0;");
    t.body("mov.f32-immediate", "f32", "", "mov.f32 %d0, 0f40490FDB;");
    t.body("mov.f64-immediate", "f64", "", "mov.f64 %d0, 0d400921FB54442D18;");
    t.body("mov.f64-decimal", "f64", "", "mov.f64 %d0, 3.25;");
    t.body("mov.s64-negative", "b64", "", "mov.s64 %d0, -5;");
    t.body("mov.u16-negative", "b16", "", "mov.u16 %d0, -2;");
    t.body("add.s32-expression", "s32", "s32", "add.s32 %d0, %s0, (3 * 5 - 1) << 2;");
    t.body("add.f32-immediate", "f32", "f32", "add.f32 %d0, %s0, 0fBF800000;");
    t.body(
        "mov-128",
        "b64 b64",
        "b64 b64",
        ".reg .b128 %q;\nmov.b128 %q, {%s0, %s1};\nmov.b128 {%d1, %d0}, %q;",
    );
    t.body(
        "predicated",
        "b32",
        "b32 pred",
        "mov.b32 %d0, 7;\n@%s1 add.u32 %d0, %s0, 1;\n@!%s1 sub.u32 %d0, %s0, 1;",
    );
    for sreg in [
        "laneid",
        "lanemask_eq",
        "lanemask_lt",
        "lanemask_le",
        "lanemask_gt",
        "lanemask_ge",
        "ntid.x",
        "tid.y",
        "nctaid.x",
        "ctaid.x",
        "tid.x",
    ] {
        t.body(&format!("mov.u32-{sreg}"), "b32", "", &format!("mov.u32 %d0, %{sreg};"));
    }
}

fn memory(t: &mut Table) {
    t.group("memory").size(1024, 64);
    for ty in ["u8", "s8", "u16", "s16", "b8", "b16", "u32", "s32"] {
        for offset in [0, 4] {
            t.body(
                &format!("ld.global.{ty}-b32-{offset}"),
                "b32",
                "b64",
                &format!("st.global.b64 [%scratch], %s0;\nld.global.{ty} %d0, [%scratch+{offset}];"),
            );
        }
        t.body(
            &format!("ld.global.{ty}-b64"),
            "b64",
            "b64",
            &format!("st.global.b64 [%scratch], %s0;\nld.global.{ty} %d0, [%scratch];"),
        );
    }
    for ty in ["u8", "b16", "b32"] {
        t.body(
            &format!("st.global.{ty}-b32"),
            "b64",
            "b64 b32",
            &format!("st.global.b64 [%scratch], %s0;\nst.global.{ty} [%scratch+4], %s1;\nld.global.b64 %d0, [%scratch];"),
        );
    }
    for space in ["global", "local", "shared"] {
        let (setup, cell) = match space {
            "global" => ("", "%scratch"),
            "shared" => (CELLS[1].1, "%cell"),
            _ => (".local .align 16 .b8 mine[16];\n.reg .b64 %cell;\nmov.u64 %cell, mine;\n", "%cell"),
        };
        for (v, ty, n) in [
            ("v2.b32", "b32", 2),
            ("v4.b32", "b32", 4),
            ("v2.b64", "b64", 2),
            ("v4.b16", "b16", 4),
            ("v4.f32", "f32", 4),
        ] {
            let s: Vec<String> = (0..n).map(|i| format!("%s{i}")).collect();
            let d: Vec<String> = (0..n).rev().map(|i| format!("%d{i}")).collect();
            let types = vec![ty; n].join(" ");
            t.body(
                &format!("ld.{space}.{v}"),
                &types,
                &types,
                &format!(
                    "{setup}st.{space}.{v} [{cell}], {{{}}};\nld.{space}.{v} {{{}}}, [{cell}];",
                    s.join(", "),
                    d.join(", ")
                ),
            );
        }
    }
    for how in [
        "ca",
        "cg",
        "cs",
        "lu",
        "cv",
        "nc",
        "L1::no_allocate",
        "L2::128B",
        "nc.L1::evict_last",
        "volatile",
        "mmio.relaxed.sys",
        "relaxed.cta",
        "relaxed.gpu",
        "acquire.cluster",
        "acquire.sys",
    ] {
        // Qualifiers of order stand before the state space, those of caches behind it.
        let order = how.contains('.') && !how.starts_with("nc") || how == "volatile";
        let ld = if order { format!("ld.{how}.global.b32") } else { format!("ld.global.{how}.b32") };
        t.body(
            &ld,
            "b32",
            "b32",
            &format!("st.global.b32 [%scratch], %s0;\n{ld} %d0, [%scratch];")
                .replace("st.global.b32 [%scratch], %s0;\nld.global.nc", "ld.global.nc")
                .replace("nc.b32 %d0, [%scratch]", "nc.b32 %d0, [%in]")
                .replace("evict_last.b32 %d0, [%scratch]", "evict_last.b32 %d0, [%in]"),
        );
    }
    for how in [
        "wb",
        "cg",
        "cs",
        "wt",
        "L1::evict_first",
        "volatile",
        "mmio.relaxed.sys",
        "relaxed.cta",
        "relaxed.sys",
        "release.gpu",
        "release.cluster",
    ] {
        let order = how.contains('.') || how == "volatile";
        let st = if order { format!("st.{how}.global.b32") } else { format!("st.global.{how}.b32") };
        t.body(&st, "b32", "b32", &format!("{st} [%scratch], %s0;\nld.global.b32 %d0, [%scratch];"));
    }
    t.body(
        "ld.const",
        "b32 b64",
        "u32:few",
        ".const .align 8 .b32 words[4] = {11, 0xffffffff, -3, 1 << 20};\n.const .u64 place = generic(words) + 8;\n----\n.reg .b64 %o, %p;\nmov.u64 %p, words;\nmul.wide.u32 %o, %s0, 4;\nadd.u64 %p, %p, %o;\nld.const.b32 %d0, [%p];\nld.const.b64 %p, [place];\nld.b32 %d1, [%p];"
            .replace("ld.b32 %d1, [%p];", "ld.s32 %d1, [%p];").as_str(),
    );
    t.body(
        "ld.global-initialised",
        "b32 f32 f64 b16",
        "u32:few",
        ".global .align 4 .b32 words[4] = {5, 6, 7};\n.global .f32 single = 0f3FC00000;\n.global .f64 double = 2.5;\n.global .align 2 .u16 halves[2][2] = {{1, 2}, {3, 65535}};\n----\n.reg .b64 %o, %p;\nmov.u64 %p, words;\nmul.wide.u32 %o, %s0, 4;\nadd.u64 %p, %p, %o;\nld.global.b32 %d0, [%p];\nld.global.f32 %d1, [single];\nld.global.f64 %d2, [double];\nld.global.b16 %d3, [halves+6];",
    );
    t.body(
        "generic-shared",
        "b32 pred pred pred",
        "b32",
        ".shared .align 4 .b8 cells[512];\n.reg .b64 %g, %o;\nmov.u64 %g, cells;\ncvta.shared.u64 %g, %g;\nmul.wide.u32 %o, %thread, 4;\nadd.u64 %g, %g, %o;\n\
         st.b32 [%g], %s0;\nld.b32 %d0, [%g];\nisspacep.shared %d1, %g;\nisspacep.global %d2, %g;\nisspacep.local %d3, %g;",
    );
    t.body(
        "generic-local",
        "b32 pred pred",
        "b32",
        ".local .align 4 .b32 mine;\n.reg .b64 %g;\nmov.u64 %g, mine;\ncvta.local.u64 %g, %g;\nst.b32 [%g], %s0;\nld.b32 %d0, [%g];\nisspacep.local %d1, %g;\nisspacep.shared %d2, %g;",
    );
    t.body(
        "generic-to-shared",
        "b32",
        "b32",
        ".shared .align 4 .b8 cells[512];\n.reg .b64 %g, %o;\nmov.u64 %g, cells;\ncvta.shared.u64 %g, %g;\nmul.wide.u32 %o, %thread, 4;\nadd.u64 %g, %g, %o;\n\
         st.b32 [%g], %s0;\ncvta.to.shared.u64 %g, %g;\nld.shared.b32 %d0, [%g];",
    );
}

fn shuffles(t: &mut Table) {
    t.group("shfl").size(512, 512);
    for mode in ["up", "down", "bfly", "idx"] {
        let clamps: &[u32] =
            if mode == "up" { &[0, 0x1800, 0x1c00, 0x0203] } else { &[0x1f, 0x181f, 0x1c1f, 0x100f] };
        for c in clamps {
            t.body(
                &format!("shfl.sync.{mode}.b32-{c:04x}"),
                "b32 pred",
                "b32 b32:lane",
                &format!("shfl.sync.{mode}.b32 %d0|%d1, %s0, %s1, {c}, -1;"),
            );
        }
        t.body(
            &format!("shfl.sync.{mode}.b32-any"),
            "b32 pred",
            "b32 b32 b32",
            &format!("shfl.sync.{mode}.b32 %d0|%d1, %s0, %s1, %s2, -1;"),
        );
        t.body(
            &format!("shfl.sync.{mode}.b32-no-predicate"),
            "b32",
            "b32",
            &format!("shfl.sync.{mode}.b32 %d0, %s0, 1, {}, 0xffffffff;", clamps[0]),
        );
    }
    t.body(
        "shfl.sync.idx.b32-odd-lanes",
        "b32 pred",
        "b32 b32:lane",
        ".reg .pred %odd;\n.reg .b32 %x;\nand.b32 %x, %lane, 1;\nsetp.ne.u32 %odd, %x, 0;\nor.b32 %x, %s1, 1;\nmov.b32 %d0, 0;\nsetp.ne.u32 %d1, %x, %x;\n\
         @%odd shfl.sync.idx.b32 %d0|%d1, %s0, %x, 31, 0xaaaaaaaa;",
    );
}

fn warp(t: &mut Table) {
    t.group("warp").size(512, 512);
    // Mostly true, mostly false, and mixed predicates.
    for (name, test) in [
        ("most", "setp.ne.u32 %p, %s0, 0;"),
        ("few", "setp.eq.u32 %p, %s0, 0;"),
        ("half", "setp.lt.u32 %p, %s0, 50;"),
    ] {
        let setup = format!(".reg .pred %p;\n{test}\n");
        for mode in ["all", "any", "uni"] {
            t.body(
                &format!("vote.sync.{mode}.pred-{name}"),
                "pred",
                "u32:rare",
                &format!("{setup}vote.sync.{mode}.pred %d0, %p, -1;"),
            );
        }
        t.body(
            &format!("vote.sync.all.pred-not-{name}"),
            "pred",
            "u32:rare",
            &format!("{setup}vote.sync.all.pred %d0, !%p, -1;"),
        );
        t.body(
            &format!("vote.sync.ballot.b32-{name}"),
            "b32",
            "u32:rare",
            &format!("{setup}vote.sync.ballot.b32 %d0, %p, -1;"),
        );
        t.body(
            &format!("vote.sync.ballot.b32-diverged-{name}"),
            "b32",
            "u32:rare",
            &format!(
                "{setup}.reg .pred %low;\nsetp.lt.u32 %low, %lane, 11;\n@%low bra LOW;\nvote.sync.ballot.b32 %d0, %p, 0xfffff800;\nbra DONE;\nLOW:\nvote.sync.ballot.b32 %d0, %p, 0x7ff;\nDONE:\nbar.warp.sync -1;"
            ),
        );
        t.body(
            &format!("activemask-{name}"),
            "b32",
            "u32:rare",
            &format!("{setup}mov.b32 %d0, 0;\n@%p activemask.b32 %d0;"),
        );
    }
    for ty in ["b32", "b64"] {
        let setup = format!(".reg .{ty} %x;\nand.{ty} %x, %s0, 7;\n");
        t.body(
            &format!("match.any.sync.{ty}"),
            "b32",
            ty,
            &format!("{setup}match.any.sync.{ty} %d0, %x, -1;"),
        );
        let class = if ty == "b32" { "b32:rare" } else { "b64:rare" };
        let setup =
            format!(".reg .{ty} %x;\n.reg .pred %z;\nsetp.eq.{ty} %z, %s0, 0;\nselp.{ty} %x, 1, 2, %z;\n");
        t.body(
            &format!("match.all.sync.{ty}"),
            "b32 pred",
            class,
            &format!("{setup}match.all.sync.{ty} %d0|%d1, %x, -1;"),
        );
    }
    for op in ["add", "min", "max"] {
        for ty in ["u32", "s32"] {
            t.body(&format!("redux.sync.{op}.{ty}"), ty, ty, &format!("redux.sync.{op}.{ty} %d0, %s0, -1;"));
        }
    }
    for (op, class) in [("and", "b32:dense"), ("or", "b32:mask"), ("xor", "b32")] {
        t.body(&format!("redux.sync.{op}.b32"), "b32", class, &format!("redux.sync.{op}.b32 %d0, %s0, -1;"));
    }
    t.body(
        "redux.sync.add.u32-halves",
        "u32",
        "u32",
        ".reg .pred %low;\nsetp.lt.u32 %low, %lane, 16;\n@%low bra LOW;\nredux.sync.add.u32 %d0, %s0, 0xffff0000;\nbra DONE;\nLOW:\nredux.sync.add.u32 %d0, %s0, 0xffff;\nDONE:\nbar.warp.sync -1;",
    );
    t.body("elect.sync", "b32 pred", "", "elect.sync %d0|%d1, -1;");
    t.body(
        "elect.sync-some",
        "b32 pred",
        "",
        ".reg .pred %high;\nsetp.gt.u32 %high, %lane, 4;\nmov.b32 %d0, 99;\nsetp.eq.u32 %d1, %lane, 99;\n@%high elect.sync %d0|%d1, 0xffffffe0;",
    );
    t.body(
        "loop-per-lane",
        "u32",
        "u32",
        // Steps of the 3x+1 walk, at most 200: every lane leaves at its own time.
        ".reg .pred %stop, %odd;\n.reg .b32 %x, %b;\nand.b32 %x, %s0, 0xffff;\nmov.b32 %d0, 0;\nLOOP:\nsetp.le.u32 %stop, %x, 1;\n@%stop bra DONE;\nsetp.ge.u32 %stop, %d0, 200;\n@%stop bra DONE;\n\
         and.b32 %b, %x, 1;\nsetp.ne.u32 %odd, %b, 0;\n@%odd mad.lo.u32 %x, %x, 3, 1;\n@!%odd shr.u32 %x, %x, 1;\nadd.u32 %d0, %d0, 1;\nbra LOOP;\nDONE:\nbar.warp.sync -1;",
    );
    t.body(
        "brx.idx",
        "u32",
        "u32:few",
        "JUMPS: .branchtargets A, B, C, D;\nbrx.idx %s0, JUMPS;\nA:\nmov.u32 %d0, 10;\nbra DONE;\nB:\nmov.u32 %d0, 20;\nbra DONE;\nC:\nmov.u32 %d0, 30;\nbra DONE;\nD:\nmov.u32 %d0, 40;\nDONE:\nbar.warp.sync -1;",
    );
}

fn barriers(t: &mut Table) {
    t.group("bar").size(1024, 256);
    let setup = ".reg .pred %p;\nsetp.ne.u32 %p, %s0, 0;\n";
    for (op, ty) in [("popc", "u32"), ("and", "pred"), ("or", "pred")] {
        let result = if ty == "u32" { "u32" } else { "pred" };
        t.body(
            &format!("bar.red.{op}.{ty}"),
            result,
            "u32:rare",
            &format!("{setup}bar.red.{op}.{ty} %d0, 0, %p;"),
        );
        t.body(
            &format!("bar.red.{op}.{ty}-not"),
            result,
            "u32:rare",
            &format!("{setup}bar.red.{op}.{ty} %d0, 3, !%p;"),
        );
        t.body(
            &format!("barrier.cta.red.{op}.{ty}-half-block"),
            result,
            "u32:rare",
            &format!(
                "{setup}.reg .pred %low;\nsetp.lt.u32 %low, %thread, 64;\n@%low barrier.cta.red.{op}.{ty} %d0, 1, 64, %p;\n@!%low barrier.cta.red.{op}.{ty} %d0, 2, 64, %p;"
            ),
        );
    }
    let exchange = |sync: &str| {
        format!(
            ".shared .align 4 .b8 cells[512];\n.reg .b32 %mine, %other;\nmov.u32 %mine, cells;\nmad.lo.u32 %other, %thread, 4, %mine;\nst.shared.b32 [%other], %s0;\n{sync}\n\
             xor.b32 %other, %thread, 127;\nmad.lo.u32 %other, %other, 4, %mine;\nld.shared.b32 %d0, [%other];"
        )
    };
    t.body("bar.sync", "b32", "b32", &exchange("bar.sync 0;"));
    t.body("bar.sync-count", "b32", "b32", &exchange("bar.sync 5, 128;"));
    t.body("barrier.cta.sync", "b32", "b32", &exchange("barrier.cta.sync 15;"));
    t.body(
        "bar.arrive",
        "b32",
        "b32",
        // Warps 0 and 1 produce, warps 2 and 3 consume.
        ".shared .align 4 .b8 cells[512];\n.reg .b32 %at, %to;\n.reg .pred %low;\nmov.u32 %at, cells;\nand.b32 %to, %thread, 63;\nmad.lo.u32 %at, %to, 4, %at;\nmov.b32 %d0, %s0;\n\
         setp.lt.u32 %low, %thread, 64;\n@!%low bra CONSUME;\nst.shared.b32 [%at], %s0;\nbar.arrive 1, 128;\nbra DONE;\nCONSUME:\nbar.sync 1, 128;\nld.shared.b32 %d0, [%at];\nDONE:",
    );
}

fn mbarriers(t: &mut Table) {
    t.group("mbarrier").size(512, 128);
    // Each thread has a barrier of its own: the states are independent of timing.
    let setup = CELLS[1].1;
    t.body(
        "pending_count",
        "u32 u32 u32",
        "u32:few",
        &format!(
            "{setup}.reg .b32 %n;\n.reg .b64 %state;\nadd.u32 %n, %s0, 3;\nmbarrier.init.shared.b64 [%cell], %n;\n\
             mbarrier.arrive.shared.b64 %state, [%cell];\nmbarrier.pending_count.b64 %d0, %state;\n\
             mbarrier.arrive.shared.b64 %state, [%cell];\nmbarrier.pending_count.b64 %d1, %state;\n\
             mbarrier.arrive_drop.shared.b64 %state, [%cell];\nmbarrier.pending_count.b64 %d2, %state;"
        ),
    );
    t.body(
        "test_wait",
        "pred pred pred pred",
        "u32:few",
        &format!(
            "{setup}.reg .b64 %first, %second;\nmbarrier.init.shared.b64 [%cell], 2;\n\
             mbarrier.arrive.shared.b64 %first, [%cell];\nmbarrier.test_wait.shared.b64 %d0, [%cell], %first;\n\
             mbarrier.arrive.shared.b64 %second, [%cell];\nmbarrier.test_wait.shared.b64 %d1, [%cell], %first;\n\
             mbarrier.arrive.shared.b64 %second, [%cell];\nmbarrier.test_wait.shared.b64 %d2, [%cell], %second;\nmbarrier.test_wait.shared.b64 %d3, [%cell], %first;"
        ),
    );
    t.body(
        "test_wait.parity",
        "pred pred pred pred",
        "u32:few",
        &format!(
            "{setup}.reg .b64 %state;\nmbarrier.init.shared.b64 [%cell], 1;\n\
             mbarrier.test_wait.parity.shared.b64 %d0, [%cell], 0;\nmbarrier.test_wait.parity.shared.b64 %d1, [%cell], 1;\n\
             mbarrier.arrive.shared.b64 %state, [%cell];\n\
             mbarrier.test_wait.parity.shared.b64 %d2, [%cell], 0;\nmbarrier.test_wait.parity.shared.b64 %d3, [%cell], 1;"
        ),
    );
    t.body(
        "expect_tx",
        "pred pred pred",
        "u32:few",
        &format!(
            "{setup}.reg .b64 %state;\nmbarrier.init.shared.b64 [%cell], 1;\n\
             mbarrier.arrive.expect_tx.shared.b64 %state, [%cell], 16;\nmbarrier.test_wait.shared.b64 %d0, [%cell], %state;\n\
             mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%cell], 8;\nmbarrier.test_wait.shared.b64 %d1, [%cell], %state;\n\
             mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%cell], 8;\nmbarrier.test_wait.shared.b64 %d2, [%cell], %state;"
        ),
    );
    t.body(
        "arrive-count",
        "u32 pred pred",
        "u32:few",
        &format!(
            "{setup}.reg .b64 %state;\nmbarrier.init.shared.b64 [%cell], 6;\n\
             mbarrier.arrive.shared.b64 %state, [%cell], 2;\nmbarrier.pending_count.b64 %d0, %state;\nmbarrier.test_wait.shared.b64 %d1, [%cell], %state;\n\
             mbarrier.arrive.noComplete.shared.b64 _, [%cell], 3;\nmbarrier.arrive.shared.b64 _, [%cell];\nmbarrier.try_wait.shared.b64 %d2, [%cell], %state;"
        )
        .replace("mbarrier.arrive.noComplete.shared.b64 _,", "mbarrier.arrive.noComplete.shared.b64 %unused,")
        .replace(".reg .b64 %state;", ".reg .b64 %state, %unused;")
        .replace("mbarrier.arrive.shared.b64 _, [%cell];", "mbarrier.arrive.shared.b64 %unused, [%cell];"),
    );
    t.body(
        "block-wide",
        "b32",
        "b32",
        ".shared .align 8 .b64 bar;\n.shared .align 4 .b8 cells[512];\n.reg .b32 %at, %other;\n.reg .b64 %state;\n.reg .pred %first, %done;\nsetp.eq.u32 %first, %thread, 0;\n\
         @%first mbarrier.init.shared.b64 [bar], 128;\nbar.sync 0;\nmov.u32 %at, cells;\nmad.lo.u32 %other, %thread, 4, %at;\nst.shared.b32 [%other], %s0;\n\
         mbarrier.arrive.shared.b64 %state, [bar];\nWAIT:\nmbarrier.try_wait.shared.b64 %done, [bar], %state;\n@!%done bra WAIT;\n\
         xor.b32 %other, %thread, 127;\nmad.lo.u32 %other, %other, 4, %at;\nld.shared.b32 %d0, [%other];",
    );
}

fn copies(t: &mut Table) {
    t.group("copy").size(512, 128);
    let setup = CELLS[1].1;
    for (how, size) in [("ca", 4), ("ca", 8), ("ca", 16), ("cg", 16)] {
        let fill = format!(
            "{setup}st.shared.v4.b32 [%cell], {{-1, -1, -1, -1}};\nst.global.v4.b32 [%scratch], {{%s0, %s1, %s2, %s3}};\n"
        );
        let fill = fill.replace("{-1, -1, -1, -1}", "{%ones, %ones, %ones, %ones}").replacen(
            ".shared",
            ".reg .b32 %ones;\nmov.b32 %ones, -1;\n.shared",
            1,
        );
        let read = "ld.shared.v4.b32 {%d0, %d1, %d2, %d3}, [%cell];";
        let four = "b32 b32 b32 b32";
        t.body(
            &format!("cp.async.{how}-{size}"),
            four,
            four,
            &format!("{fill}cp.async.{how}.shared.global [%cell], [%scratch], {size};\ncp.async.commit_group;\ncp.async.wait_group 0;\n{read}"),
        );
        t.body(
            &format!("cp.async.{how}-{size}-zfill"),
            four,
            "b32 b32 b32 b32 u32:lane",
            &format!(
                "{fill}.reg .b32 %n;\nmin.u32 %n, %s4, {size};\ncp.async.{how}.shared.global [%cell], [%scratch], {size}, %n;\ncp.async.wait_all;\n{read}"
            ),
        );
        t.body(
            &format!("cp.async.{how}-{size}-ignore-src"),
            four,
            "b32 b32 b32 b32 pred",
            &format!("{fill}cp.async.{how}.shared.global [%cell], [%scratch], {size}, %s4;\ncp.async.wait_all;\n{read}"),
        );
    }
    t.body(
        "cp.async.bulk",
        "b32",
        "b32",
        // Thread 0 copies the block's 512 bytes in one piece.
        ".shared .align 16 .b8 cells[512];\n.shared .align 8 .b64 bar;\n.reg .b32 %at, %to;\n.reg .b64 %base, %state;\n.reg .pred %first, %done;\n\
         mul.wide.u32 %base, %thread, 60;\nsub.u64 %base, %scratch, %base;\nst.global.b32 [%base], %s0;\nmul.wide.u32 %base, %thread, 64;\nsub.u64 %base, %scratch, %base;\n\
         mov.u32 %to, cells;\nmov.u32 %at, bar;\nsetp.eq.u32 %first, %thread, 0;\n@%first mbarrier.init.shared.b64 [%at], 1;\n@%first fence.mbarrier_init.release.cluster;\n\
         fence.proxy.async;\nbar.sync 0;\n\
         @%first mbarrier.arrive.expect_tx.shared.b64 %state, [%at], 512;\n\
         @%first cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%to], [%base], 512, [%at];\n\
         WAIT:\nmbarrier.try_wait.parity.shared.b64 %done, [%at], 0;\n@!%done bra WAIT;\n\
         mad.lo.u32 %to, %thread, 4, %to;\nld.shared.b32 %d0, [%to];",
    );
    t.body(
        "cp.async.bulk-out",
        "b32",
        "b32",
        ".shared .align 16 .b8 cells[512];\n.reg .b32 %at;\n.reg .b64 %base, %mine;\n.reg .pred %first;\n\
         mul.wide.u32 %base, %thread, 64;\nsub.u64 %base, %scratch, %base;\nmul.wide.u32 %mine, %thread, 4;\nadd.u64 %mine, %base, %mine;\n\
         mov.u32 %at, cells;\nmad.lo.u32 %at, %thread, 4, %at;\nst.shared.b32 [%at], %s0;\nfence.proxy.async.shared::cta;\nbar.sync 0;\nmov.u32 %at, cells;\n\
         setp.eq.u32 %first, %thread, 0;\n@!%first bra DONE;\ncp.async.bulk.global.shared::cta.bulk_group [%base], [%at], 512;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nfence.proxy.async;\nDONE:\n\
         bar.sync 0;\nld.global.b32 %d0, [%mine];",
    );
    for (op, ty) in
        [("add", "u32"), ("min", "s32"), ("xor", "b32"), ("inc", "u32"), ("add", "u64"), ("and", "b64")]
    {
        let (bytes, total) = if ty.ends_with("64") { (8, 1024) } else { (4, 512) };
        let b = format!("b{}", bytes * 8);
        t.body(
            &format!("cp.reduce.async.bulk.{op}.{ty}"),
            ty,
            &format!("{ty} {ty}"),
            &format!(
                ".shared .align 16 .b8 cells[1024];\n.reg .b32 %at;\n.reg .b64 %base, %mine;\n.reg .pred %first;\n\
                 mul.wide.u32 %base, %thread, 64;\nsub.u64 %base, %scratch, %base;\nmul.wide.u32 %mine, %thread, {bytes};\nadd.u64 %mine, %base, %mine;\n\
                 st.global.{b} [%mine], %s0;\nmov.u32 %at, cells;\nmad.lo.u32 %at, %thread, {bytes}, %at;\nst.shared.{b} [%at], %s1;\nfence.proxy.async;\nbar.sync 0;\nmov.u32 %at, cells;\n\
                 setp.eq.u32 %first, %thread, 0;\n@!%first bra DONE;\ncp.reduce.async.bulk.global.shared::cta.bulk_group.{op}.{ty} [%base], [%at], {total};\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nfence.proxy.async;\nDONE:\n\
                 bar.sync 0;\nld.global.{b} %d0, [%mine];"
            ),
        );
    }
}

/// Calls: by name, recursive, through a register, with structures by value.
fn functions(t: &mut Table) {
    t.group("call").size(512, 64);
    let poly = ".func (.param .b32 r) poly(.param .b32 a, .param .b64 b)\n{\n\t.reg .b32 %x, %y;\n\t.reg .b64 %z;\n\tld.param.b32 %x, [a];\n\tld.param.b64 %z, [b];\n\tcvt.u32.u64 %y, %z;\n\tmad.lo.u32 %x, %x, 3, %y;\n\tst.param.b32 [r], %x;\n\tret;\n}\n";
    t.body(
        "call",
        "b32",
        "b32 b64",
        &format!("{poly}----\n{{\n.param .b32 p;\n.param .b64 q;\n.param .b32 v;\nst.param.b32 [p], %s0;\nst.param.b64 [q], %s1;\ncall.uni (v), poly, (p, q);\nld.param.b32 %d0, [v];\n}}"),
    );
    t.body(
        "call-diverged",
        "b32",
        "b32 b64",
        &format!("{poly}----\n.reg .pred %odd;\n.reg .b32 %x;\nand.b32 %x, %lane, 1;\nsetp.ne.u32 %odd, %x, 0;\nmov.b32 %d0, 5;\n@!%odd bra DONE;\n{{\n.param .b32 p;\n.param .b64 q;\n.param .b32 v;\nst.param.b32 [p], %s0;\nst.param.b64 [q], %s1;\ncall (v), poly, (p, q);\nld.param.b32 %d0, [v];\n}}\nDONE:\nbar.warp.sync -1;"),
    );
    let factorial = ".func (.reg .u32 r) factorial(.reg .u32 n)\n{\n\t.reg .pred %p;\n\t.reg .u32 %m;\n\tmov.u32 r, 1;\n\tsetp.le.u32 %p, n, 1;\n\t@%p ret;\n\tsub.u32 %m, n, 1;\n\tcall (r), factorial, (%m);\n\tmul.lo.u32 r, r, n;\n\tret;\n}\n";
    t.body("call-recursive", "u32", "u32:lane", &format!("{factorial}----\ncall (%d0), factorial, (%s0);"));
    let two = ".func (.reg .u32 r) first(.reg .u32 n)\n{\n\tadd.u32 r, n, 100;\n\tret;\n}\n.func (.reg .u32 r) second(.reg .u32 n)\n{\n\tmul.lo.u32 r, n, 7;\n\tret;\n}\n";
    t.body(
        "call-indirect",
        "u32",
        "u32 pred",
        &format!("{two}----\n.reg .b64 %f, %g;\nmov.u64 %f, first;\nmov.u64 %g, second;\nselp.b64 %f, %f, %g, %s1;\nSHAPE: .callprototype (.reg .u32 _) _ (.reg .u32 _);\ncall (%d0), %f, (%s0), SHAPE;"),
    );
    let structure = ".func (.param .align 8 .b8 r[16]) swap(.param .align 8 .b8 a[16])\n{\n\t.reg .b64 %x, %y;\n\tld.param.v2.b64 {%x, %y}, [a];\n\tst.param.b64 [r], %y;\n\tst.param.b64 [r+8], %x;\n\tret;\n}\n".replace(".align 8", ".align 16");
    t.body(
        "call-structure",
        "b64 b64",
        "b64 b64",
        &format!("{structure}----\n{{\n.param .align 16 .b8 p[16];\n.param .align 16 .b8 v[16];\nst.param.b64 [p], %s0;\nst.param.b64 [p+8], %s1;\ncall.uni (v), swap, (p);\nld.param.v2.b64 {{%d0, %d1}}, [v];\n}}"),
    );
}

/// A launch without clusters is one of clusters of one block.
fn cluster(t: &mut Table) {
    t.group("cluster").size(512, 64);
    for sreg in [
        "cluster_ctarank",
        "cluster_nctarank",
        "cluster_ctaid.x",
        "cluster_nctaid.x",
        "nclusterid.x",
        "clusterid.x",
    ] {
        t.body(&format!("mov.u32-{sreg}"), "b32", "", &format!("mov.u32 %d0, %{sreg};"));
    }
    t.body(
        "barrier.cluster",
        "b32",
        "b32",
        "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\nmov.b32 %d0, %s0;",
    );
    t.body(
        "mapa",
        "b32 b32",
        "b32",
        ".shared .align 4 .b8 cells[512];\n.reg .b32 %a, %m;\nmov.u32 %a, cells;\nmad.lo.u32 %a, %thread, 4, %a;\nmapa.shared::cluster.u32 %m, %a, 0;\nst.shared::cluster.b32 [%m], %s0;\nld.shared.b32 %d0, [%a];\ngetctarank.shared::cluster.u32 %d1, %m;",
    );
    // `st.async` and `red.async` fail on the GPU in a launch without clusters: not recorded.
    let setup = CELLS[1].1;
    t.body(
        "cp.async.mbarrier.arrive",
        "b32",
        "b32",
        &format!(
            ".shared .align 16 .b8 values[512];\n{setup}.reg .b32 %v;\n.reg .b64 %state;\n.reg .pred %done;\nmov.u32 %v, values;\nmad.lo.u32 %v, %thread, 4, %v;\nmbarrier.init.shared.b64 [%cell], 1;\n\
             cp.async.ca.shared.global [%v], [%in], 4;\ncp.async.mbarrier.arrive.noinc.shared.b64 [%cell];\nWAIT:\nmbarrier.try_wait.parity.shared.b64 %done, [%cell], 0;\n@!%done bra WAIT;\nld.shared.b32 %d0, [%v];\nxor.b32 %d0, %d0, %s0;"
        ),
    );
}
