//! Accesses that a proof names: they race with nothing, and leave no history.

#[allow(dead_code, reason = "a vocabulary; each test uses a part of it")]
mod script;

use detect::ptx::{PtxOptions, Shortcuts};
use events::task::SyncUse;
use events::{Class, Listener, SiteId, Tell};
use script::{Script, T, launch};

/// Runs a warp that writes and reads shared memory by two instructions, which a proof names if `proved`; then two threads race
/// by others if `race`. Returns the bytes of shadow state, and what is reported.
fn tile(shortcuts: Shortcuts, proved: bool, race: bool) -> (u64, Vec<Class>) {
    let options = PtxOptions { shortcuts, ..PtxOptions::default() };
    let mut script = Script::with(launch(1, 1, 64, 1, SyncUse::default()), options);
    script.shared(Some(0));
    let first = line!() + 5;
    if proved {
        script.ear.monitor.apart(script::TASK, &[SiteId(first), SiteId(first + 1)]);
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
