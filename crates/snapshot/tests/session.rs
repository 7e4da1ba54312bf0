//! Reads sessions in their original form, truncated, altered and forged.

#[path = "session/exercise.rs"]
mod exercise;

use events::{Dim3, Frame, Site};
use proptest::prelude::*;
use snapshot::session::{
    Arguments, Call, Condition, Conditional, Early, Error, Fill, Header, Kernel, Limits, MemoryKind, Module,
    Node, NodeKind, Note, Session, Shape, Side, Step, VERSION, Variable, Waited, Within, Writer,
};

fn header() -> Header {
    Header { program: "app".into(), process: 7, devices: 2 }
}

fn kernel() -> Kernel {
    Kernel {
        module: 1,
        name: "k".into(),
        grid: Dim3::new(2, 1, 1),
        block: Dim3::new(32, 1, 1),
        cluster: None,
        shared: 0,
        cooperative: false,
        arguments: Arguments::Each(vec![vec![1, 2, 3, 4], vec![0; 8]]),
    }
}

fn call(step: Step) -> Call {
    Call { api: "cuCall".into(), site: Some(0), thread: 1, device: 0, step, bytes: Vec::new() }
}

fn memory(at: u64) -> Side {
    Side::Memory { at, row: 64, slice: 64 }
}

fn node(kind: NodeKind) -> Node {
    Node { kind, after: vec![], early: vec![], enabled: true }
}

/// Returns calls of every kind.
fn calls() -> Vec<Call> {
    let variable = Variable { name: "v".into(), address: 4096, bytes: 64, managed: false };
    let module = Module { module: 1, name: "module".into(), texts: vec![0], variables: vec![variable] };
    let kind = MemoryKind::Pinned;
    let within = Some(Within { function: 3, call: 1 });
    let fill = Fill { at: 8192, row: 64, width: 32, height: 2, value: 7, element: 4 };
    let nodes = vec![
        Node { kind: NodeKind::Kernel(kernel()), after: vec![], early: vec![], enabled: true },
        Node {
            kind: NodeKind::Copy { to: memory(8192), from: Side::Host, shape: Shape::line(8) },
            after: vec![0],
            early: vec![],
            enabled: true,
        },
        Node {
            kind: NodeKind::Child(vec![Node {
                kind: NodeKind::Fill(fill),
                after: vec![],
                early: vec![],
                enabled: true,
            }]),
            after: vec![0, 1],
            early: vec![],
            enabled: false,
        },
        node(NodeKind::Allocate { at: 16384, bytes: 64 }),
        Node {
            after: vec![0, 3],
            early: vec![Early { from: 0, begun: true }],
            ..node(NodeKind::Kernel(kernel()))
        },
        Node { after: vec![4], ..node(NodeKind::Free { at: 16384 }) },
        node(NodeKind::Conditional(Conditional {
            handle: 77,
            condition: Condition::If,
            bodies: vec![vec![node(NodeKind::Empty)], vec![]],
        })),
    ];
    let of_graphs = MemoryKind::Graph;
    let mut all: Vec<Call> = [
        Step::Module(module),
        Step::Allocated { base: 8192, bytes: 4096, kind, name: None, stream: None },
        Step::Stream { stream: 0x7000, blocking: false },
        Step::Launched { kernel: kernel(), stream: 0x7000, programmatic: true },
        Step::Filled { fill, stream: 1, synchronous: false },
        Step::EventRecorded { event: 9, stream: 0x7000 },
        Step::StreamWaits { stream: 1, event: 9 },
        Step::HostFunction { function: 3, stream: 1 },
        Step::HostAccess { address: 8192, bytes: 4, write: true, within },
        Step::Allocated { base: 16384, bytes: 64, kind: of_graphs, name: None, stream: None },
        Step::Condition { handle: 77, value: 1, resets: true },
        Step::Graph { graph: 5, nodes },
        Step::GraphLaunched { graph: 5, stream: 2 },
        Step::GraphDestroyed { graph: 5 },
        Step::Peer { peer: 1, access: true },
        Step::Waited(Waited::Event(9)),
        Step::Waited(Waited::All),
    ]
    .map(call)
    .into();
    let shape = Shape { width: 4, height: 2, depth: 1 };
    let copied = Step::Copied { to: memory(8192), from: Side::Host, shape, stream: 1, synchronous: true };
    all.push(Call { bytes: (0..8).collect(), ..call(copied) });
    all.push(Call { bytes: vec![5; 3000], ..call(Step::Contents { at: 8200, within }) });
    all.extend([Step::EventDestroyed { event: 9 }, Step::StreamDestroyed { stream: 0x7000 }].map(call));
    all.push(call(Step::Freed { base: 8192, stream: None }));
    all
}

fn written(calls: &[Call]) -> Writer<Vec<u8>> {
    let mut writer = Writer::new(Vec::new(), &header()).unwrap();
    assert_eq!(writer.text(".version 7.0\n").unwrap(), 0);
    let frame = Frame { file: "a.cu".into(), line: 3, column: 0, function: "main".into() };
    assert_eq!(writer.site(&Site { frames: vec![frame], ..Site::default() }).unwrap(), 0);
    for call in calls {
        writer.call(call).unwrap();
    }
    writer.note(&Note { text: "a note".into(), inconclusive: true }).unwrap();
    writer
}

fn file() -> Vec<u8> {
    written(&calls()).finish().unwrap()
}

fn read(bytes: &[u8]) -> Result<Session, Error> {
    Session::read(bytes, Limits::default())
}

#[test]
fn what_was_written_is_read() {
    let session = read(&file()).unwrap();
    assert_eq!((session.header, session.calls, session.complete), (header(), calls(), true));
    assert_eq!((session.texts.len(), session.sites.len(), session.notes.len()), (1, 1, 1));
    assert!(Session::is_one(&file()) && !Session::is_one(b"WRLAUNCH"));
}

/// A process that is killed leaves what it has flushed.
#[test]
fn a_session_without_its_end_has_its_calls() {
    let mut writer = written(&calls());
    writer.flush().unwrap();
    let whole = writer.finish().unwrap();
    let all = calls();
    let mut most = 0;
    for end in 16..whole.len() {
        match read(&whole[..end]) {
            Ok(session) => {
                assert!(!session.complete && all.starts_with(&session.calls), "{end} bytes");
                most = most.max(session.calls.len());
            }
            Err(error) => {
                assert!(matches!(error, Error::Damaged(_) | Error::Truncated | Error::Io(_)), "{error}")
            }
        }
    }
    assert_eq!(most, all.len());
}

#[test]
fn other_files_and_versions_are_named() {
    let whole = file();
    assert!(matches!(read(b"\x7fELF and more than that"), Err(Error::NotASession)));
    assert!(matches!(read(&whole[..12]), Err(Error::Truncated)));
    let mut newer = whole.clone();
    newer[8] += 1;
    assert!(matches!(read(&newer), Err(Error::Version(v)) if v == VERSION + 1));
    // The checksum covers the data.
    let mut changed = whole;
    *changed.last_mut().unwrap() ^= 1;
    assert!(matches!(read(&changed), Err(Error::Damaged(_))));
}

#[test]
fn what_cannot_be_is_refused() {
    let allocated = |base, bytes| {
        let (kind, name) = (MemoryKind::Device, None);
        call(Step::Allocated { base, bytes, kind, name, stream: None })
    };
    let launched = |kernel| call(Step::Launched { kernel, stream: 1, programmatic: false });
    let copied = |to, from, shape, bytes: usize| {
        let step = Step::Copied { to, from, shape, stream: 1, synchronous: true };
        Call { bytes: vec![0; bytes], ..call(step) }
    };
    let module = Module { module: 1, name: String::new(), texts: vec![3], variables: vec![] };
    let late = Node { kind: NodeKind::Empty, after: vec![0], early: vec![], enabled: true };
    let early = vec![
        node(NodeKind::Empty),
        Node { after: vec![0], early: vec![Early { from: 0, begun: true }], ..node(NodeKind::Empty) },
    ];
    let graph = |kind| vec![call(Step::Graph { graph: 1, nodes: vec![node(kind)] })];
    let unknown = Conditional { handle: 3, condition: Condition::While, bodies: vec![] };
    let far = Shape { width: u64::MAX, height: 2, depth: 2 };
    for (calls, expected) in [
        (vec![allocated(0, 16)], "cannot be there"),
        (vec![allocated(u64::MAX - 8, 16)], "cannot be there"),
        (vec![allocated(4096, 16), allocated(4100, 16)], "cannot be there"),
        (vec![allocated(4096, 1 << 41)], "too large"),
        (vec![call(Step::Freed { base: 4096, stream: None })], "no memory to be freed"),
        (vec![Call { device: 2, ..allocated(4096, 16) }], "device 2 of 2"),
        (vec![Call { site: Some(1), ..allocated(4096, 16) }], "no source position"),
        (vec![call(Step::Module(module))], "no text"),
        (vec![launched(kernel())], "no module 1"),
        (vec![launched(Kernel { block: Dim3::new(0, 1, 1), ..kernel() })], "zero"),
        (vec![launched(Kernel { arguments: Arguments::Packed(vec![0; 1 << 17]), ..kernel() })], "too long"),
        (vec![copied(memory(8), Side::Host, Shape::line(8), 7)], "comes with others"),
        (vec![copied(memory(8), memory(16), far, 0)], "no shape"),
        (vec![copied(Side::Host, Side::Host, Shape::line(8), 8)], "no shape"),
        (vec![call(Step::Graph { graph: 1, nodes: vec![late] })], "before one that it depends on"),
        (vec![call(Step::Graph { graph: 1, nodes: early })], "not between kernels"),
        (graph(NodeKind::Allocate { at: 4096, bytes: 16 }), "no memory at 0x1000"),
        (graph(NodeKind::Free { at: 4096 }), "frees no memory"),
        (graph(NodeKind::Conditional(unknown)), "no handle"),
        (
            vec![Call { bytes: vec![1], ..call(Step::Contents { at: 8, within: None }) }],
            "not in their memory",
        ),
        (vec![call(Step::Peer { peer: 9, access: true })], "device 9"),
    ] {
        let error = read(&written(&calls).finish().unwrap()).unwrap_err().to_string();
        assert!(error.contains(expected), "{expected}: {error}");
    }
    let mut deep = vec![];
    for _ in 0..20 {
        deep = vec![Node { kind: NodeKind::Child(deep), after: vec![], early: vec![], enabled: true }];
    }
    let error = read(&written(&[call(Step::Graph { graph: 1, nodes: deep })]).finish().unwrap()).unwrap_err();
    assert!(error.to_string().contains("graphs within graphs"), "{error}");
    let few = Limits { bytes: 100, ..Limits::default() };
    assert!(matches!(Session::read(&file()[..], few), Err(Error::TooLarge(_))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Bytes, sizes and contents of calls survive, however long they are.
    #[test]
    fn copies_survive(calls in prop::collection::vec((1u64..1 << 40, 1u64..40, 1u64..5, 1u64..3, any::<bool>(), any::<u32>()), 0..20)) {
        let calls: Vec<Call> = calls
            .into_iter()
            .map(|(at, width, height, depth, synchronous, thread)| {
                let shape = Shape { width, height, depth };
                let bytes: Vec<u8> = (0..shape.bytes().unwrap()).map(|i| (at >> (i % 40)) as u8).collect();
                let to = Side::Memory { at, row: width + 3, slice: 7 * width };
                let step = Step::Copied { to, from: Side::Host, shape, stream: at ^ 5, synchronous };
                Call { bytes, thread, ..call(step) }
            })
            .collect();
        prop_assert_eq!(read(&written(&calls).finish().unwrap()).unwrap().calls, calls);
    }
}

/// Runs the body of the fuzz target on altered files.
#[test]
fn changed_files_break_nothing() {
    let whole = file();
    let plain = zstd::decode_all(&whole[16..]).unwrap();
    let mut seed = 1u64;
    let mut draw = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 20) as usize
    };
    for round in 0..2000 {
        let mut bytes = if round % 2 == 0 { whole.clone() } else { plain.clone() };
        for _ in 0..4 {
            let at = 16 + draw() % (bytes.len() - 16);
            bytes[at] = draw() as u8;
        }
        exercise::exercise(&bytes);
    }
}
