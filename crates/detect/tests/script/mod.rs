//! The event script with lens `ptx` listening.

pub(crate) mod either;
mod threads;

use detect::ptx::{PtxMonitor, PtxObserver, PtxOptions};
use events::task::{HostCall, LaunchInfo, SyncUse};
use events::{
    Access, Class, Dim3, Finding, Listener, Monitor, Observer, StreamId, Sync, TaskId, TaskInfo, TaskKind,
    Tell,
};
pub(crate) use threads::*;

/// A launch that `ptx` hears.
pub(crate) type Script<'a> = threads::Script<Ptx<'a>>;

/// One observer of a launch, and its monitor.
pub(crate) struct Ptx<'a> {
    pub(crate) monitor: Held<'a>,
    pub(crate) observer: PtxObserver,
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
    }

    fn sync(&mut self, sync: &Sync<'_>) {
        self.observer.sync(sync);
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

impl<'a> Script<'a> {
    /// A launch beside others.
    pub(crate) fn on(monitor: &'a PtxMonitor, info: &TaskInfo) -> Self {
        Self::hearing(Held::Borrowed(monitor), info)
    }

    pub(crate) fn new(blocks: u32, threads: u32) -> Self {
        Self::with(launch(TASK.0, blocks, threads, 1, all_uses()), PtxOptions::default())
    }

    pub(crate) fn with(info: TaskInfo, options: PtxOptions) -> Self {
        Self::hearing(Held::Owned(Box::new(PtxMonitor::new(options))), &info)
    }

    fn hearing(monitor: Held<'a>, info: &TaskInfo) -> Self {
        monitor.task_start(info);
        let observer = monitor.observer(0);
        let TaskKind::Launch(launch) = &info.kind else { panic!("a script is a launch's") };
        threads::Script::of(Ptx { monitor, observer }, info.id, launch.block.count() as u32)
    }

    pub(crate) fn finish(mut self) {
        self.ear.observer.rest();
        self.ear.monitor.task_end(self.task);
    }

    /// All findings so far.
    pub(crate) fn findings(&mut self) -> Vec<Finding> {
        self.ear.observer.rest();
        self.ear.monitor.findings()
    }

    /// Ends the launch; the classes of what was found.
    pub(crate) fn classes(&mut self) -> Vec<Class> {
        self.ear.observer.rest();
        self.ear.monitor.task_end(self.task);
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
