//! Tests blocks that run until other blocks have done their work (`fixtures/queues.cu`).

use crate::support;

use events::{Dim3, NoMonitor};
use simt::Progress;
use std::sync::Arc;
use support::Machine;

const PTX: &str = include_str!("fixtures/queues.ptx");

/// The first resident blocks continually change memory and synchronise at barriers while they look for the
/// work of blocks that are not resident yet. These must be admitted, however small the portions are.
#[test]
fn queues_of_blocks_that_are_still_to_come_are_emptied() {
    let named = "converged-first:0 round-robin/3:0 random:0 shuffle-lanes:0 pct/2/200:1 pct/2/200:2 pct/3/5000:3 path/-:0";
    for named in named.split(' ') {
        let (schedule, seed) = named.split_once(':').unwrap();
        let mut m = Machine::new(PTX);
        m.options.schedule = schedule.parse().unwrap();
        m.options.seed = seed.parse().unwrap();
        let n = 7u32;
        let (work, locks) = (m.upload(&vec![3; n as usize]), m.upload(&vec![0; n as usize]));
        let done = m.upload(&vec![0; n as usize]);
        let (grid, block) = (Dim3::new(n, 1, 1), Dim3::new(64, 1, 1));
        let mut grid = m.grid("queues", grid, block, args![work, locks, done], Arc::new(NoMonitor));
        let mut portions = 0;
        loop {
            portions += 1;
            assert!(portions < 20_000, "{named}: not finished");
            match grid.run(1000) {
                Progress::Running => {}
                progress => {
                    assert_eq!(progress, Progress::Finished, "{named}");
                    break;
                }
            }
        }
        assert_eq!(m.words(done, n as usize), vec![3; n as usize], "{named}");
    }
}
