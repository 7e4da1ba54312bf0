//! Runs kernels compiled by nvcc (`fixtures/basics.cu`).

use crate::support;

use simt::{FailureKind, Progress, Schedule, WaitingFor};
use support::Machine;

const PTX: &str = include_str!("fixtures/basics.ptx");

fn machine() -> Machine {
    Machine::new(PTX)
}

#[test]
fn saxpy_with_a_ragged_end() {
    let m = machine();
    let n = 1000u32;
    let x = m.upload(&(0..n).map(|i| (i as f32).to_bits()).collect::<Vec<_>>());
    let y = m.upload(&(0..n).map(|i| (i as f32 * 0.5).to_bits()).collect::<Vec<_>>());
    let stats = m.finish("saxpy", 4, 256, args![n, 2.0f32, x, y]);
    for (i, v) in m.floats(y, n as usize).into_iter().enumerate() {
        assert_eq!(v, i as f32 * 2.5);
    }
    assert_eq!(stats.blocks_done, 4);
    assert_eq!(stats.accesses, 3 * 1000);
}

#[test]
fn block_reduction_through_shared_memory() {
    let m = machine();
    let input = m.upload(&(0..1000).collect::<Vec<u32>>());
    let out = m.upload(&[0]);
    let stats = m.finish("block_sum", 4, 256, args![input, out, 1000u32]);
    assert_eq!(m.words(out, 1), [499_500]);
    assert_eq!(stats.barriers, 4 * 9);
}

#[test]
fn warp_reduction_by_shuffles() {
    let m = machine();
    let input = m.upload(&(0..256).collect::<Vec<u32>>());
    let out = m.upload(&[0; 2]);
    m.finish("warp_sum", 2, 128, args![input, out]);
    assert_eq!(m.words(out, 2), [(0..128).sum::<u32>(), (128..256).sum::<u32>()]);
}

#[test]
fn divergent_loops() {
    let m = machine();
    let out = m.upload(&[0; 100]);
    m.finish("collatz", 2, 50, args![out]);
    let steps = |mut v: u64| {
        let mut n = 0;
        while v != 1 {
            v = if v % 2 == 1 { 3 * v + 1 } else { v / 2 };
            n += 1;
        }
        n
    };
    assert_eq!(m.words(out, 100), (1..=100).map(steps).collect::<Vec<u32>>());
}

#[test]
fn divergent_lanes_come_together_again() {
    let m = machine();
    let out = m.upload(&[0; 32]);
    let stats = m.finish("switches", 1, 32, args![out]);
    // Eight short cases of the switch, and the remaining code once.
    assert!(stats.warp_instructions < 60, "{stats:?}");
    let want = |v: i32| match v % 7 {
        0 => v + 10,
        1 => v * 3,
        2 => v ^ 0x55,
        3 => v - 100,
        4 => -v,
        5 => v << 2,
        _ => 0,
    };
    assert_eq!(m.words(out, 32), (0..32).map(|v| want(v) as u32).collect::<Vec<_>>());
}

#[test]
fn recursion_with_lanes_at_different_depths() {
    let m = machine();
    let out = m.upload(&[0; 64]);
    m.finish("recursion", 1, 64, args![out]);
    let fib = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89];
    assert_eq!(m.words(out, 64), (0..64).map(|i| fib[i % 12]).collect::<Vec<u32>>());
}

#[test]
fn calls_through_a_table() {
    let m = machine();
    let out = m.upload(&[0; 32]);
    m.finish("indirect", 1, 32, args![out]);
    let want = |v: i32| [2 * v, v * v, -v][v as usize % 3] as u32;
    assert_eq!(m.words(out, 32), (0..32).map(want).collect::<Vec<_>>());
}

#[test]
fn printf_prints_in_thread_order() {
    let m = machine();
    m.finish("print", 2, 32, args![2u32]);
    let line = |b, t| format!("block {b} thread {t}: {:5.2} ok 1234567890\n", t as f32 * 0.5);
    assert_eq!(m.text(), [line(0, 0), line(0, 1), line(1, 0), line(1, 1)].concat());
}

#[test]
fn a_failed_assertion_names_itself() {
    let m = machine();
    let (progress, _) = m.run("check", 1, 8, args![6u32]);
    let Progress::Failed(failure) = progress else { panic!("{progress:?}") };
    assert_eq!(failure.kind, FailureKind::Assert { message: "threadIdx.x < n".to_owned() });
    assert_eq!(failure.thread.unwrap().x, 6);
    assert_eq!(m.text().lines().count(), 2);
    assert!(m.text().contains("block: [0,0,0], thread: [7,0,0] Assertion `threadIdx.x < n` failed."));
}

#[test]
fn local_arrays_and_constants() {
    let m = machine();
    let out = m.upload(&[0; 32]);
    m.finish("local_array", 1, 32, args![out, 5u32]);
    let sum: u32 = (0..5).map(|i| (i * 7) % 16).sum();
    assert_eq!(m.words(out, 32), (0..32).map(|t| sum * t).collect::<Vec<_>>());
    m.finish("constants", 1, 32, args![out]);
    assert_eq!(m.floats(out, 4), [1.0, 3.0, -4.0, 16.0]);
}

#[test]
fn structures_are_passed_by_value() {
    let m = machine();
    let out = m.alloc(16 * 8);
    let index = m.module.kernel("structs").unwrap();
    let layout = &m.module.kernels()[index].params;
    assert_eq!((layout[0].size, layout[1].offset), (48, 48));
    let mut params = Vec::new();
    (1..=9i32).for_each(|v| params.extend(v.to_le_bytes()));
    params.resize(40, 0);
    params.extend(0.25f64.to_le_bytes());
    params.extend(out.to_le_bytes());
    let launch = simt::Launch {
        module: m.module.clone(),
        kernel: index,
        grid: events::Dim3::ONE,
        block: events::Dim3::new(16, 1, 1),
        cluster: events::Dim3::ONE,
        dynamic_shared: 0,
        cooperative: false,
        params,
        task: events::TaskId(1),
        device: 0,
    };
    let mut grid = simt::Grid::new(
        launch,
        m.options.clone(),
        m.memory.clone(),
        m.printed.clone(),
        std::sync::Arc::new(events::NoMonitor),
    )
    .unwrap();
    assert_eq!(grid.run(u64::MAX), Progress::Finished);
    let words = m.words(out, 32);
    for t in 0..16usize {
        let got = f64::from_bits(u64::from(words[2 * t]) | u64::from(words[2 * t + 1]) << 32);
        let want: f64 = (0..9).map(|i| (((i + t) % 9 + 1) * (i + 1)) as f64).sum::<f64>() + 0.25 * t as f64;
        assert_eq!(got, want, "thread {t}");
    }
}

#[test]
fn a_lock_inside_a_warp_is_no_deadlock() {
    for schedule in [Schedule::ConvergedFirst, Schedule::RoundRobin { quantum: 3 }, Schedule::Random] {
        for kernel in ["spin_lock", "spin_lock_inner"] {
            let mut m = machine();
            m.options.schedule = schedule.clone();
            let out = m.upload(&[0]);
            let (progress, _) = m.run(kernel, 1, 64, args![out]);
            assert_eq!(progress, Progress::Finished, "{kernel} {schedule}");
            assert_eq!(m.words(out, 1), [64], "{kernel} {schedule}");
        }
    }
}

#[test]
fn blocks_that_wait_for_later_blocks_let_them_start() {
    let m = machine();
    let out = m.upload(&[0; 20]);
    m.finish("chain", 20, 32, args![out]);
    assert_eq!(m.words(out, 20), (1..=20).collect::<Vec<u32>>());
}

#[test]
fn a_kernel_can_wait_for_the_host() {
    let m = machine();
    let flag = m.upload(&[0]);
    let out = m.upload(&[0]);
    let one = events::Dim3::ONE;
    let mut grid =
        m.grid("wait_for_host", one, one, args![flag, out], std::sync::Arc::new(events::NoMonitor));
    for _ in 0..3 {
        let Progress::Stalled(stall) = grid.run(1 << 30) else { panic!() };
        assert_eq!(stall.waiting[0].what, WaitingFor::Spin { address: Some(flag) });
        assert!(!stall.may_end);
        let site = m.sites.get(stall.waiting[0].site.unwrap()).unwrap();
        assert!(site.frames[0].file.ends_with("basics.cu"), "{site:?}");
    }
    m.memory.write(flag, &1u32.to_le_bytes()).unwrap();
    assert_eq!(grid.run(1 << 30), Progress::Finished);
    assert_eq!(m.words(out, 1), [42]);
}

#[test]
fn device_heap() {
    let mut m = machine();
    m.heap(1 << 20);
    let out = m.alloc(8 * 64);
    m.finish("heap", 1, 64, args![out]);
    assert_eq!(
        m.words(out, 128).iter().step_by(2).copied().collect::<Vec<_>>(),
        (1..=64).collect::<Vec<u32>>()
    );
}

#[test]
fn dynamic_shared_memory_follows_the_static_one() {
    let mut m = machine();
    m.dynamic_shared = 128;
    let out = m.upload(&[0; 32]);
    m.finish("dynamic", 1, 32, args![out]);
    assert_eq!(m.words(out, 32), (0..32).map(|t| 100 + 2 * (31 - t)).collect::<Vec<u32>>());
}

#[test]
fn bad_addresses_end_the_kernel_with_their_place() {
    let m = machine();
    let out = m.upload(&[0; 32]);
    let (progress, _) = m.run("out_of_bounds", 1, 32, args![out, 3u32]);
    let Progress::Failed(failure) = progress else { panic!("{progress:?}") };
    let FailureKind::IllegalAddress { address, bytes: 4, write: true, .. } = failure.kind else {
        panic!("{failure:?}")
    };
    assert_eq!(address, out + 128);
    assert_eq!(failure.thread.unwrap().x, 29);
    assert_eq!(failure.kind.cuda_error(), 700);
    let line = m.sites.get(failure.site.unwrap()).unwrap().frames[0].line;
    let text = include_str!("fixtures/basics.cu").lines().nth(line as usize - 1).unwrap();
    assert!(text.contains("out_of_bounds"), "{text}");

    let (progress, _) = m.run("misaligned", 1, 32, args![out]);
    let Progress::Failed(failure) = progress else { panic!("{progress:?}") };
    assert_eq!(failure.kind, FailureKind::Misaligned { address: out + 1, bytes: 4 });
}

/// libcu++ changes single bytes by atomics of the containing aligned word.
#[test]
fn atomics_of_the_word_around_an_allocation_of_a_byte_are_no_illegal_addresses() {
    let kernel = |name: &str, body: &str| {
        format!(
            ".visible .entry {name}(.param .u64 p) {{\n.reg .b16 %h<2>;\n.reg .b32 %r<4>;\n.reg .b64 %rd<2>;\n\
             ld.param.u64 %rd1, [p];\n{body}\nret;\n}}\n"
        )
    };
    let allowed = [
        kernel("exchange", "atom.cas.acquire.gpu.b32 %r1, [%rd1], 0, 1;"),
        kernel("load", "ld.relaxed.gpu.b32 %r1, [%rd1];"),
        kernel("half", "ld.acquire.gpu.b16 %h1, [%rd1];"),
        kernel("store", "st.release.gpu.b32 [%rd1], 7;"),
    ];
    let illegal = [
        kernel("plain", "ld.global.u32 %r1, [%rd1];"),
        kernel("volatile", "ld.volatile.global.u32 %r1, [%rd1];"),
        kernel("beyond", "atom.cas.acquire.gpu.b32 %r1, [%rd1+4], 0, 1;"),
        kernel("wide", "ld.relaxed.gpu.b64 %rd1, [%rd1];"),
    ];
    let head = ".version 8.4\n.target sm_90\n.address_size 64\n".to_owned();
    let m = Machine::new(&(head + &allowed.concat() + &illegal.concat()));
    let byte = m.alloc(1);
    for name in ["exchange", "load", "half", "store"] {
        m.finish(name, 1, 1, args![byte]);
    }
    for name in ["plain", "volatile", "beyond", "wide"] {
        let (progress, _) = m.run(name, 1, 1, args![byte]);
        let Progress::Failed(failure) = progress else { panic!("{name}: {progress:?}") };
        assert!(matches!(failure.kind, FailureKind::IllegalAddress { .. }), "{name}: {failure:?}");
    }
}

#[test]
fn a_stall_names_every_waiting_group() {
    let m = machine();
    let out = m.upload(&[0; 2]);
    let (progress, _) = m.run("half_barrier", 1, 64, args![out]);
    let Progress::Stalled(stall) = progress else { panic!("{progress:?}") };
    let mut what: Vec<_> = stall.waiting.iter().map(|w| w.what).collect();
    what.sort_by_key(|w| matches!(w, WaitingFor::Spin { .. }));
    assert_eq!(
        what,
        [
            WaitingFor::Barrier { id: 0, arrived: 32, expected: 64 },
            WaitingFor::Spin { address: Some(out + 4) }
        ]
    );
}

/// Loads and stores of one lane use a separate fast path.
#[test]
fn a_lane_by_itself_accesses_as_all_do() {
    let m = Machine::new(
        ".version 8.0 .target sm_90 .address_size 64
        .visible .entry each(.param .u64 in, .param .u64 out, .param .u32 all) {
            .reg .pred %p<3>; .reg .b16 %h<2>; .reg .b32 %r<20>; .reg .b64 %rd<12>;
            .shared .align 16 .b8 sh[256];
            .local .align 16 .b8 lo[64];
            ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u32 %r1, [all];
            mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x;
            setp.eq.u32 %p1, %r2, %r3; setp.ne.u32 %p2, %r1, 0; or.pred %p1, %p1, %p2;
            @!%p1 bra DONE;
            mul.wide.u32 %rd3, %r2, 16; add.u64 %rd4, %rd1, %rd3;
            mul.wide.u32 %rd5, %r2, 64; add.u64 %rd6, %rd2, %rd5;
            ld.global.s8 %r10, [%rd4+1]; st.global.u32 [%rd6], %r10;
            ld.global.u8 %r11, [%rd4+2]; st.global.u32 [%rd6+4], %r11;
            ld.global.s16 %h1, [%rd4+4]; st.global.u16 [%rd6+8], %h1;
            ld.global.s32 %rd7, [%rd4+4]; st.global.u64 [%rd6+16], %rd7;
            ld.global.u32 %rd8, [%rd4+8]; st.global.u64 [%rd6+24], %rd8;
            ld.global.v2.u32 {%r12, %r13}, [%rd4+8]; st.global.v2.u32 [%rd6+32], {%r13, %r12};
            ld.u64 %rd9, [%rd4]; st.u64 [%rd6+40], %rd9;
            mov.u32 %r14, sh; mad.lo.u32 %r15, %r2, 8, %r14;
            st.shared.u64 [%r15], %rd9; ld.shared.s16 %r16, [%r15+2]; st.global.u32 [%rd6+48], %r16;
            mov.u64 %rd11, lo; st.local.u64 [%rd11+8], %rd9; ld.local.u32 %r17, [%rd11+12];
            st.global.u32 [%rd6+52], %r17;
        DONE:
            ret;
        }",
    );
    let words: Vec<u32> = (0..32 * 4u32).map(|i| (i + 1).wrapping_mul(0x9e37_79b9)).collect();
    let input = m.upload(&words);
    let [together, alone] = [(); 2].map(|()| m.upload(&[7; 32 * 16]));
    let all = m.finish("each", 1, 32, args![input, together, 1u32]);
    let one = m.finish("each", 32, 32, args![input, alone, 0u32]);
    let (together, alone) = (m.words(together, 32 * 16), m.words(alone, 32 * 16));
    assert_eq!(together, alone);
    assert_eq!(all.accesses, one.accesses);
    for (lane, out) in alone.chunks(16).enumerate() {
        let word = |k: usize| words[lane * 4 + k];
        assert_eq!(
            out[0],
            (word(0) << 16) as i32 as u32 >> 24 | if word(0) >> 15 & 1 != 0 { !0xff } else { 0 }
        );
        assert_eq!((out[4], out[8], out[9], out[13]), (word(1), word(3), word(2), word(1)));
    }
}

/// The grid of such a kernel counts clusters: run as if it counted blocks, most of the work would be silently
/// omitted.
#[test]
fn a_kernel_whose_grid_counts_clusters_is_refused_by_name() {
    let text = ".version 9.0\n.target sm_90\n.address_size 64\n\
                .visible .entry k() .reqnctapercluster 2, 1, 1 .reqntid 32 .blocksareclusters\n{\n ret;\n}\n";
    let (progress, _) = Machine::new(text).run("k", 2, 32, args![]);
    let Progress::Failed(failure) = progress else { panic!("{progress:?}") };
    let FailureKind::Unsupported { instruction } = &failure.kind else { panic!("{failure:?}") };
    assert!(instruction.contains(".blocksareclusters"), "{instruction}");
}

#[test]
fn what_is_not_served_is_named_as_in_ptx() {
    for (declared, instruction) in [
        (".reg .b16 %b<2>;\n.reg .f32 %f<3>;", "cvt.rn.satfinite.ue5m3x2.f32 %b1, %f1, %f2"),
        (".reg .b64 %d<5>;\n.reg .f32 %f<3>;", "clmad.lo.b64 %d1, %d2, %d3, %d4"),
    ] {
        let text = format!(
            ".version 8.7\n.target sm_100a\n.address_size 64\n.visible .entry k()\n{{\n{declared}\n\
             mov.f32 %f1, 0f3F800000;\nmov.f32 %f2, 0f3F800000;\n{instruction};\nret;\n}}\n"
        );
        let (progress, _) = Machine::new(&text).run("k", 1, 32, args![]);
        let Progress::Failed(failure) = progress else { panic!("{instruction} is served: {progress:?}") };
        let FailureKind::Unsupported { instruction: named } = &failure.kind else { panic!("{failure:?}") };
        assert!(named.starts_with(instruction.split(' ').next().unwrap()), "{named}");
        assert!(!named.contains(['{', ':']), "{named}");
    }
}
