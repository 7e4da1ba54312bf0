//! The event script with lens `ptx` listening.

pub(crate) mod either;
mod seeds;
mod threads;

use detect::lens::Shard;
use detect::ptx::{PtxMonitor, PtxObserver, PtxOptions};
use events::task::{HostCall, LaunchInfo, SyncUse};
use events::{
    Access, Class, Dim3, Finding, Listener, Monitor, Observer, StreamId, Sync, TaskId, TaskInfo, TaskKind,
    Tell,
};
pub(crate) use seeds::seeds;
use std::cell::Cell;
pub(crate) use threads::*;

/// A launch that `ptx` hears.
pub(crate) type Script<'a> = threads::Script<Ptx<'a>>;

thread_local! {
    /// The monitors of a script that has its own; each judges a part of memory.
    static PARTS: Cell<usize> = const { Cell::new(1) };
}

/// Divides memory among so many monitors, in the scripts of `run` that have their own monitors.
pub(crate) fn divided<R>(parts: usize, run: impl FnOnce() -> R) -> R {
    PARTS.set(parts);
    let result = run();
    PARTS.set(1);
    result
}

/// One observer of a launch, and its monitor.
pub(crate) struct Ptx<'a> {
    pub(crate) monitor: Held<'a>,
    pub(crate) observer: PtxObserver,
    /// Those of other parts of memory.
    others: Vec<(PtxMonitor, PtxObserver)>,
}

impl Ptx<'_> {
    fn rest(&mut self) {
        self.observer.rest();
        self.others.iter_mut().for_each(|(_, observer)| observer.rest());
    }

    fn task_end(&self, task: TaskId) {
        self.monitor.task_end(task);
        self.others.iter().for_each(|(monitor, _)| monitor.task_end(task));
    }
}

pub(crate) enum Held<'a> {
    Owned(Box<PtxMonitor>),
    Borrowed(&'a PtxMonitor),
}

impl std::ops::Deref for Held<'_> {
    type Target = PtxMonitor;

    fn deref(&self) -> &PtxMonitor {
        match self {
            Held::Owned(monitor) => monitor,
            Held::Borrowed(monitor) => monitor,
        }
    }
}

impl Observer for Ptx<'_> {
    fn access(&mut self, access: &Access<'_>) {
        self.observer.access(access);
        self.others.iter_mut().for_each(|(_, observer)| observer.access(access));
    }

    fn sync(&mut self, sync: &Sync<'_>) {
        self.observer.sync(sync);
        self.others.iter_mut().for_each(|(_, observer)| observer.sync(sync));
    }
}

pub(crate) fn launch(id: u32, blocks: u32, threads: u32, cluster: u32, uses: SyncUse) -> TaskInfo {
    TaskInfo {
        id: TaskId(id),
        kind: TaskKind::Launch(LaunchInfo {
            kernel: "script".to_owned(),
            grid: Dim3::new(blocks, 1, 1),
            block: Dim3::new(threads, 1, 1),
            cluster: Dim3::new(cluster, 1, 1),
            cooperative: false,
            shared_bytes: 4096,
            uses,
        }),
        stream: StreamId(0),
        after: Vec::new(),
        call: HostCall::default(),
        device: 0,
        overlap: None,
        launcher: None,
    }
}

fn hearing(monitor: PtxMonitor, info: &TaskInfo) -> (PtxMonitor, PtxObserver) {
    monitor.task_start(info);
    let observer = monitor.observer(0);
    (monitor, observer)
}

impl<'a> Script<'a> {
    /// A launch beside others.
    pub(crate) fn on(monitor: &'a PtxMonitor, info: &TaskInfo) -> Self {
        Self::hearing(Held::Borrowed(monitor), info)
    }

    pub(crate) fn new(blocks: u32, threads: u32) -> Self {
        Self::with(launch(TASK.0, blocks, threads, 1, all_uses()), PtxOptions::default())
    }

    pub(crate) fn with(info: TaskInfo, options: PtxOptions) -> Self {
        let of = |shard| PtxMonitor::new(PtxOptions { shard, ..options.clone() });
        let mut parts = Shard::all(PARTS.get()).map(of);
        let first = parts.next().expect("one part at least");
        let mut script = Self::hearing(Held::Owned(Box::new(first)), &info);
        script.ear.others = parts.map(|monitor| hearing(monitor, &info)).collect();
        script
    }

    fn hearing(monitor: Held<'a>, info: &TaskInfo) -> Self {
        monitor.task_start(info);
        let observer = monitor.observer(0);
        let TaskKind::Launch(launch) = &info.kind else { panic!("a script is a launch's") };
        let ear = Ptx { monitor, observer, others: Vec::new() };
        threads::Script::of(ear, info.id, launch.block.count() as u32)
    }

    pub(crate) fn finish(mut self) {
        self.ear.rest();
        self.ear.task_end(self.task);
    }

    /// All findings so far.
    pub(crate) fn findings(&mut self) -> Vec<Finding> {
        self.ear.rest();
        for (monitor, _) in &self.ear.others {
            self.ear.monitor.add_partial(monitor.take_partial());
        }
        self.ear.monitor.findings()
    }

    /// Ends the launch; the classes of what was found.
    pub(crate) fn classes(&mut self) -> Vec<Class> {
        self.ear.rest();
        self.ear.task_end(self.task);
        self.findings().iter().map(|f| f.class).collect()
    }

    #[track_caller]
    pub(crate) fn clean(&mut self) {
        let found = self.findings();
        assert!(found.is_empty(), "{found:#?}");
    }

    /// Exactly one finding, of this class.
    #[track_caller]
    pub(crate) fn races(&mut self, class: Class) {
        let found = self.findings();
        assert_eq!(found.iter().map(|f| f.class).collect::<Vec<_>>(), [class], "{found:#?}");
    }
}
