//! Forms that recordings of a GPU leave out: vectors of eight, the end of a thread inside a function, fences of one side, the stack,
//! cache policies, and instructions without an effect that a program can see.

use crate::support;

use events::{AccessKind, Dim3, Monitor, Observer, Proxy, Scope, Sem, Sync};
use std::sync::{Arc, Mutex};
use support::Machine;

/// A module whose kernel `k` gets the addresses of two buffers and the thread's place in them.
fn module(functions: &str, body: &str) -> String {
    format!(
        ".version 9.0\n.target sm_100a\n.address_size 64
         {functions}
         .visible .entry k(.param .u64 in, .param .u64 out) {{
             .reg .pred %p<4>; .reg .b32 %r<20>, %t; .reg .b64 %d<9>, %in, %out;
             ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x;
             {body}
             ret;
         }}"
    )
}

/// What a kernel is heard to do, in order.
#[derive(Clone, Default)]
struct Ear(Arc<Mutex<Vec<String>>>);

impl Observer for Ear {
    fn access(&mut self, a: &events::Access<'_>) {
        let what = match a.kind {
            AccessKind::Read => "read",
            AccessKind::Write => "write",
            _ => "other",
        };
        self.0.lock().unwrap().push(format!("{what} {}x{}", a.size, a.elements));
    }

    fn sync(&mut self, s: &Sync<'_>) {
        self.0.lock().unwrap().push(match s {
            Sync::Fence { sem, scope, .. } => format!("fence {sem:?} {scope:?}"),
            Sync::ProxyFence { proxy, space, .. } => format!("proxy {proxy:?} {space:?}"),
            Sync::GridDependency { wait, lanes, .. } => format!("grid dependency {wait} {lanes:#x}"),
            _ => return,
        });
    }
}

impl events::Listener for Ear {
    fn host(&self, _: &events::HostEvent<'_>) {}

    fn findings(&self) -> Vec<events::Finding> {
        Vec::new()
    }

    fn so_far(&self) -> Vec<events::Finding> {
        Vec::new()
    }

    fn account(&self) -> events::Account {
        events::Account::default()
    }
}

impl Monitor for Ear {
    type Observer = Ear;

    fn observer(&self, _: usize) -> Ear {
        self.clone()
    }
}

/// Runs a kernel's body with one block; what it left in `out`, and what was heard.
fn run(functions: &str, body: &str, threads: u32, input: &[u32]) -> (Vec<u32>, Vec<String>) {
    let m = Machine::new(&module(functions, body));
    let (from, to) = (m.upload(input), m.upload(&vec![0; 64]));
    let ear = Arc::new(Ear::default());
    let mut grid = m.grid("k", Dim3::ONE, Dim3::new(threads, 1, 1), args![from, to], Arc::clone(&ear));
    assert_eq!(grid.run(1 << 20), simt::Progress::Finished);
    drop(grid);
    (m.words(to, 64), std::mem::take(&mut *ear.0.lock().unwrap()))
}

#[test]
fn vectors_of_eight_are_one_access_of_eight_words() {
    let body = "ld.global.v8.b32 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%in];
                st.global.v8.b32 [%out], {%r8,%r7,%r6,%r5,%r4,%r3,%r2,%r1};";
    let (out, heard) = run("", body, 1, &[1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(out[..9], [8, 7, 6, 5, 4, 3, 2, 1, 0]);
    assert_eq!(heard, ["read 4x8", "write 4x8"]);
}

#[test]
fn mixed_precision_widens_its_half_sources_and_rounds_once() {
    // 0x3c01 is 1 + 2^-10 as f16, 0x3f81 is 1 + 2^-7 as bf16; 2^24 + 1 is no f32.
    let body = "ld.global.b16 %h1, [%in]; ld.global.b16 %h2, [%in+4];
                ld.global.b32 %r1, [%in+8]; ld.global.b32 %r2, [%in+12];
                sub.rn.f32.f16 %r3, %h1, %r1; st.global.b32 [%out], %r3;
                add.sat.f32.bf16 %r3, %h2, %r1; st.global.b32 [%out+4], %r3;
                add.rp.f32.f16 %r3, %h1, %r2; st.global.b32 [%out+8], %r3;
                fma.rz.f32.f16 %r3, %h1, %h1, %r1; st.global.b32 [%out+12], %r3;";
    let declared = format!(".reg .b16 %h<4>; {body}");
    let (out, _) = run("", &declared, 1, &[0x3c01, 0x3f81, (-2.5f32).to_bits(), 16_777_216f32.to_bits()]);
    let wide = [1.0 + 1.0 / 1024.0, 1.0 + 1.0 / 128.0];
    let expected = [wide[0] + 2.5, 0.0, 16_777_218.0, wide[0] * wide[0] - 2.5];
    assert_eq!(out[..4], expected.map(f32::to_bits));
}

#[test]
fn a_cache_policy_changes_no_access() {
    let body = "createpolicy.fractional.L2::evict_last.b64 %d1, 1.0;
                createpolicy.cvt.L2.b64 %d2, 0x10f0000000000000;
                ld.global.L2::cache_hint.u32 %r1, [%in], %d1;
                st.global.L2::cache_hint.u32 [%out], %r1, %d2;";
    let (out, heard) = run("", body, 1, &[77]);
    assert_eq!(out[0], 77);
    assert_eq!(heard, ["read 4x1", "write 4x1"]);
}

#[test]
fn exit_in_a_function_ends_the_thread_and_barriers_wait_for_the_others_only() {
    // Odd threads leave inside of the function; the others count those at the barrier.
    let leave = ".func leave(.param .b32 who) {
        .reg .pred %p; .reg .b32 %r<3>;
        ld.param.u32 %r1, [who]; and.b32 %r2, %r1, 1; setp.ne.u32 %p, %r2, 0;
        @%p exit;
        ret;
    }";
    let body = "{ .param .b32 a; st.param.b32 [a], %t; call leave, (a); }
                setp.eq.u32 %p1, %t, %t;
                barrier.sync 0;
                bar.red.popc.u32 %r1, 0, %p1;
                mul.wide.u32 %d1, %t, 4; add.s64 %d1, %out, %d1;
                st.global.u32 [%d1], %r1;";
    let (out, _) = run(leave, body, 64, &[0]);
    let expected: Vec<u32> = (0..64).map(|thread| if thread % 2 == 0 { 32 } else { 0 }).collect();
    assert_eq!(out, expected);
}

#[test]
fn fences_of_one_side_are_heard_with_their_side() {
    let body = "fence.acquire.gpu; fence.release.sys; fence.acquire.cluster; fence.release.cta;
                fence.acq_rel.gpu; fence.sc.sys;";
    let (_, heard) = run("", body, 1, &[0]);
    let fences = [
        (Sem::Acquire, Scope::Gpu),
        (Sem::Release, Scope::Sys),
        (Sem::Acquire, Scope::Cluster),
        (Sem::Release, Scope::Cta),
        (Sem::AcqRel, Scope::Gpu),
        (Sem::Sc, Scope::Sys),
    ];
    assert_eq!(heard, fences.map(|(sem, scope)| format!("fence {sem:?} {scope:?}")));
}

#[test]
fn a_fence_between_aliases_is_one_of_the_generic_proxy() {
    let (_, heard) = run("", "fence.proxy.alias;", 1, &[0]);
    assert_eq!(heard, [format!("proxy {:?} None", Proxy::Generic)]);
}

#[test]
fn fences_between_proxies_are_heard_with_their_proxy() {
    let body = "fence.proxy.async; fence.proxy.async.global; fence.proxy.async.shared::cta;
                fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;
                fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;
                fence.proxy.tensormap::generic.release.gpu;
                fence.proxy.tensormap::generic.acquire.gpu [%in], 128;";
    let (_, heard) = run("", body, 1, &[0; 32]);
    let fences = [
        "proxy Async None",
        "proxy Async Some(Global)",
        "proxy Async Some(SharedCta)",
        "proxy Async Some(SharedCluster)",
        "proxy Async Some(SharedCta)",
        // One that releases, or acquires, is a fence of the generic proxy, too (PTX §9.7.13.4).
        "proxy Tensormap None",
        "fence Release Gpu",
        "fence Acquire Gpu",
        "proxy Tensormap None",
    ];
    assert_eq!(heard, fences);
}

#[test]
fn the_ends_of_a_programmatic_launch_are_heard_of_each_lane() {
    let body = "griddepcontrol.wait; setp.lt.u32 %p1, %t, 4; @%p1 griddepcontrol.launch_dependents;";
    let (_, heard) = run("", body, 32, &[0]);
    assert_eq!(heard, ["grid dependency true 0xffffffff", "grid dependency false 0xf"]);
}

#[test]
fn the_stack_is_given_back_to_where_it_was_saved() {
    // The second allocation is at the place of the first, and has not grown the stack.
    let body = "stacksave.u64 %d1;
                alloca.u64 %d2, 64;
                st.local.u32 [%d2], 5;
                stackrestore.u64 %d1;
                alloca.u64 %d3, 64;
                stacksave.u64 %d4;
                sub.s64 %d5, %d3, %d2; st.global.u64 [%out], %d5;
                sub.s64 %d6, %d4, %d1; st.global.u64 [%out+8], %d6;
                alloca.u64 %d7, 64;
                setp.eq.u64 %p1, %d7, %d3;
                selp.u32 %r1, 1, 2, %p1; st.global.u32 [%out+16], %r1;";
    let (out, _) = run("", body, 1, &[0]);
    assert_eq!(out[..5], [0, 0, 64, 0, 2]);
}

#[test]
fn what_only_tools_and_schedulers_see_changes_nothing() {
    let body = "ld.global.u32 %r1, [%in];
                pmevent 3; pmevent.mask 5; brkpt;
                setmaxnreg.inc.sync.aligned.u32 64; setmaxnreg.dec.sync.aligned.u32 32;
                st.global.u32 [%out], %r1;";
    let (out, heard) = run("", body, 32, &[9]);
    assert_eq!(out[..2], [9, 0]);
    assert_eq!(heard, ["read 4x1", "write 4x1"]);
}
