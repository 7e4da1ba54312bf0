//! Runs launches of a kernel on the virtual GPU, under the detector of the PTX memory model, to confirm
//! races.

use crate::replay::contents::fill;
use crate::replay::images::{Image, OBJECT_BYTES};
use detect::ptx::{PtxMonitor, PtxOptions};
use events::finding::{Class, SyncNote};
use events::task::{AllocKind, HostCall, LaunchInfo};
use events::{
    Allocation, Dim3, Finding, Level, Monitor, SiteTable, StreamId, TaskId, TaskInfo, TaskKind, Tell,
};
use kernels::Source;
use simt::{
    AddressSpace, Failure, FailureKind, Grid, Host, Launch, LoadError, Module, Options, Progress, Region,
};
use std::sync::Arc;

pub use crate::replay::contents::{ARRAY_BYTES, Contents};

/// The distance and the start of the arrays. An access that leaves one does not reach another.
const APART: u64 = 1 << 32;
const FIRST: u64 = 1 << 33;
/// The start of the objects of textures and surfaces.
const OBJECTS: u64 = 1 << 51;

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// The address of a separate array.
    Array,
    /// The handle of a made-up image, whose texels are a separate array.
    Image(Image),
    Scalar(i128),
    /// The bits of a floating-point number.
    Bits(u64),
}

/// The value of a part of the parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    pub index: u32,
    pub offset: u32,
    pub bytes: u32,
    pub value: Value,
}

/// A concrete launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_shared: u32,
    pub arguments: Vec<Argument>,
    pub contents: Contents,
    /// The order in which threads run: 0 is the default one.
    pub order: u64,
}

impl Witness {
    /// Returns the schedule and its seed.
    pub fn schedule(&self) -> (simt::Schedule, u64) {
        let schedule = match (self.order, self.order % 3) {
            (0, _) => simt::Schedule::ConvergedFirst,
            (_, 1) => simt::Schedule::Random,
            (_, 2) => simt::Schedule::ShuffleLanes,
            _ => simt::Schedule::RoundRobin { quantum: 1 },
        };
        (schedule, self.order)
    }
}

/// The outcome of a launch.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The launch ended, with these races.
    Ended(Vec<Finding>),
    /// The launch exceeded its limit; it had these races until then.
    TooLong(Vec<Finding>),
    /// The launch is blocked forever; it had these races until then.
    Stuck(Vec<Finding>),
    /// The launch failed, for example by an access to unmapped memory. A program would not make such a
    /// launch.
    Failed(String),
}

impl Outcome {
    /// Returns the races of a launch that ended or exceeded its limit; none for one that is blocked or
    /// failed.
    pub(crate) fn races(self) -> Vec<Finding> {
        match self {
            Outcome::Ended(findings) | Outcome::TooLong(findings) => findings,
            Outcome::Stuck(_) | Outcome::Failed(_) => Vec::new(),
        }
    }

    /// Like [`Outcome::races`], and returns the races of a blocked launch, too.
    pub(crate) fn races_until_stuck(self) -> Vec<Finding> {
        match self {
            Outcome::Stuck(findings) => findings,
            other => other.races(),
        }
    }
}

struct Silent;

impl Host for Silent {
    fn print(&self, _: &[u8]) {}

    fn global_timer_ns(&self) -> u64 {
        0
    }
}

/// A buffer that is mapped into the virtual GPU's memory.
pub(crate) struct Buffer {
    pub(crate) base: u64,
    pub(crate) words: Vec<u64>,
    pub(crate) initial: Vec<u64>,
    pub(crate) name: Option<String>,
    /// The requested address.
    pub(crate) wanted: Option<u64>,
}

/// A loaded module and its memory.
pub struct Bench {
    module: Arc<Module>,
    pub(crate) memory: Arc<AddressSpace>,
    pub sites: SiteTable,
    pub(crate) variables: Vec<Buffer>,
    arrays: Vec<Buffer>,
    /// The objects of images, once a launch has needed one.
    objects: Vec<Buffer>,
    pub(crate) task: u32,
    /// The detector treats `volatile` accesses as weak.
    pub volatile_weak: bool,
}

/// Maps `bytes` bytes of `words` as memory. They must not be moved while they are mapped.
pub(crate) fn map(
    memory: &AddressSpace,
    base: u64,
    bytes: u64,
    words: &mut [u64],
    kind: AllocKind,
) -> Result<(), LoadError> {
    let region = Region {
        base,
        bytes: bytes.min(8 * words.len() as u64),
        host: words.as_mut_ptr().cast(),
        kind,
        device: 0,
        accessible_from: 1,
        read_only: false,
    };
    memory.map(region).map_err(|e| LoadError::Invalid(e.to_string()))
}

impl Bench {
    pub fn load(sources: &[Source<'_>]) -> Result<Bench, LoadError> {
        Bench::load_at(sources, &|_| None)
    }

    /// Returns whether loading with variables at these addresses would give the same state.
    pub(crate) fn is_at(&self, observed: &dyn Fn(&str) -> Option<u64>) -> bool {
        self.arrays.is_empty()
            && self.variables.iter().all(|v| v.name.as_deref().and_then(observed) == v.wanted)
    }

    /// Loads the module with some variables at the addresses of an observed run.
    pub fn load_at(
        sources: &[Source<'_>],
        observed: &dyn Fn(&str) -> Option<u64>,
    ) -> Result<Bench, LoadError> {
        let memory = Arc::new(AddressSpace::new());
        let mut sites = SiteTable::default();
        let mut variables: Vec<Buffer> = Vec::new();
        let mut next = 1u64 << 52;
        let mut left = MOST_OF_VARIABLES;
        let module = Module::load(sources, &mut sites, &memory, &mut |v| {
            left = left.checked_sub(v.bytes).ok_or_else(|| LoadError::Storage {
                name: v.name.to_owned(),
                why: "it is too large".into(),
            })?;
            let mut words = vec![0u64; v.bytes.div_ceil(8).max(1) as usize];
            let bytes = 8 * words.len() as u64;
            let wanted = observed(v.name);
            let there = wanted.filter(|&at| map(&memory, at, bytes, &mut words, AllocKind::Variable).is_ok());
            let base = match there {
                Some(base) => base,
                None => {
                    let base = next.next_multiple_of(v.align.max(256));
                    next = base + 8 * words.len() as u64 + (1 << 20);
                    map(&memory, base, bytes, &mut words, AllocKind::Variable)?;
                    base
                }
            };
            variables.push(Buffer {
                base,
                words,
                initial: Vec::new(),
                name: Some(v.name.to_owned()),
                wanted,
            });
            Ok(base)
        })?;
        let mut bench = Bench {
            module: Arc::new(module),
            memory,
            sites,
            variables,
            arrays: Vec::new(),
            objects: Vec::new(),
            task: 0,
            volatile_weak: false,
        };
        for v in &mut bench.variables {
            v.initial = read(&bench.memory, v.base, v.words.len());
        }
        Ok(bench)
    }

    /// Creates a detector with the selected rule for `volatile`.
    pub(crate) fn detector(&self) -> PtxMonitor {
        PtxMonitor::new(PtxOptions {
            volatile_strong: !self.volatile_weak,
            max_shadow_bytes: Some(MOST_SHADOW),
            ..PtxOptions::default()
        })
    }

    pub fn kernel(&self, name: &str) -> Option<usize> {
        self.module.kernel(name)
    }

    /// Runs a launch for at most `fuel` warp instructions, or until `stop`. Also returns its task and
    /// allocations.
    pub fn run(
        &mut self,
        kernel: usize,
        witness: &Witness,
        fuel: u64,
        stop: &dyn Fn() -> bool,
    ) -> (Outcome, TaskInfo, Vec<Allocation>) {
        let monitor = Arc::new(self.detector());
        self.run_monitored(kernel, witness, &monitor, fuel, stop)
    }

    /// Runs a launch and reports its accesses to the monitor.
    pub(crate) fn run_monitored<M: Monitor + 'static>(
        &mut self,
        kernel: usize,
        witness: &Witness,
        monitor: &Arc<M>,
        fuel: u64,
        stop: &dyn Fn() -> bool,
    ) -> (Outcome, TaskInfo, Vec<Allocation>) {
        self.task += 1;
        let dim = |d: [u32; 3]| Dim3::new(d[0], d[1], d[2]);
        let described = &self.module.kernels()[kernel];
        let mut params = vec![0u8; described.param_bytes as usize];
        let mut arrays = 0;
        let mut images = Vec::new();
        for argument in &witness.arguments {
            let Some(layout) = described.params.get(argument.index as usize) else { continue };
            let bits = match argument.value {
                Value::Array => {
                    arrays += 1;
                    FIRST + (arrays - 1) * APART
                }
                Value::Image(image) => {
                    arrays += 1;
                    images.push((image, FIRST + (arrays - 1) * APART));
                    OBJECTS + (images.len() as u64 - 1) * OBJECT_BYTES
                }
                Value::Scalar(v) => v as u64,
                Value::Bits(b) => b,
            };
            let at = (layout.offset + argument.offset) as usize;
            let bytes = &bits.to_le_bytes()[..(argument.bytes as usize).min(8)];
            if let Some(place) = params.get_mut(at..at + bytes.len()) {
                place.copy_from_slice(bytes);
            }
        }
        let info = TaskInfo {
            id: TaskId(self.task),
            kind: TaskKind::Launch(LaunchInfo {
                kernel: described.name.clone(),
                grid: dim(witness.grid),
                block: dim(witness.block),
                cluster: described.cluster.unwrap_or(Dim3::ONE),
                // Only kernels that use the workspace are launched cooperatively.
                cooperative: described.uses_workspace,
                shared_bytes: described.static_shared + witness.dynamic_shared,
                uses: described.uses,
            }),
            stream: StreamId(1),
            after: Vec::new(),
            overlap: None,
            launcher: None,
            call: HostCall::default(),
            device: 0,
        };
        let prepared = self.prepare(arrays, witness.contents).and_then(|()| self.describe_images(&images));
        if let Err(e) = prepared {
            return (Outcome::Failed(e.to_string()), info, Vec::new());
        }
        let mut allocations = Vec::new();
        for (buffer, kind) in (self.arrays.iter().take(arrays as usize).map(|b| (b, AllocKind::Device)))
            .chain(self.variables.iter().map(|b| (b, AllocKind::Variable)))
        {
            allocations.push(Allocation {
                base: buffer.base,
                bytes: 8 * buffer.words.len() as u64,
                kind,
                name: buffer.name.clone(),
                call: HostCall::default(),
                device: 0,
            });
        }
        let (schedule, seed) = witness.schedule();
        let limits = RunLimits { fuel, schedule, seed };
        let outcome =
            self.execute(kernel, &info, witness.dynamic_shared, params, &allocations, monitor, limits, stop);
        (outcome, info, allocations)
    }

    /// Creates the contents of all memory.
    fn prepare(&mut self, arrays: u64, contents: Contents) -> Result<(), LoadError> {
        for array in self.arrays.drain(..) {
            self.memory.unmap(array.base);
        }
        for i in 0..arrays {
            let mut words = fill(contents, i);
            let base = FIRST + i * APART;
            map(&self.memory, base, 8 * words.len() as u64, &mut words, AllocKind::Device)?;
            self.arrays.push(Buffer { base, words, initial: Vec::new(), name: None, wanted: None });
        }
        for v in &self.variables {
            write(&self.memory, v.base, &v.initial)?;
        }
        Ok(())
    }
}

impl Bench {
    /// Writes the objects of images whose texels begin at these addresses.
    fn describe_images(&mut self, images: &[(Image, u64)]) -> Result<(), LoadError> {
        while self.objects.len() < images.len() {
            let mut words = vec![0u64; (OBJECT_BYTES / 8) as usize];
            let base = OBJECTS + self.objects.len() as u64 * OBJECT_BYTES;
            map(&self.memory, base, OBJECT_BYTES, &mut words, AllocKind::Device)?;
            self.objects.push(Buffer { base, words, initial: Vec::new(), name: None, wanted: None });
        }
        self.objects
            .iter()
            .zip(images)
            .try_for_each(|(object, (image, base))| write(&self.memory, object.base, &image.object(*base)))
    }

    /// Runs a launch on prepared memory, and reports its accesses to the monitor.
    #[expect(clippy::too_many_arguments, reason = "all that a launch consists of")]
    pub(crate) fn execute<M: Monitor + 'static>(
        &self,
        kernel: usize,
        info: &TaskInfo,
        dynamic_shared: u32,
        params: Vec<u8>,
        allocations: &[Allocation],
        monitor: &Arc<M>,
        limits: RunLimits,
        stop: &dyn Fn() -> bool,
    ) -> Outcome {
        let TaskKind::Launch(shape) = &info.kind else { return Outcome::Failed("it is no launch".into()) };
        allocations.iter().for_each(|a| monitor.alloc(a));
        monitor.task_start(info);
        let launch = Launch {
            module: Arc::clone(&self.module),
            kernel,
            grid: shape.grid,
            block: shape.block,
            cluster: shape.cluster,
            dynamic_shared,
            cooperative: shape.cooperative,
            params,
            task: info.id,
            device: 0,
        };
        let options = Options {
            max_instructions: limits.fuel,
            schedule: limits.schedule,
            seed: limits.seed,
            ..Options::default()
        };
        let grid =
            Grid::new(launch, options, Arc::clone(&self.memory), Arc::new(Silent), Arc::clone(monitor));
        let mut grid = match grid {
            Ok(grid) => grid,
            Err(e) => return Outcome::Failed(e.to_string()),
        };
        let mut left = limits.fuel;
        let mut look = left;
        let progress = loop {
            let portion = left.min(PORTION);
            left -= portion;
            match grid.run(portion) {
                Progress::Running if left > 0 && !stop() => {}
                other => break other,
            }
            if look - left >= LOOK_AT_LIMITS {
                look = left;
                if !monitor.account().limits.is_empty() {
                    return Outcome::Failed("it takes too much memory".into());
                }
            }
        };
        drop(grid);
        let races = |all: Vec<Finding>| all.into_iter().filter(is_asked_about).collect::<Vec<_>>();
        match progress {
            Progress::Failed(Failure { kind: FailureKind::Deadlock { .. }, .. }) => {
                Outcome::Stuck(races(monitor.so_far()))
            }
            Progress::Failed(failure) => Outcome::Failed(format!("{:?}", failure.kind)),
            Progress::Stalled(_) => Outcome::Stuck(races(monitor.so_far())),
            Progress::Finished if !stop() => {
                monitor.task_end(info.id);
                let all = monitor.findings();
                let equal = all.iter().any(|f| f.notes.contains(&SyncNote::EqualValues));
                match races(all) {
                    // In another order the lanes may diverge, so that two instructions store the values.
                    none if none.is_empty() && equal => Outcome::Failed("lanes store equal values".into()),
                    races => Outcome::Ended(races),
                }
            }
            // The findings are not summarised for a launch that was given up, because that can take as long
            // as the launch.
            Progress::Running | Progress::Finished => Outcome::TooLong(races(monitor.so_far())),
        }
    }
}

/// Returns whether the finding is a race of the kind that proofs exclude. The exit of a cluster's block is
/// not: proofs assume [`Assumption::PeersStay`](crate::facts::Assumption::PeersStay).
fn is_asked_about(finding: &Finding) -> bool {
    let exit =
        finding.class == Class::ClusterDsmem && finding.notes.iter().any(|n| matches!(n, SyncNote::Rule(_)));
    finding.level == Level::Race && !exit
}

/// The schedule of a launch, and its limit in warp instructions.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunLimits {
    pub(crate) fuel: u64,
    pub(crate) schedule: simt::Schedule,
    pub(crate) seed: u64,
}

/// The number of warp instructions between checks of the time; matrix instructions take up to a fifth of a
/// millisecond each.
const PORTION: u64 = 1 << 12;

/// The number of warp instructions between checks whether the detector has reached a limit.
const LOOK_AT_LIMITS: u64 = 1 << 20;

/// Limits the memory of the detector and of variables in bytes, so that a question stays below 2 GiB.
const MOST_SHADOW: u64 = 3 << 28;
const MOST_OF_VARIABLES: u64 = 1 << 28;

fn read(memory: &AddressSpace, base: u64, words: usize) -> Vec<u64> {
    let mut bytes = vec![0u8; 8 * words];
    // All of the range is mapped.
    let _ = memory.read(base, &mut bytes);
    bytes.as_chunks::<8>().0.iter().map(|c| u64::from_le_bytes(*c)).collect()
}

pub(crate) fn write(memory: &AddressSpace, base: u64, words: &[u64]) -> Result<(), LoadError> {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    memory.write(base, &bytes).map_err(|e| LoadError::Invalid(format!("{e:?}")))
}
