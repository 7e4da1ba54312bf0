//! Tests kernels with the checks of both `guard` and `collide`, on the virtual GPU.

use crate::guardian::{BODY, Guardian, TABLE, module, options};
use events::SiteTable;
use instrument::both::both;
use instrument::collide::Options;
use instrument::guard::{self, Guarded};
use instrument::pass::Pass;
use instrument::sink::ADDRESS;
use simt::Schedule;

fn made(text: &str, guarding: &guard::Options, colliding: &Options) -> (Guarded, SiteTable) {
    let mut sites = SiteTable::default();
    let made = both(text, guarding, colliding, &mut sites, &|_| true).unwrap();
    let pass = Pass::Guard(guarding.clone(), Some(colliding.clone()));
    validate::validate(text, &made.text, &pass.declared(made.checks.len() as u32))
        .unwrap_or_else(|fault| panic!("{fault}\n{}", made.text));
    (made, sites)
}

/// Returns the reports of `guard` and of `collide` for blocks of one warp: lines of the body, for `guard` of
/// both accesses.
fn told(body: &str, blocks: u32, threads: u32, colliding: &Options) -> (Vec<[u32; 2]>, Vec<u32>) {
    let (mut by_guard, mut by_collide) = (Vec::new(), Vec::new());
    for schedule in [Schedule::ConvergedFirst, Schedule::RoundRobin { quantum: 4 }, Schedule::Random] {
        let (guarded, sites) = made(&module(body), &options(), colliding);
        let guardian = Guardian::of(guarded, sites, schedule);
        let words = guardian.machine.upload(&[0; 512]);
        guardian.machine.finish("k", blocks, threads, args![words]);
        for (check, first) in guardian.records() {
            let line = guardian.line(check) - BODY;
            match first.other {
                Some(other) => {
                    let mut lines = [line, guardian.line(other.check) - BODY];
                    lines.sort_unstable();
                    by_guard.push(lines);
                }
                None => by_collide.push(line),
            }
        }
    }
    by_guard.sort_unstable();
    by_guard.dedup();
    by_collide.sort_unstable();
    by_collide.dedup();
    (by_guard, by_collide)
}

/// An unordered access to a value of a later block: each pass reports it in its own way.
#[test]
fn both_tell_of_a_race_in_one_run() {
    let body = "@!%p2 st.global.u32 [%rd1], %r2;\n@%p2 ld.global.u32 %r5, [%rd1];\n@%p2 st.global.u32 [%rd1+4], %r5;";
    let colliding = Options { blocks: instrument::sample::Blocks::ALL, ..Options::balanced(ADDRESS) };
    let (by_guard, by_collide) = told(body, 4, 1, &colliding);
    assert_eq!(by_guard, [[0, 0], [0, 1]]);
    assert!(by_collide.contains(&1), "{by_collide:?}");
}

#[test]
fn neither_tells_of_what_is_ordered() {
    let body = "cvt.u64.u32 %rd2, %r4;\nst.shared.u32 [%r4], %r1;\nbar.sync 0;\nxor.b32 %r5, %r4, 4;\nld.shared.u32 %r6, [%r5];\n\
                bar.sync 0;\nst.shared.u32 [%r4], %r6;\natom.global.add.u32 %r7, [%rd1], 1;";
    for colliding in [Options::balanced(ADDRESS), Options::fastest(ADDRESS), Options::sampled(ADDRESS)] {
        assert_eq!(told(body, 4, 64, &colliding), (vec![], vec![]));
    }
}

/// Blocks that `collide` skips are instrumented by `guard` like the others.
#[test]
fn blocks_that_one_leaves_out_are_guarded() {
    let body = "setp.lt.u32 %p3, %r2, 300;\n@%p3 ret;\nst.global.u32 [%rd1], %r2;";
    let colliding = Options {
        blocks: instrument::sample::Blocks { first: 8, one_of: 1 << 20 },
        ..Options::fastest(ADDRESS)
    };
    let (guarded, _) = made(&module(body), &options(), &colliding);
    assert!(guarded.text.contains("$__warprace_plain"), "all blocks take one way");
    let (by_guard, by_collide) = told(body, 302, 1, &colliding);
    assert_eq!((by_guard, by_collide), (vec![[2, 2]], vec![]));
}

/// Each instruction has one number, whichever pass names it, and the checks of `guard` come first.
#[test]
fn sites_are_those_of_one_pass() {
    let text = module("st.global.u32 [%rd1], %r2;\nld.global.u32 %r5, [%rd1];\nst.global.u32 [%rd1+4], %r5;");
    let mut alone = SiteTable::default();
    let guarded = guard::guard(&text, &options(), &mut alone, &|_| true).unwrap();
    let (both, sites) = made(&text, &options(), &Options::balanced(ADDRESS));
    assert_eq!(sites.iter().collect::<Vec<_>>(), alone.iter().collect::<Vec<_>>());
    assert_eq!(both.checks[..guarded.checks.len()], guarded.checks);
    assert_eq!(both.checks.len(), 2 * guarded.checks.len());
    assert!(both.text.contains(&TABLE.to_string()));
}
