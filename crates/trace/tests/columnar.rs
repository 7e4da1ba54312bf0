//! The Parquet export holds one row per thread and access, readable by another implementation's rules.
#![cfg(feature = "columnar")]

use events::access::Warp;
use events::*;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use std::fs::File;
use trace::{Recorder, columnar};

#[test]
fn accesses_become_rows() {
    let directory = std::env::temp_dir().join(format!("warprace-columnar-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let path = directory.join("trace");
    let recorder = Recorder::create(&path).unwrap();
    let frame = Frame { file: "a.cu".into(), line: 7, column: 3, function: "k".into() };
    let site = Site {
        function: "k".into(),
        text: "st.global.u32 [%rd1], %r1".into(),
        ptx_line: 9,
        frames: vec![frame],
        variable: None,
    };
    let mut sites = SiteTable::default();
    let id = sites.push(site);
    recorder.sites(&sites, id);
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
        stored: 0b1011,
        values: None,
    });
    observer.sync(&Sync::WarpSync { warp, site: SiteId(0), lanes: u32::MAX });
    recorder.close().unwrap();
    let played = columnar::export(File::open(&path).unwrap(), &directory).unwrap();
    assert_eq!((played.warp_accesses, played.thread_accesses), (1, 3));

    let rows = |name: &str| -> Vec<parquet::record::Row> {
        let file = File::open(directory.join(name)).unwrap();
        SerializedFileReader::new(file).unwrap().get_row_iter(None).unwrap().map(|r| r.unwrap()).collect()
    };
    let accesses = rows("accesses.parquet");
    let threads: Vec<i32> = accesses.iter().map(|row| row.get_int(3).unwrap()).collect();
    assert_eq!(threads, [32, 33, 35]);
    assert_eq!(accesses[2].get_long(9).unwrap(), 0x100C);
    assert_eq!(accesses[0].get_string(7).unwrap(), "write");
    assert!(accesses[0].get_long(12).is_err(), "no value was recorded");
    assert_eq!(rows("sync.parquet")[0].get_string(6).unwrap(), "WarpSync");
    assert_eq!(rows("sites.parquet")[0].get_int(5).unwrap(), 7);
    std::fs::remove_dir_all(&directory).unwrap();
}
