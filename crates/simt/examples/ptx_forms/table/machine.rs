//! Forms that depend on other lanes or on the machine: moves, warp-wide instructions, barriers, calls.

use super::Table;

pub(crate) fn forms(t: &mut Table) {
    super::access::atomics(t);
    super::access::reductions(t);
    moves(t);
    super::access::memory(t);
    shuffles(t);
    warp(t);
    barriers(t);
    mbarriers(t);
    super::access::copies(t);
    functions(t);
    cluster(t);
}

/// The address of a thread's own location, in each space.
pub(super) const CELLS: [(&str, &str, &str); 2] = [
    ("global", "", "%scratch"),
    (
        "shared",
        ".shared .align 16 .b8 cells[2048];\n.reg .b32 %cell;\nmov.u32 %cell, cells;\nmad.lo.u32 %cell, %thread, 16, %cell;\n",
        "%cell",
    ),
];

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
        // Steps of the 3x+1 sequence, at most 200: every lane leaves the loop at its own time.
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

/// Adds calls: by name, recursive, through a register, with structures by value.
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

/// Adds cluster forms; a launch without clusters has clusters of one block.
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
    // `st.async` and `red.async` fail on the GPU in a launch without clusters, so they are not recorded.
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
