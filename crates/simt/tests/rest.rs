//! When a worker tells its observer that it rests.

mod support;

use events::{Access, Account, Dim3, Finding, HostEvent, Listener, Monitor, Observer, Sync};
use simt::Progress;
use std::sync::{Arc, Mutex};
use support::Machine;

const PTX: &str = "
.version 8.0
.target sm_90
.address_size 64
.visible .entry stores(.param .u64 out, .param .u32 turns, .param .u32 traps) {
    .reg .pred %p<3>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [turns];
    ld.param.u32 %r2, [traps];
LOOP:
    st.global.u32 [%rd1], %r1;
    sub.u32 %r1, %r1, 1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra LOOP;
    setp.ne.u32 %p2, %r2, 0;
    @%p2 trap;
    ret;
}
";

/// What was heard, a letter each.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>);

impl Observer for Log {
    fn access(&mut self, _: &Access<'_>) {
        self.0.lock().unwrap().push('a');
    }

    fn sync(&mut self, _: &Sync<'_>) {
        self.0.lock().unwrap().push('s');
    }

    fn rest(&mut self) {
        self.0.lock().unwrap().push('r');
    }
}

impl Listener for Log {
    fn host(&self, _: &HostEvent<'_>) {}

    fn findings(&self) -> Vec<Finding> {
        Vec::new()
    }

    fn so_far(&self) -> Vec<Finding> {
        Vec::new()
    }

    fn account(&self) -> Account {
        Account::default()
    }
}

impl Monitor for Log {
    type Observer = Log;

    fn observer(&self, _: usize) -> Log {
        self.clone()
    }
}

/// What observers put off they do when a worker rests: whenever it leaves the kernel, even if that goes no further.
#[test]
fn a_worker_rests_whenever_it_leaves_a_kernel() {
    let m = Machine::new(PTX);
    for (turns, traps, fuel) in [(3_u32, 0_u32, 1 << 20), (3, 1, 1 << 20), (1000, 0, 100), (1000, 1, 100)] {
        let (log, out) = (Arc::new(Log::default()), m.upload(&[0]));
        let mut grid = m.grid("stores", Dim3::ONE, Dim3::ONE, args![out, turns, traps], Arc::clone(&log));
        let mut portions = 0;
        let last = loop {
            let progress = grid.run(fuel);
            portions += 1;
            assert!(log.0.lock().unwrap().ends_with('r'), "{progress:?}");
            if progress != Progress::Running {
                break progress;
            }
        };
        let log = log.0.lock().unwrap();
        let count = |letter| log.matches(letter).count();
        assert_eq!(traps != 0, matches!(last, Progress::Failed(_)), "{last:?}");
        assert_eq!((count('a'), portions > 1), (turns as usize, fuel == 100), "{log}");
        assert!(count('r') >= portions, "{log}");
    }
}
