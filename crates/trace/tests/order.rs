//! Blocks that communicate, dealt to several players.

use events::access::Warp;
use events::task::{LaunchInfo, SyncUse};
use events::*;
use proptest::prelude::*;
use std::sync::{Arc, Mutex};
use trace::{Audience, Deal, Recorder, play_together};

/// An access of one lane: by whom, to which bytes, and whether it writes. Its site is its number.
#[derive(Clone, Copy, Debug)]
struct Touch {
    block: u32,
    address: u64,
    bytes: u32,
    writes: bool,
}

/// Writes down the sites it hears, in a list that all share.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<SiteId>>>);

impl Observer for Log {
    fn access(&mut self, access: &Access<'_>) {
        // Others would overtake, if they could.
        if access.site.0.is_multiple_of(7) {
            std::thread::yield_now();
        }
        self.0.lock().unwrap().push(access.site);
    }

    fn sync(&mut self, _: &Sync<'_>) {}
}

impl events::Listener for Log {
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

impl Monitor for Log {
    type Observer = Log;

    fn observer(&self, _: usize) -> Log {
        self.clone()
    }
}

fn record(touches: &[Touch]) -> Vec<u8> {
    let path = std::env::temp_dir().join(format!("warprace-order-{}", std::process::id()));
    let recorder = Recorder::create(&path, names::Engine::Virtual).unwrap();
    let mut observer = recorder.observer(0);
    recorder.task_start(&TaskInfo {
        id: TaskId(0),
        kind: TaskKind::Launch(LaunchInfo {
            kernel: "kernel".into(),
            grid: Dim3::new(64, 1, 1),
            block: Dim3::ONE,
            cluster: Dim3::ONE,
            cooperative: false,
            shared_bytes: 0,
            uses: SyncUse { blocks_communicate: true, ..SyncUse::default() },
        }),
        stream: StreamId(0),
        after: Vec::new(),
        call: Default::default(),
        device: 0,
        overlap: None,
        launcher: None,
    });
    for (number, touch) in touches.iter().enumerate() {
        if number % 50 == 49 {
            recorder.flush().unwrap();
        }
        let mut addresses = [0; 32];
        addresses[3] = touch.address;
        observer.access(&Access {
            warp: Warp { task: TaskId(0), block: BlockId(touch.block), warp: WarpId(0) },
            site: SiteId(number as u32),
            space: Space::Global,
            kind: match (touch.writes, touch.bytes <= 16) {
                (true, true) => AccessKind::Write,
                (false, true) => AccessKind::Read,
                (true, false) => AccessKind::AsyncWrite { op: AsyncOpId(1) },
                (false, false) => AccessKind::AsyncRead { op: AsyncOpId(1) },
            },
            strength: Strength::Weak,
            proxy: Proxy::Generic,
            size: touch.bytes,
            elements: 1,
            mask: 1 << 3,
            addresses: &addresses,
            stride: None,
            stored: if touch.writes { 1 << 3 } else { 0 },
            values: None,
            written: Default::default(),
        });
    }
    recorder.task_end(TaskId(0));
    recorder.close().unwrap();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    bytes
}

fn touch() -> impl Strategy<Value = Touch> {
    // Words, pieces of several lines, and so many lines that they are not told apart.
    let bytes = prop_oneof![20 => Just(4), 4 => Just(1), 2 => Just(200), 1 => Just(1 << 17)];
    (0u32..64, 0u64..100, bytes, prop::bool::weighted(0.4)).prop_map(|(block, word, bytes, writes)| Touch {
        block,
        address: 4096 + word * 4,
        bytes,
        writes,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn accesses_that_conflict_keep_their_order(
        touches in prop::collection::vec(touch(), 0..400),
        others in 1..4usize,
    ) {
        let (bytes, log) = (record(&touches), Log::default());
        let logs = vec![log.clone(); others + 1];
        let audience: Vec<&dyn Audience> = logs.iter().map(|log| log as &dyn Audience).collect();
        let (_, result) = play_together(bytes.as_slice(), &audience, Deal::Blocks);
        result.unwrap();
        let mut place = vec![usize::MAX; touches.len()];
        let heard = log.0.lock().unwrap();
        prop_assert_eq!(heard.len(), touches.len());
        for (at, site) in heard.iter().enumerate() {
            place[site.0 as usize] = at;
        }
        let meet = |a: &Touch, b: &Touch| {
            let overlap =
                a.address < b.address + u64::from(b.bytes) && b.address < a.address + u64::from(a.bytes);
            a.block == b.block || overlap && (a.writes || b.writes)
        };
        for (later, b) in touches.iter().enumerate() {
            for (earlier, a) in touches[..later].iter().enumerate().filter(|(_, a)| meet(a, b)) {
                prop_assert!(place[earlier] < place[later], "{a:?} {b:?}");
            }
        }
    }
}
