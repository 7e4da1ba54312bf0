//! Events to rows.

use crate::encode::lanes;
use columnar::{Format, Kind, Table, Value};
use events::RangeAccess;
use events::access::Warp;
use events::{
    Access, AccessKind, Account, BlockId, Dim3, Finding, Frame, HostEvent, LaunchFacts, LaunchInfo, Listener,
    Monitor, Observer, SiteId, SiteTable, Space, Strength, Sync, TaskId, TaskInfo, TaskKind, ThreadId,
};
use std::collections::HashMap;
use std::io::{Error, Result};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

struct Open {
    accesses: Table,
    sync: Table,
    tasks: Table,
    launches: Table,
    /// Launches whose facts have not come yet.
    begun: HashMap<TaskId, LaunchInfo>,
    sequence: i64,
    /// Rows of `accesses`.
    rows: u64,
    failed: Option<Error>,
}

/// The monitor that fills the tables.
pub(super) struct Tables {
    open: Arc<Mutex<Option<Open>>>,
    directory: PathBuf,
    format: Format,
}

pub(super) struct TablesObserver(Arc<Mutex<Option<Open>>>);

use Kind::{Int, Long, Text};

impl Tables {
    pub(super) fn create(directory: &Path, format: Format) -> Result<Tables> {
        let table = |name: &str, schema: &[(&str, Kind)]| Table::create(directory, name, format, schema);
        let open = Open {
            accesses: table(
                "accesses",
                &[
                    ("seq", Long),
                    ("task", Int),
                    ("block", Int),
                    ("thread", Int),
                    ("site", Int),
                    ("space", Text),
                    ("space_block", Int),
                    ("kind", Text),
                    ("strength", Text),
                    ("address", Long),
                    ("size", Int),
                    ("elements", Int),
                    ("read", Long),
                    ("written", Long),
                ],
            )?,
            sync: table(
                "sync",
                &[
                    ("seq", Long),
                    ("task", Int),
                    ("block", Int),
                    ("warp", Int),
                    ("site", Int),
                    ("lanes", Long),
                    ("kind", Text),
                    ("detail", Text),
                ],
            )?,
            tasks: table(
                "tasks",
                &[
                    ("task", Int),
                    ("kind", Text),
                    ("kernel", Text),
                    ("stream", Int),
                    ("device", Int),
                    ("after", Text),
                    ("call", Text),
                ],
            )?,
            launches: table(
                "launches",
                &[
                    ("task", Int),
                    ("kernel", Text),
                    ("grid", Text),
                    ("block", Text),
                    ("cluster", Text),
                    ("cooperative", Int),
                    ("dynamic_shared", Int),
                    ("parameters", Text),
                ],
            )?,
            begun: HashMap::new(),
            sequence: 0,
            rows: 0,
            failed: None,
        };
        Ok(Tables { open: Arc::new(Mutex::new(Some(open))), directory: directory.to_owned(), format })
    }

    /// Writes what is left and the sites. Returns the number of accesses.
    pub(super) fn finish(self, sites: &SiteTable) -> Result<u64> {
        let Some(open) = self.open.lock().unwrap_or_else(PoisonError::into_inner).take() else {
            return Ok(0);
        };
        let rows = open.rows;
        if let Some(error) = open.failed {
            return Err(error);
        }
        for table in [open.accesses, open.sync, open.tasks, open.launches] {
            table.finish()?;
        }
        let schema = [
            ("site", Int),
            ("function", Text),
            ("text", Text),
            ("ptx_line", Int),
            ("file", Text),
            ("line", Int),
            ("column", Int),
            ("frames", Text),
        ];
        let mut table = Table::create(&self.directory, "sites", self.format, &schema)?;
        for (SiteId(id), site) in sites.iter() {
            let frame = site.frames.first();
            table.row(&[
                int(id),
                Value::Text(&site.function),
                Value::Text(&site.text),
                int(site.ptx_line),
                Value::Text(frame.map_or("", |f| &f.file)),
                Value::Int(frame.map(|f| f.line as i32)),
                Value::Int(frame.map(|f| f.column as i32)),
                Value::Text(&chain(&site.frames)),
            ])?;
        }
        table.finish()?;
        Ok(rows)
    }
}

/// An inline chain, innermost first.
fn chain(frames: &[Frame]) -> String {
    let frame = |f: &Frame| format!("{}:{}:{} {}", f.file, f.line, f.column, f.function);
    frames.iter().map(frame).collect::<Vec<_>>().join("; ")
}

/// `128x1x1`
fn extents(d: Dim3) -> String {
    format!("{}x{}x{}", d.x, d.y, d.z)
}

/// The bytes in their order in memory.
fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn int(value: u32) -> Value<'static> {
    Value::Int(Some(value as i32))
}

fn with(tables: &Mutex<Option<Open>>, write: impl FnOnce(&mut Open) -> Result<()>) {
    let mut guard = tables.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(open) = guard.as_mut().filter(|open| open.failed.is_none()) {
        open.failed = write(open).err();
    }
}

fn strength_name(strength: Strength) -> String {
    match strength {
        Strength::Weak => "weak".into(),
        Strength::Volatile => "volatile".into(),
        Strength::Strong { sem, scope } => format!("{sem:?}.{scope:?}").to_lowercase(),
    }
}

fn kind_name(kind: AccessKind) -> String {
    match kind {
        AccessKind::Read => "read".into(),
        AccessKind::Write => "write".into(),
        AccessKind::Atomic { op, returns } => {
            format!("{}.{op:?}", if returns { "atom" } else { "red" }).to_lowercase()
        }
        AccessKind::AsyncRead { .. } => "async-read".into(),
        AccessKind::AsyncWrite { .. } => "async-write".into(),
    }
}

impl Observer for TablesObserver {
    fn access(&mut self, access: &Access<'_>) {
        with(&self.0, |open| {
            let sequence = open.sequence;
            open.sequence += 1;
            let (kind, strength) = (kind_name(access.kind), strength_name(access.strength));
            let (space, owner) = match access.space {
                Space::Global => ("global", None),
                Space::Shared(BlockId(block)) => ("shared", Some(block as i32)),
                Space::Tensor(BlockId(block)) => ("tensor", Some(block as i32)),
            };
            open.rows += u64::from(access.mask.count_ones());
            for lane in lanes(access.mask) {
                let values = access.values.map(|values| values[lane]);
                open.accesses.row(&[
                    Value::Long(Some(sequence)),
                    int(access.warp.task.0),
                    int(access.warp.block.0),
                    int(ThreadId::of(access.warp.warp, lane as u32).0.into()),
                    int(access.site.0),
                    Value::Text(space),
                    Value::Int(owner),
                    Value::Text(&kind),
                    Value::Text(&strength),
                    Value::Long(Some(access.addresses[lane] as i64)),
                    int(access.size),
                    int(access.elements.into()),
                    Value::Long(values.map(|(read, _)| read as i64)),
                    Value::Long(values.map(|(_, written)| written as i64)),
                ])?;
            }
            Ok(())
        });
    }

    fn sync(&mut self, sync: &Sync<'_>) {
        with(&self.0, |open| {
            let sequence = open.sequence;
            open.sequence += 1;
            let detail = format!("{sync:?}");
            let kind = detail.split([' ', '{']).next().unwrap_or_default();
            let (task, block, warp, site, lanes) = subject(sync);
            open.sync.row(&[
                Value::Long(Some(sequence)),
                int(task.0),
                int(block.0),
                Value::Int(warp.map(|w| i32::from(w.warp.0))),
                Value::Int(site.map(|s| s.0 as i32)),
                Value::Long(lanes.map(i64::from)),
                Value::Text(kind),
                Value::Text(&detail),
            ])
        });
    }
}

type Subject = (TaskId, BlockId, Option<Warp>, Option<SiteId>, Option<u32>);

fn subject(sync: &Sync<'_>) -> Subject {
    let of = |warp: Warp, site, lanes| (warp.task, warp.block, Some(warp), site, lanes);
    match *sync {
        Sync::BarrierArrive { warp, site, lanes, .. }
        | Sync::ClusterWait { warp, site, lanes }
        | Sync::WarpSync { warp, site, lanes }
        | Sync::Fence { warp, site, lanes, .. }
        | Sync::ProxyFence { warp, site, lanes, .. }
        | Sync::Rendezvous { warp, site, lanes }
        | Sync::MbarrierFence { warp, site, lanes }
        | Sync::MbarrierWait { warp, site, lanes, .. }
        | Sync::MbarrierTouch { warp, site, lanes, .. }
        | Sync::AsyncWaited { warp, site, lanes, .. }
        | Sync::ProductCommitted { warp, site, lanes, .. }
        | Sync::Misuse { warp, site, lanes, .. }
        | Sync::Tensor { warp, site, lanes, .. }
        | Sync::GridDependency { warp, site, lanes, .. } => of(warp, Some(site), Some(lanes)),
        Sync::MbarrierInit { warp, site, lane, .. }
        | Sync::MbarrierInval { warp, site, lane, .. }
        | Sync::MbarrierArrive { warp, site, lane, .. }
        | Sync::Heap { warp, site, lane, .. }
        | Sync::Launch { warp, site, lane, .. }
        | Sync::AsyncArrive { warp, site, lane, .. } => of(warp, Some(site), Some(1 << lane)),
        Sync::ClusterExit { warp, site, lanes } => of(warp, site, Some(lanes)),
        Sync::Converge { warp, active: lanes } | Sync::Exit { warp, lanes } => of(warp, None, Some(lanes)),
        Sync::BarrierComplete { task, block, .. }
        | Sync::BlockStart { task, block }
        | Sync::BlockEnd { task, block } => (task, block, None, None, None),
        Sync::MbarrierCompleteTx { task, space, .. } | Sync::MbarrierBytes { task, space, .. } => {
            let block = if let Space::Shared(block) = space { block } else { BlockId(0) };
            (task, block, None, None, None)
        }
    }
}

impl Tables {
    fn task(&self, task: &TaskInfo) {
        let (kind, kernel) = match &task.kind {
            TaskKind::Launch(launch) => ("launch", launch.kernel.as_str()),
            TaskKind::Copy => ("copy", ""),
            TaskKind::Memset => ("memset", ""),
            TaskKind::HostFunction => ("host-function", ""),
            TaskKind::HostSegment { .. } => ("host-segment", ""),
        };
        let after: Vec<String> = task.after.iter().map(|t| t.0.to_string()).collect();
        with(&self.open, |open| {
            if let TaskKind::Launch(launch) = &task.kind {
                open.begun.insert(task.id, launch.clone());
            }
            open.tasks.row(&[
                int(task.id.0),
                Value::Text(kind),
                Value::Text(kernel),
                int(task.stream.0),
                int(task.device),
                Value::Text(&after.join(" ")),
                Value::Text(&task.call.api),
            ])
        });
    }

    fn launched(&self, task: TaskId, facts: &LaunchFacts) {
        with(&self.open, |open| {
            let Some(launch) = open.begun.remove(&task) else { return Ok(()) };
            let parameters: Vec<String> = (0..facts.parameters.len())
                .map(|n| hexadecimal(facts.parameter(n).unwrap_or_default()))
                .collect();
            open.launches.row(&[
                int(task.0),
                Value::Text(&launch.kernel),
                Value::Text(&extents(launch.grid)),
                Value::Text(&extents(launch.block)),
                Value::Text(&extents(launch.cluster)),
                int(launch.cooperative.into()),
                int(facts.dynamic_shared),
                Value::Text(&parameters.join(" ")),
            ])
        });
    }

    fn range(&self, range: &RangeAccess) {
        with(&self.open, |open| {
            let sequence = open.sequence;
            open.sequence += 1;
            open.rows += 1;
            open.accesses.row(&[
                Value::Long(Some(sequence)),
                int(range.task.0),
                Value::Int(None),
                Value::Int(None),
                Value::Int(range.site.map(|s| s.0 as i32)),
                Value::Text("global"),
                Value::Int(None),
                Value::Text(if range.write { "write" } else { "read" }),
                Value::Text("weak"),
                Value::Long(Some(range.address as i64)),
                Value::Int(i32::try_from(range.bytes).ok()),
                int(1),
                Value::Long(None),
                Value::Long(None),
            ])
        });
    }
}

impl Listener for Tables {
    fn host(&self, event: &HostEvent<'_>) {
        match event {
            HostEvent::TaskStart(task) => self.task(task),
            HostEvent::Launched(task, facts) => self.launched(*task, facts),
            HostEvent::Range(range) => self.range(range),
            // Sites become a table once all are known; the others have none.
            HostEvent::TaskEnd(_)
            | HostEvent::Apart(..)
            | HostEvent::TaskAfter(..)
            | HostEvent::Alloc(_)
            | HostEvent::Free { .. }
            | HostEvent::Site(..)
            | HostEvent::End => {}
        }
    }

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

impl Monitor for Tables {
    type Observer = TablesObserver;

    fn observer(&self, _: usize) -> TablesObserver {
        TablesObserver(Arc::clone(&self.open))
    }
}
