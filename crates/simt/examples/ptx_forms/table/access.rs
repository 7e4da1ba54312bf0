//! Forms that access memory: atomics, reductions, loads and stores, asynchronous copies.

use super::Table;
use super::machine::CELLS;

fn width(ty: &str) -> &'static str {
    match ty {
        "f64" | "u64" | "s64" | "b64" => "b64",
        "f16" | "bf16" | "b16" => "b16",
        _ => "b32",
    }
}

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

pub(super) fn atomics(t: &mut Table) {
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
            // Half of the lanes compare with the present value.
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

pub(super) fn reductions(t: &mut Table) {
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
    // All threads of a block access one location: the sum is independent of their order.
    for (op, ty) in [("add", "u32"), ("xor", "b32"), ("max", "s32")] {
        let body = format!(
            ".shared .align 4 .b32 one;\n.reg .pred %first;\nsetp.eq.u32 %first, %thread, 0;\n@%first st.shared.u32 [one], 0;\n\
             bar.sync 0;\nred.shared.{op}.{ty} [one], %s0;\nbar.sync 0;\nld.shared.b32 %d0, [one];"
        );
        t.body(&format!("red.shared.{op}.{ty}-contended"), ty, ty, &body);
    }
}

pub(super) fn memory(t: &mut Table) {
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
        // Ordering qualifiers precede the state space, cache qualifiers follow it.
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

pub(super) fn copies(t: &mut Table) {
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
