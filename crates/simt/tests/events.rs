//! Tests the events that an observer receives.

use crate::support;

use events::{
    Access, AccessKind, AtomicOp, BarrierId, BarrierMembers, Monitor, Observer, Scope, Sem, Space, Strength,
    Sync,
};
use std::sync::{Arc, Mutex};
use support::Machine;

const PTX: &str = include_str!("fixtures/cluster.ptx");
const BASICS: &str = include_str!("fixtures/basics.ptx");
const SYNC: &str = include_str!("fixtures/sync.ptx");

/// An access, owned.
#[derive(Clone, Debug)]
struct Heard {
    space: Space,
    kind: AccessKind,
    strength: Strength,
    size: u32,
    elements: u8,
    mask: u32,
    stored: u32,
    addresses: [u64; 32],
    values: Option<[(u64, u64); 32]>,
    line: u32,
}

#[derive(Debug)]
enum Event {
    Access(Box<Heard>),
    Sync(String),
    Rest,
}

#[derive(Default)]
struct Recorder {
    events: Arc<Mutex<Vec<Event>>>,
    lines: Vec<u32>,
}

impl Recorder {
    fn of(m: &Machine) -> Recorder {
        let lines = m.sites.iter().map(|(_, s)| s.frames.last().map_or(0, |f| f.line)).collect();
        Recorder { lines, ..Recorder::default() }
    }

    fn take(&self) -> Vec<Event> {
        std::mem::take(&mut self.events.lock().unwrap())
    }
}

struct Ear(Arc<Mutex<Vec<Event>>>, Vec<u32>);

impl Observer for Ear {
    fn access(&mut self, a: &Access<'_>) {
        let heard = Heard {
            space: a.space,
            kind: a.kind,
            strength: a.strength,
            size: a.size,
            elements: a.elements,
            mask: a.mask,
            stored: a.stored,
            addresses: *a.addresses,
            values: a.values.copied(),
            line: self.1[a.site.0 as usize],
        };
        self.0.lock().unwrap().push(Event::Access(Box::new(heard)));
    }

    fn sync(&mut self, s: &Sync<'_>) {
        let text = match s {
            Sync::BarrierArrive { id: BarrierId::Cta(id), lanes, waits, .. } => {
                format!("arrive {id} {lanes:x} {waits}")
            }
            Sync::BarrierComplete { members: BarrierMembers::WholeBlock, .. } => "complete whole".to_owned(),
            Sync::BarrierComplete { members: BarrierMembers::Some(m), .. } => {
                let m: Vec<_> = m.iter().map(|m| (m.warp.0, m.arrived, m.waited)).collect();
                format!("complete {m:x?}")
            }
            Sync::Fence { lanes, sem, scope, .. } => format!("fence {lanes:x} {sem:?} {scope:?}"),
            Sync::WarpSync { lanes, .. } => format!("warp {lanes:x}"),
            Sync::Exit { lanes, .. } => format!("exit {lanes:x}"),
            Sync::BlockStart { .. } => "start".to_owned(),
            Sync::BlockEnd { .. } => "end".to_owned(),
            Sync::Converge { active, .. } => format!("converge {active:x}"),
            Sync::AsyncWaited { lanes, ops, .. } => format!("waited {lanes:x} {}", ops.len()),
            other => format!("{other:?}").split_whitespace().next().unwrap_or("").to_owned(),
        };
        self.0.lock().unwrap().push(Event::Sync(text));
    }

    fn rest(&mut self) {
        self.0.lock().unwrap().push(Event::Rest);
    }
}

impl events::Listener for Recorder {
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

impl Monitor for Recorder {
    type Observer = Ear;

    fn observer(&self, _: usize) -> Ear {
        Ear(Arc::clone(&self.events), self.lines.clone())
    }
}

fn listen(m: &Machine, kernel: &str, block: u32, args: &[support::Arg]) -> Vec<Event> {
    let recorder = Arc::new(Recorder::of(m));
    let size = events::Dim3::new(block, 1, 1);
    let mut grid = m.grid(kernel, events::Dim3::ONE, size, args, Arc::clone(&recorder));
    assert_eq!(grid.run(1 << 30), simt::Progress::Finished);
    recorder.take()
}

#[test]
fn a_kernel_in_full() {
    let m = Machine::new(PTX);
    let (x, flag) = (m.upload(&[0; 64]), m.upload(&[0]));
    let events = listen(&m, "events", 20, args![x, flag]);
    let lanes = (1u32 << 20) - 1;
    let syncs: Vec<&str> =
        events.iter().filter_map(|e| if let Event::Sync(s) = e { Some(s.as_str()) } else { None }).collect();
    assert_eq!(
        syncs,
        [
            "start",
            "arrive 0 fffff true",
            "complete whole",
            "fence fffff Sc Cta",
            "converge f",
            "warp f",
            "converge fffff",
            "exit fffff",
            "end"
        ]
    );
    let accesses: Vec<&Heard> =
        events.iter().filter_map(|e| if let Event::Access(a) = e { Some(&**a) } else { None }).collect();
    let [store, cas, part, volatile] = accesses.as_slice() else { panic!("{accesses:?}") };
    let source = include_str!("fixtures/cluster.cu");
    let line = |text: &str| source.lines().position(|l| l.contains(text)).unwrap() as u32 + 1;

    assert_eq!((store.kind, store.strength, store.mask), (AccessKind::Write, Strength::Weak, lanes));
    assert_eq!((store.space, store.size, store.elements), (Space::Global, 4, 1));
    assert!((0..20).all(|i| store.addresses[i] == x + 4 * i as u64));
    assert_eq!((store.stored, store.line), (lanes, line("x[t] = t;")));
    assert!(store.values.is_none());

    assert_eq!(cas.kind, AccessKind::Atomic { op: AtomicOp::Cas, returns: true });
    assert_eq!(cas.strength, Strength::Strong { sem: Sem::Relaxed, scope: Scope::Gpu });
    assert_eq!((cas.mask, cas.stored), (lanes, 1), "only lane 0 finds what it compares with");
    let values = cas.values.unwrap();
    assert_eq!(values[0], (0, 5));
    assert!((1..20).all(|i| values[i] == (5, 5)));
    assert_eq!(cas.line, line("atomicCAS(&x[40]"));

    assert_eq!((part.mask, part.stored), (0xf, 0xf));
    assert_eq!(volatile.strength, Strength::Volatile);
    assert_eq!(volatile.values.unwrap()[..20], [(0, 3); 20]);
}

#[test]
fn shared_accesses_are_offsets_in_their_block() {
    let m = Machine::new(BASICS);
    let (input, out) = (m.upload(&[1; 64]), m.upload(&[0]));
    let events = listen(&m, "block_sum", 64, args![input, out, 64u32]);
    let shared = events.iter().filter_map(|e| match e {
        Event::Access(a) if matches!(a.space, Space::Shared(_)) => Some(a),
        _ => None,
    });
    let mut any = false;
    for a in shared {
        assert_eq!(a.space, Space::Shared(events::BlockId(0)));
        assert!((0..32).filter(|i| a.mask >> i & 1 != 0).all(|i| a.addresses[i] < 1024));
        any = true;
    }
    assert!(any);
    let red = events.iter().find_map(|e| match e {
        Event::Access(a) if matches!(a.kind, AccessKind::Atomic { .. }) => Some(a),
        _ => None,
    });
    let red = red.unwrap();
    assert_eq!(red.kind, AccessKind::Atomic { op: AtomicOp::Add, returns: false });
    assert_eq!((red.mask, red.values.unwrap()[0]), (1, (0, 64)));
}

#[test]
fn named_barriers_tell_who_arrived_and_who_waited() {
    let m = Machine::new(SYNC);
    let out = m.upload(&[0; 128]);
    let events = listen(&m, "named_barriers", 64, args![out]);
    let complete: Vec<_> = events
        .iter()
        .filter_map(|e| match e {
            Event::Sync(s) if s.starts_with("complete") => Some(s.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(complete.len(), 7);
    assert!(
        complete[0].contains("(0, ffffffff, 0)") && complete[0].contains("(1, ffffffff, ffffffff)"),
        "{complete:?}"
    );
}

#[test]
fn copies_are_heard_when_they_are_issued() {
    let m = Machine::new(SYNC);
    let (input, out) = (m.upload(&[7; 32]), m.upload(&[0; 64]));
    let events = listen(&m, "cp_async_early", 32, args![input, out]);
    let at = |f: &dyn Fn(&Event) -> bool| events.iter().position(f).unwrap();
    let issued = at(&|e| matches!(e, Event::Access(a) if matches!(a.kind, AccessKind::AsyncWrite { .. })));
    let early = at(
        &|e| matches!(e, Event::Access(a) if a.kind == AccessKind::Read && a.strength == Strength::Volatile),
    );
    let waited = at(&|e| matches!(e, Event::Sync(s) if s == "waited ffffffff 1"));
    assert!(issued < early && early < waited);
    let reads = events.iter().filter(|e| matches!(e, Event::Access(a) if matches!(a.kind, AccessKind::AsyncRead { .. }) && a.space == Space::Global && a.size == 4 && a.mask == u32::MAX));
    assert_eq!(reads.count(), 1, "one event for all lanes");
}

const STORES: &str = "
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

/// Observers perform deferred work when a worker rests: whenever it leaves the kernel, even if it runs no
/// further.
#[test]
fn a_worker_rests_whenever_it_leaves_a_kernel() {
    let m = Machine::new(STORES);
    let one = events::Dim3::ONE;
    for (turns, traps, fuel) in [(3_u32, 0_u32, 1 << 20), (3, 1, 1 << 20), (1000, 0, 100), (1000, 1, 100)] {
        let recorder = Arc::new(Recorder::of(&m));
        let args = args![m.upload(&[0]), turns, traps];
        let mut grid = m.grid("stores", one, one, args, Arc::clone(&recorder));
        let (mut portions, mut stores, mut rests) = (0, 0, 0);
        let last = loop {
            let progress = grid.run(fuel);
            portions += 1;
            let events = recorder.take();
            assert!(matches!(events.last(), Some(Event::Rest)), "{progress:?}");
            stores += events.iter().filter(|e| matches!(e, Event::Access(_))).count();
            rests += events.iter().filter(|e| matches!(e, Event::Rest)).count();
            if progress != simt::Progress::Running {
                break progress;
            }
        };
        assert_eq!(traps != 0, matches!(last, simt::Progress::Failed(_)), "{last:?}");
        assert_eq!((stores, portions > 1), (turns as usize, fuel == 100));
        assert!(rests >= portions);
    }
}

/// Lanes skip a store and a load by their numbers, in a loop whose turns they leave at different times.
const SKIPS: &str = r#"
.version 8.0
.target sm_90
.address_size 64
.visible .entry skips(.param .u64 out)
{
    .reg .b32 %r<8>;
    .reg .b64 %d<4>;
    .reg .pred %p<4>;
    mov.u32 %r1, %tid.x;
    ld.param.u64 %d1, [out];
    mul.wide.u32 %d2, %r1, 4;
    add.u64 %d1, %d1, %d2;
    mov.u32 %r2, 0;
TURN:
    shr.u32 %r3, %r1, %r2;
    and.b32 %r3, %r3, 1;
    setp.eq.u32 %p1, %r3, 0;
    @%p1 bra BEHIND;
    ld.global.u32 %r4, [%d1];
    setp.gt.u32 %p2, %r4, 2;
    @%p2 add.u32 %r4, %r4, 5;
    add.u32 %r4, %r4, 1;
    st.global.u32 [%d1], %r4;
BEHIND:
    add.u32 %r2, %r2, 1;
    setp.gt.u32 %p3, %r2, %r1;
    @%p3 bra DONE;
    setp.lt.u32 %p3, %r2, 5;
    @%p3 bra TURN;
DONE:
    st.global.u32 [%d1+128], %r2;
    ret;
}
"#;

#[test]
fn lanes_that_skip_instructions_are_heard_as_groups_whatever_the_portions() {
    let heard = |fuel: u64| {
        let m = Machine::new(SKIPS);
        let out = m.upload(&[0; 64]);
        let recorder = Arc::new(Recorder::of(&m));
        let (one, size) = (events::Dim3::ONE, events::Dim3::new(32, 1, 1));
        let mut grid = m.grid("skips", one, size, args![out], Arc::clone(&recorder));
        while grid.run(fuel) != simt::Progress::Finished {}
        let events = recorder.take();
        let told = events.iter().filter(|event| !matches!(event, Event::Rest));
        let told: Vec<String> = told
            .map(|event| match event {
                Event::Access(a) => format!(
                    "{:?} {:x} {:x?}",
                    a.kind,
                    a.mask,
                    a.addresses[a.mask.trailing_zeros() as usize] - out
                ),
                other => format!("{other:?}"),
            })
            .collect();
        (told, m.words(out, 64), grid.stats())
    };
    let (told, words, stats) = heard(1 << 30);
    assert!(told.iter().any(|event| event.contains("converge aaaaaaaa")), "{told:?}");
    assert_eq!(words[..8], [0, 1, 1, 2, 1, 2, 2, 3]);
    for fuel in [1, 2, 7] {
        let (each, after, counts) = heard(fuel);
        assert_eq!((each, after), (told.clone(), words.clone()), "portions of {fuel}");
        assert_eq!(counts.thread_instructions, stats.thread_instructions);
    }
}
