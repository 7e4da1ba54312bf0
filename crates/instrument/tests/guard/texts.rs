//! Tests whole kernels: their behaviour is unchanged, and ptxas accepts their text.

use crate::guardian::{Guardian, TABLE, module, options};
use crate::toolkit::ptxas;
use events::SiteTable;
use instrument::guard::{Options, guard};
use simt::Schedule;
use std::process::Command;

/// The kernels of the virtual GPU's own tests behave the same when instrumented.
#[test]
fn real_kernels_are_left_as_they_were() {
    let text = include_str!("../../../simt/tests/fixtures/basics.ptx");
    let guardian = Guardian::new(text, Schedule::RoundRobin { quantum: 5 });
    let m = &guardian.machine;
    let input = m.upload(&(0..1000).collect::<Vec<u32>>());
    let out = m.upload(&[0]);
    m.finish("block_sum", 4, 256, args![input, out, 1000u32]);
    assert_eq!(m.words(out, 1), [499_500]);
    assert_eq!(guardian.seen(), []);
}

#[test]
fn ptxas_takes_guarded_text_for_every_architecture() {
    let Some(ptxas) = ptxas() else { return };
    let folder = std::env::temp_dir().join(format!("guard-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let texts = [
        (
            module("st.shared.u32 [%r4], 1;\nbar.sync 0;\nld.u32 %r5, [%rd1];\nfence.acq_rel.gpu;"),
            &["sm_80", "sm_120"][..],
        ),
        (include_str!("../../../simt/tests/fixtures/basics.ptx").to_owned(), &["sm_90", "sm_100"]),
        (super::registers::checked(), &["sm_90a"]),
        (super::tensor::checked(), &["sm_100a"]),
        // Rows, pairs, long elements, and fences of a block.
        (
            module(
                "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r5, %r6}, [%r4];\nred.global.add.noftz.f16x2 [%rd1], %r1;\n\
                 atom.global.add.u64 %rd2, [%rd1+8], 1;\nmembar.cta;\nst.global.u32 [%rd1], %r5;",
            )
            .replace("sm_80", "sm_75"),
            &["sm_75", "sm_90", "sm_120"],
        ),
        // Flags of every kind.
        (
            module(
                "st.release.gpu.global.u32 [%rd1], 1;\nld.acquire.gpu.global.u32 %r5, [%rd1];\nfence.acq_rel.gpu;\n\
                 atom.relaxed.gpu.global.add.u64 %rd2, [%rd1+8], 1;\nld.volatile.global.u16 %h1, [%rd1+2];\nmembar.cta;\n\
                 @%p1 red.release.gpu.global.add.u32 [%rd1+64], 1;\nst.relaxed.cta.shared.u32 [%r3], 1;",
            )
            .replace("sm_80", "sm_75"),
            &["sm_75", "sm_80", "sm_90", "sm_120"],
        ),
        (
            module(
                "fence.acq_rel.cluster;\nst.release.cluster.shared::cluster.u32 [%r4], 1;\n\
                 ld.acquire.cluster.global.u32 %r5, [%rd1];\nbarrier.cluster.arrive.relaxed;\nbarrier.cluster.wait.acquire;",
            )
            .replace(".version 7.1\n.target sm_80", ".version 8.0\n.target sm_90"),
            &["sm_90", "sm_120"],
        ),
        // Exchanges of 16 bytes, and those of system scope.
        (
            module("st.global.u32 [%rd1], 1;")
                .replace(".version 7.1\n.target sm_80", ".version 8.3\n.target sm_90"),
            &["sm_90", "sm_120"],
        ),
        (
            module("st.global.u32 [%rd1], 1;")
                .replace(".version 7.1\n.target sm_80", ".version 8.4\n.target sm_90"),
            &["sm_90", "sm_120"],
        ),
    ];
    let wheres = [(Some(TABLE), false), (None, true)];
    for ((text, archs), (table, told)) in texts.iter().flat_map(|text| wheres.map(|at| (text, at))) {
        let written = folder.join("guarded.ptx");
        let with = Options { exchange: true, table, told, ..options() };
        std::fs::write(&written, guard(text, &with, &mut SiteTable::default(), &|_| true).unwrap().text)
            .unwrap();
        for arch in archs.iter() {
            let done = Command::new(&ptxas)
                .args(["-arch", arch, "-o"])
                .arg(folder.join("guarded.cubin"))
                .arg(&written)
                .output()
                .unwrap();
            assert!(done.status.success(), "{arch}: {}", String::from_utf8_lossy(&done.stderr));
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_descriptors_name_is_counted_as_asynchronous() {
    let bodies = [
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {%r1, %r1}], [%r1];",
        "tcgen05.cp.cta_group::1.128x256b [%r1], %rd1;",
        "st.bulk.weak.shared::cta [%rd1], 64, 0;",
    ];
    for body in bodies {
        let guarded = guard(&module(body), &options(), &mut SiteTable::default(), &|_| true).unwrap();
        let unchecked: Vec<_> = guarded.unchecked.into_iter().collect();
        assert_eq!(unchecked, [(instrument::collide::Unchecked::Asynchronous, 1)], "{body}");
    }
}

/// What is not known may access memory: it is counted as not checked, with an address among its operands or without.
#[test]
fn instructions_that_are_not_known_are_counted() {
    let bodies = [
        "cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs::w.bulk_group [%rd1, {%r1, %r1, %r1}], [%r1];",
        "fence.acquire.sync_restrict::shared::cluster.cluster;",
    ];
    for body in bodies {
        let guarded = guard(&module(body), &options(), &mut SiteTable::default(), &|_| true).unwrap();
        let unchecked: Vec<_> = guarded.unchecked.into_iter().collect();
        assert_eq!(unchecked, [(instrument::collide::Unchecked::Unknown, 1)], "{body}");
    }
}
