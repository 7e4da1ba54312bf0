//! The exported tables hold one row per thread and access; readers of the formats read them back.

use columnar::Format;
use events::RangeAccess;
use events::access::Warp;
use events::*;
use std::fs::File;
use std::path::{Path, PathBuf};
use trace::columnar::export;
use trace::{Error, Recorder};

fn folder(name: &str) -> PathBuf {
    let directory = std::env::temp_dir().join(format!("warprace-columnar-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

fn record(path: &Path) {
    let recorder = Recorder::create(path, names::Engine::Virtual).unwrap();
    let inner = Frame { file: "a.cu".into(), line: 7, column: 3, function: "f".into() };
    let outer = Frame { file: "b.cu".into(), line: 1, column: 2, function: "k".into() };
    let site = Site {
        function: "k".into(),
        text: "st.global.u32 \"x\", [%rd1]".into(),
        ptx_line: 9,
        frames: vec![inner, outer],
        variable: None,
        role: None,
    };
    let mut sites = SiteTable::default();
    let id = sites.push(site);
    recorder.sites(&sites, id);
    recorder.task_start(&TaskInfo {
        id: TaskId(1),
        kind: TaskKind::Launch(LaunchInfo {
            kernel: "k".into(),
            grid: Dim3::new(4, 1, 1),
            block: Dim3::new(64, 2, 1),
            cluster: Dim3::ONE,
            cooperative: false,
            shared_bytes: 0,
            uses: Default::default(),
        }),
        stream: StreamId(0),
        after: Vec::new(),
        call: task::HostCall::default(),
        device: 0,
        overlap: None,
        launcher: None,
    });
    let parameters = [(0, 8), (8, 4)].map(|(offset, bytes)| task::Parameter { offset, bytes }).to_vec();
    let bytes = [0x1000u64.to_le_bytes().as_slice(), &7u32.to_le_bytes()].concat();
    recorder.launched(TaskId(1), &LaunchFacts { dynamic_shared: 128, bytes, parameters, shared: Vec::new() });
    let mut observer = recorder.observer(0);
    let warp = Warp { task: TaskId(1), block: BlockId(2), warp: WarpId(1) };
    let addresses = std::array::from_fn(|lane| 0x1000 + 4 * lane as u64);
    observer.access(&Access {
        warp,
        site: SiteId(0),
        space: Space::Global,
        kind: AccessKind::Write,
        strength: Strength::Weak,
        proxy: Proxy::Generic,
        size: 4,
        elements: 1,
        mask: 0b1011,
        addresses: &addresses,
        stride: None,
        stored: 0b1011,
        values: None,
        written: Default::default(),
    });
    observer.sync(&Sync::WarpSync { warp, site: SiteId(0), lanes: u32::MAX });
    let (base, bytes) = (0x1000, 64);
    recorder.range(&RangeAccess { task: TaskId(2), site: None, address: base, bytes, write: true });
    recorder.close().unwrap();
}

#[test]
fn csv_has_a_row_for_each_thread_and_access() {
    let directory = folder("csv");
    let path = directory.join("trace");
    record(&path);
    let exported = export(File::open(&path).unwrap(), &directory, Format::Csv).unwrap();
    assert!(exported.damage.is_none());
    assert_eq!((exported.played.events(), exported.played.accesses()), (2, 3));
    assert_eq!(exported.accesses, 4, "as many as there are rows");
    let table = |name: &str| std::fs::read_to_string(directory.join(name)).unwrap();
    assert_eq!(
        table("accesses.csv"),
        "seq,task,block,thread,site,space,space_block,kind,strength,address,size,elements,read,written\n\
         0,1,2,32,0,global,,write,weak,4096,4,1,,\n\
         0,1,2,33,0,global,,write,weak,4100,4,1,,\n\
         0,1,2,35,0,global,,write,weak,4108,4,1,,\n\
         2,2,,,,global,,write,weak,4096,64,1,,\n"
    );
    assert_eq!(
        table("launches.csv"),
        "task,kernel,grid,block,cluster,cooperative,dynamic_shared,parameters\n\
         1,k,4x1x1,64x2x1,1x1x1,0,128,0010000000000000 07000000\n"
    );
    assert!(table("sync.csv").lines().nth(1).unwrap().starts_with("1,1,2,1,0,4294967295,WarpSync,"));
    assert!(
        table("sites.csv")
            .contains("0,k,\"st.global.u32 \"\"x\"\", [%rd1]\",9,a.cu,7,3,a.cu:7:3 f; b.cu:1:2 k"),
        "{}",
        table("sites.csv")
    );
    std::fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn what_precedes_damage_is_exported() {
    let directory = folder("damage");
    let path = directory.join("trace");
    record(&path);
    let bytes = std::fs::read(&path).unwrap();
    let exported = export(&[&bytes[..], b"CHWKrest"].concat()[..], &directory, Format::Csv).unwrap();
    assert!(matches!(exported.damage, Some(Error::Truncated { .. })), "{exported:?}");
    let accesses = std::fs::read_to_string(directory.join("accesses.csv")).unwrap();
    assert_eq!(accesses.lines().count(), 5);
    std::fs::remove_dir_all(&directory).unwrap();
}
