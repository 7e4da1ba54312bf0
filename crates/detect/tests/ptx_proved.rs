//! Accesses that a proof names: they race with nothing in their launch, and are skipped.

use crate::script;

use detect::ptx::{PtxMonitor, PtxOptions, Shortcuts};
use events::task::SyncUse;
use events::{AccessKind, Class, Listener, Proof, Proxy, SiteId, StreamId, Strength, TaskId, TaskInfo, Tell};
use script::{Script, T, launch};

/// Runs a warp that writes and reads shared memory by two instructions, which a proof names if `proved`; then two threads race
/// by others if `race`. Returns the bytes of shadow state, and what is reported.
fn tile(shortcuts: Shortcuts, proved: bool, race: bool) -> (u64, Vec<Class>) {
    let options = PtxOptions { shortcuts, ..PtxOptions::default() };
    let mut script = Script::with(launch(1, 1, 64, 1, SyncUse::default()), options);
    script.shared(Some(0));
    let first = line!() + 5;
    if proved {
        script.ear.monitor.apart(script::TASK, &[first, first + 1].map(|site| (SiteId(site), Proof::Shared)));
    }
    for lane in 0..32 {
        script.write(T(0, lane), u64::from(lane) * 4);
        script.read(T(0, lane), u64::from(lane) * 4);
    }
    if race {
        script.barrier(0);
        script.write(T(0, 40), 0);
        script.read(T(0, 7), 0);
    }
    script.block_end(0);
    let found = script.classes();
    (script.ear.monitor.account().footprint.shadow_bytes, found)
}

#[test]
fn accesses_that_a_proof_names_leave_no_shadow() {
    let immediate = Shortcuts { deferral: false, ..Shortcuts::ALL };
    for shortcuts in [immediate, Shortcuts::NONE] {
        let [all, pruned] = [false, true].map(|proved| tile(shortcuts, proved, false));
        assert!(pruned.0 < all.0, "{} and {} bytes", pruned.0, all.0);
        assert_eq!((pruned.0, all.1.len(), pruned.1.len()), (0, 0, 0));
        let [all, pruned] = [false, true].map(|proved| tile(shortcuts, proved, true));
        assert_eq!((all.1.len(), pruned.1), (1, all.1), "the race of other instructions is found either way");
    }
}

const X: u64 = 0x1000;
const Y: u64 = 0x10_0000;
const ACCESS: SiteId = SiteId(7);

/// Runs a launch of two blocks, of which the first warp of each accesses 32 words from the next address on by
/// [`ACCESS`]. The proof says that [`ACCESS`] accesses `array`, and races with nothing.
fn two_blocks(monitor: &PtxMonitor, id: u32, array: Option<u64>, kind: AccessKind, addresses: [u64; 2]) {
    let info = TaskInfo { stream: StreamId(id), ..launch(id, 2, 32, 1, SyncUse::default()) };
    let mut script = Script::on(monitor, &info);
    if let Some(bytes) = array {
        let proof = Proof::Global { array: X..X + bytes, is_free: true, is_inside: false };
        monitor.apart(TaskId(id), &[(ACCESS, proof)]);
    }
    for (block, address) in (0..).zip(addresses) {
        let threads: Vec<(T, u64)> = (0..32).map(|l| (T(block, l), address + 4 * u64::from(l))).collect();
        script.access(ACCESS, &threads, kind, Strength::Weak, Proxy::Generic, (4, 1));
    }
    script.finish();
}

fn classes(monitor: &PtxMonitor) -> Vec<Class> {
    monitor.findings().iter().map(|f| f.class).collect()
}

#[test]
fn words_that_an_instruction_has_accessed_are_skipped() {
    for (array, races) in [(None, 1), (Some(4096), 0)] {
        let monitor = PtxMonitor::default();
        two_blocks(&monitor, 1, array, AccessKind::Write, [X, X]);
        assert_eq!(classes(&monitor).len(), races, "a wrong proof shows what is skipped");
    }
}

#[test]
fn accesses_with_a_new_element_are_judged_whole() {
    let monitor = PtxMonitor::default();
    two_blocks(&monitor, 1, Some(4096), AccessKind::Write, [X, X + 64]);
    assert_eq!(classes(&monitor).len(), 1, "a wrong proof shows what is judged");
}

/// A first launch reads another array as often as `turns` says, warp by warp. The wrong proof of a second one shows whether
/// elements of the instruction are still noted.
#[test]
fn elements_are_noted_where_that_has_paid_in_an_earlier_launch() {
    for (turns, races) in [(1, 1), (4, 0)] {
        let monitor = PtxMonitor::default();
        let mut script = Script::on(&monitor, &launch(1, 1, 32, 1, SyncUse::default()));
        let proof = Proof::Global { array: Y..Y + (1 << 16), is_free: true, is_inside: false };
        monitor.apart(TaskId(1), &[(ACCESS, proof)]);
        for at in (0..turns).flat_map(|_| (0..1 << 16).step_by(128)) {
            let threads: Vec<(T, u64)> = (0..32).map(|l| (T(0, l), Y + at + 4 * u64::from(l))).collect();
            script.access(ACCESS, &threads, AccessKind::Read, Strength::Weak, Proxy::Generic, (4, 1));
        }
        script.finish();
        two_blocks(&monitor, 2, Some(4096), AccessKind::Write, [X, X]);
        assert_eq!(classes(&monitor).len(), races, "{turns}");
    }
}

#[test]
fn skipped_accesses_race_with_other_tasks() {
    for array in [None, Some(4096)] {
        let monitor = PtxMonitor::default();
        two_blocks(&monitor, 1, array, AccessKind::Read, [X, X]);
        two_blocks(&monitor, 2, None, AccessKind::Write, [X, X + 128]);
        let found: Vec<_> = monitor.findings().iter().map(|f| (f.class, f.count)).collect();
        assert_eq!(found, [(Class::InterKernel, 32)]);
    }
}

#[test]
fn nothing_is_skipped_after_an_instruction_has_left_its_array() {
    let monitor = PtxMonitor::default();
    two_blocks(&monitor, 1, Some(64), AccessKind::Write, [X, X]);
    assert_eq!(classes(&monitor).len(), 1);
    let limits = monitor.account().limits;
    assert!(limits.iter().any(|limit| limit.starts_with("script: an instruction accessed")), "{limits:?}");
}
