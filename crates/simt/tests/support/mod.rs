//! A small host for tests: memory, one module, launches.
#![allow(dead_code, reason = "tests of other crates use the rest")]

use events::task::AllocKind;
use events::{Dim3, Erased, Monitor, SiteTable, TaskId};
use simt::{
    AddressSpace, DeviceHeap, Host, Launch, Module, Options, Progress, Region, RunningGrid, Source, Stats,
    running,
};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

#[derive(Default)]
pub(crate) struct Printed(pub(crate) Mutex<Vec<u8>>);

impl Host for Printed {
    fn print(&self, bytes: &[u8]) {
        self.0.lock().unwrap().extend_from_slice(bytes);
    }

    fn global_timer_ns(&self) -> u64 {
        1_000_000
    }
}

pub(crate) struct Machine {
    pub(crate) memory: Arc<AddressSpace>,
    pub(crate) module: Arc<Module>,
    pub(crate) sites: SiteTable,
    pub(crate) printed: Arc<Printed>,
    pub(crate) options: Options,
    pub(crate) cluster: Dim3,
    pub(crate) cooperative: bool,
    pub(crate) dynamic_shared: u32,
    /// The task of the next launch.
    pub(crate) task: AtomicU32,
    next: AtomicU32,
    /// The owned pages of all mappings.
    _pages: Mutex<Vec<Box<[u64]>>>,
}

/// Maps newly allocated zeroed memory.
fn map(
    memory: &AddressSpace,
    pages: &mut Vec<Box<[u64]>>,
    next: &AtomicU32,
    bytes: u64,
    read_only: bool,
) -> u64 {
    let mut page = vec![0u64; bytes.div_ceil(8).max(1) as usize].into_boxed_slice();
    let base = 0x7000_0000_0000 + u64::from(next.fetch_add(1, Ordering::Relaxed)) * 0x1000_0000;
    memory
        .map(Region {
            base,
            bytes,
            host: page.as_mut_ptr().cast(),
            kind: AllocKind::Device,
            device: 0,
            accessible_from: 1,
            read_only,
        })
        .unwrap();
    pages.push(page);
    base
}

impl Machine {
    pub(crate) fn new(text: &str) -> Machine {
        Machine::try_new(text).unwrap()
    }

    pub(crate) fn try_new(text: &str) -> Result<Machine, simt::LoadError> {
        Machine::linked(&[text])
    }

    /// Returns a machine with a module of several texts.
    pub(crate) fn linked(texts: &[&str]) -> Result<Machine, simt::LoadError> {
        let parsed: Vec<ptx::Parse> = texts.iter().map(|text| ptx::parse(text)).collect();
        for parse in &parsed {
            assert!(parse.errors.is_empty(), "{:?}", parse.errors);
        }
        let memory = Arc::new(AddressSpace::new());
        let mut sites = SiteTable::default();
        let mut pages = Vec::new();
        let next = AtomicU32::new(1);
        let sources: Vec<Source<'_>> = parsed
            .iter()
            .zip(texts)
            .map(|(parse, text)| Source { tree: &parse.module, text, name: "test" })
            .collect();
        let module = Module::load(&sources, &mut sites, &memory, &mut |variable| {
            Ok(map(&memory, &mut pages, &next, variable.bytes, variable.space == simt::VariableSpace::Const))
        })?;
        Ok(Machine {
            memory,
            module: Arc::new(module),
            sites,
            printed: Arc::default(),
            options: Options::default(),
            cluster: Dim3::ONE,
            cooperative: false,
            dynamic_shared: 0,
            task: AtomicU32::new(7),
            next,
            _pages: Mutex::new(pages),
        })
    }

    pub(crate) fn heap(&mut self, bytes: u64) {
        let base = self.alloc(bytes);
        self.options.heap = Some(Arc::new(DeviceHeap::new(base, bytes)));
    }

    pub(crate) fn alloc(&self, bytes: u64) -> u64 {
        map(&self.memory, &mut self._pages.lock().unwrap(), &self.next, bytes, false)
    }

    pub(crate) fn upload(&self, values: &[u32]) -> u64 {
        let base = self.alloc(values.len() as u64 * 4);
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.memory.write(base, &bytes).unwrap();
        base
    }

    pub(crate) fn words(&self, base: u64, n: usize) -> Vec<u32> {
        let mut bytes = vec![0; n * 4];
        self.memory.read(base, &mut bytes).unwrap();
        bytes.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect()
    }

    pub(crate) fn floats(&self, base: u64, n: usize) -> Vec<f32> {
        self.words(base, n).into_iter().map(f32::from_bits).collect()
    }

    /// Creates a launch with a monitor of any type: the engine is compiled for none of them here.
    pub(crate) fn grid<M: Monitor<Observer: 'static> + 'static>(
        &self,
        kernel: &str,
        grid: Dim3,
        block: Dim3,
        args: &[Arg],
        monitor: Arc<M>,
    ) -> Box<dyn RunningGrid> {
        let (launch, host) = (self.launch(kernel, grid, block, args), self.printed.clone());
        let (options, memory) = (self.options.clone(), Arc::clone(&self.memory));
        running::heard(launch, options, memory, host, Erased::new(monitor)).unwrap()
    }

    fn launch(&self, kernel: &str, grid: Dim3, block: Dim3, args: &[Arg]) -> Launch {
        let index = self.module.kernel(kernel).unwrap_or_else(|| panic!("no kernel {kernel}"));
        let mut params = Vec::new();
        for (arg, layout) in args.iter().zip(&self.module.kernels()[index].params) {
            params.resize(layout.offset as usize, 0);
            params.extend_from_slice(&arg.0[..layout.size as usize]);
        }
        Launch {
            module: Arc::clone(&self.module),
            kernel: index,
            grid,
            block,
            cluster: self.cluster,
            dynamic_shared: self.dynamic_shared,
            cooperative: self.cooperative,
            params,
            task: TaskId(self.task.load(Ordering::Relaxed)),
            device: 0,
        }
    }

    /// Runs to the end, a failure or a stall.
    pub(crate) fn run(&self, kernel: &str, grid: u32, block: u32, args: &[Arg]) -> (Progress, Stats) {
        let (grid, block) = (Dim3::new(grid, 1, 1), Dim3::new(block, 1, 1));
        let (launch, host) = (self.launch(kernel, grid, block, args), self.printed.clone());
        let (options, memory) = (self.options.clone(), Arc::clone(&self.memory));
        let mut grid = running::unheard(launch, options, memory, host).unwrap();
        let progress = grid.run(2_000_000_000);
        (progress, grid.stats())
    }

    /// Runs a kernel and asserts that it finishes.
    pub(crate) fn finish(&self, kernel: &str, grid: u32, block: u32, args: &[Arg]) -> Stats {
        let (progress, stats) = self.run(kernel, grid, block, args);
        assert_eq!(
            progress,
            Progress::Finished,
            "{kernel}, {} with seed {}",
            self.options.schedule,
            self.options.seed
        );
        stats
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.printed.0.lock().unwrap().clone()).unwrap()
    }
}

/// A kernel argument's bytes.
#[derive(Clone, Copy)]
pub(crate) struct Arg([u8; 128]);

impl<const N: usize> From<[u8; N]> for Arg {
    fn from(v: [u8; N]) -> Arg {
        let mut bytes = [0; 128];
        bytes[..N].copy_from_slice(&v);
        Arg(bytes)
    }
}

impl From<u64> for Arg {
    fn from(v: u64) -> Arg {
        Arg::from(v.to_le_bytes())
    }
}

impl From<u32> for Arg {
    fn from(v: u32) -> Arg {
        Arg::from(u64::from(v))
    }
}

impl From<f32> for Arg {
    fn from(v: f32) -> Arg {
        Arg::from(v.to_bits())
    }
}

#[macro_export]
macro_rules! args {
    ($($e:expr),* $(,)?) => { &[$($crate::support::Arg::from($e)),*] };
}
