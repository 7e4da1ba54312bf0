//! Performs launches from files that [`saved`](crate::saved) has written, and recorded sessions, for
//! `warprace replay`.

mod objects;
mod session;

use crate::abi::error::{CudaError, CudaResult};
use crate::backend::{Heap, KernelWork, Module};
use crate::call::Call;
use crate::context::{Lanes, Memory, MemoryKind, Runtime, State, Work, restored};
use crate::submit::submit;
use events::Allocation;
use events::task::AllocKind;
use protocol::Obstacle;
use snapshot::session::Session;
use snapshot::{Launch, Limits, Object, Range, ReadError, Target};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

/// The reason why a saved launch cannot be run. It prints as a sentence fragment.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(transparent)]
    Open(#[from] io::Error),
    #[error(transparent)]
    File(#[from] ReadError<Contents>),
    #[error(transparent)]
    Session(#[from] snapshot::session::Error),
    #[error("there is no launch in it")]
    NoLaunch,
    /// This run has fewer devices.
    #[error("it was made for device {0}")]
    Device(u32),
    #[error("it has no kernel `{0}`")]
    NoKernel(String),
    #[error("it has {given} bytes of parameters, and its kernel {wanted}")]
    Parameters { given: usize, wanted: usize },
    /// The PTX does not form a module; these are the reasons.
    #[error("{}", .0.join("; "))]
    Module(Vec<String>),
    /// Another allocation occupies the address.
    #[error("its memory at {0:#x} cannot be had")]
    Memory(u64),
    #[error("a variable is gone")]
    Variable,
    #[error("CUDA says {}", .0.name().to_string_lossy())]
    Cuda(CudaError),
}

/// The reason why this process cannot hold the file's memory.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Contents {
    #[error("no room for {bytes} bytes of memory: {why}")]
    NoRoom { bytes: u64, why: io::Error },
    /// No range precedes these contents.
    #[error("contents of nothing")]
    OfNothing,
    #[error("contents outside of their memory")]
    Outside,
}

/// Performs a file's launch, or its calls, and waits for the end.
pub(crate) fn launch(call: &Call, path: &Path) -> Result<(), Error> {
    let mut head = [0; 8];
    if File::open(path)?.read_exact(&mut head).is_ok() && Session::is_one(&head) {
        return session::play(call, path);
    }
    let mut saved = Saved::default();
    snapshot::read(BufReader::new(File::open(path)?), Limits::default(), &mut saved)?;
    let Saved { launch: Some(launch), ranges, objects } = saved else { return Err(Error::NoLaunch) };
    let mut state = call.runtime.lock();
    if launch.device >= state.device_count() {
        return Err(Error::Device(launch.device));
    }
    let module = restore(call.runtime, &mut state, &launch, ranges)?;
    objects::restore(call.runtime, &mut state, launch.device, &objects)?;
    let work = work(&launch, module, &state.lanes)?;
    surroundings::act_in(launch.within.as_deref().cloned().unwrap_or_default());
    let (stream, _) = call.stream(&mut state, std::ptr::null_mut()).map_err(Error::Cuda)?;
    submit(call, &mut state, stream, launch.device, Work::Kernel(Box::new(work))).map_err(Error::Cuda)?;
    drop(call.runtime.wait_until(state, |state| state.is_idle()));
    Ok(())
}

fn work(launch: &Launch, module: Arc<dyn Module>, lanes: &Lanes) -> Result<KernelWork, Error> {
    let kernel = module.kernel(&launch.kernel).ok_or_else(|| Error::NoKernel(launch.kernel.clone()))?;
    let wanted = lanes.own_bytes(&module.kernels()[kernel]);
    let given = launch.params.len();
    if given != wanted {
        return Err(Error::Parameters { given, wanted });
    }
    let mut params = launch.params.clone();
    params.resize(module.kernels()[kernel].param_bytes as usize, 0);
    Ok(KernelWork {
        overlaps: false,
        module,
        kernel,
        grid: launch.grid,
        block: launch.block,
        cluster: launch.cluster,
        dynamic_shared: launch.dynamic_shared,
        cooperative: launch.cooperative,
        has_run: true,
        chosen: true,
        params,
        checked: true,
    })
}

/// Restores memory, and loads the module in it.
fn restore(
    runtime: &Runtime,
    state: &mut State,
    launch: &Launch,
    ranges: Vec<Loaded>,
) -> Result<Arc<dyn Module>, Error> {
    // Loading the module overwrites variables with their initial values, so their contents are restored
    // afterwards.
    let mut variables = Vec::new();
    for Loaded { range, pages } in ranges {
        let Range { allocation: Allocation { base, bytes, kind, name, call, device }, accessible_from } =
            range;
        let kind = match kind {
            AllocKind::Device => MemoryKind::Device,
            // The host no longer accesses this memory.
            AllocKind::Managed | AllocKind::HostMapped => MemoryKind::Registered,
            AllocKind::Variable => MemoryKind::Variable,
            AllocKind::DeviceHeap => MemoryKind::Heap,
        };
        if kind == MemoryKind::Heap && launch.heap == Some(base) && device == launch.device {
            if pages.filled {
                let what = "blocks that earlier kernels had allocated on the device may be given out again";
                state.results.inconclusive(what.into());
            }
            state.restore_heap(device, Heap { base, bytes });
        }
        let engine = pages.host() as usize;
        if kind == MemoryKind::Variable {
            variables.push((base, pages.copy(bytes)));
        }
        // Kernels may access it as long as the process lives.
        std::mem::forget(pages);
        let memory = Memory { base, bytes, kind, device, flags: 0, engine, block: None, call, name };
        runtime.publish(state, memory).map_err(|_| Error::Memory(base))?;
        runtime.backend.set_access(base, accessible_from);
    }
    let device = launch.device;
    state.restore_stack_limit(device, launch.stack_limit);
    let module = restored(runtime, state, &launch.module, launch.texts.clone(), &launch.variables);
    let module = module.map_err(Error::Module)?;
    state.registry.add_loaded(device, module.clone());
    for (base, bytes) in variables {
        runtime.backend.write(base, &bytes).map_err(|_| Error::Variable)?;
    }
    Ok(module)
}

/// The contents of a file while it is being read.
#[derive(Default)]
struct Saved {
    launch: Option<Launch>,
    ranges: Vec<Loaded>,
    objects: Vec<Object>,
}

struct Loaded {
    range: Range,
    pages: Pages,
}

impl Target for Saved {
    type Error = Contents;

    fn launch(&mut self, launch: Launch) -> Result<(), Contents> {
        self.launch = Some(launch);
        Ok(())
    }

    fn range(&mut self, range: Range) -> Result<(), Contents> {
        let Allocation { base, bytes, .. } = range.allocation;
        let pages = Pages::new(base, bytes).map_err(|why| Contents::NoRoom { bytes, why })?;
        self.ranges.push(Loaded { range, pages });
        Ok(())
    }

    fn bytes(&mut self, offset: u64, bytes: &[u8]) -> Result<(), Contents> {
        let Some(Loaded { pages, .. }) = self.ranges.last_mut() else { return Err(Contents::OfNothing) };
        pages.fill(offset, bytes)
    }

    fn object(&mut self, object: Object) -> Result<(), Contents> {
        self.objects.push(object);
        Ok(())
    }
}

/// Memory of this process for a range, initially zeros. Pages exist once they are written.
struct Pages {
    map: *mut u8,
    length: usize,
    /// The offset of the range in the mapping, which preserves the alignment of addresses.
    skip: usize,
    bytes: u64,
    filled: bool,
}

const PAGE: u64 = 4096;

impl Pages {
    fn new(base: u64, bytes: u64) -> io::Result<Pages> {
        let skip = (base % PAGE) as usize;
        let length = usize::try_from(bytes).ok().and_then(|bytes| bytes.checked_add(skip));
        let length = length.ok_or(io::ErrorKind::OutOfMemory)?;
        // SAFETY: a new mapping to which no other pointer exists.
        let map = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                length,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if map == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Pages { map: map.cast(), length, skip, bytes, filled: false })
    }

    fn host(&self) -> *mut u8 {
        // SAFETY: inside the mapping.
        unsafe { self.map.add(self.skip) }
    }

    fn fill(&mut self, offset: u64, bytes: &[u8]) -> Result<(), Contents> {
        let end = offset.checked_add(bytes.len() as u64);
        if end.is_none_or(|end| end > self.bytes) {
            return Err(Contents::Outside);
        }
        self.filled = true;
        // SAFETY: the place is inside the mapping, to which no other pointer exists yet.
        unsafe { self.host().add(offset as usize).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }

    fn copy(&self, bytes: u64) -> Vec<u8> {
        // SAFETY: this many bytes of the mapping, which no kernel writes yet.
        unsafe { std::slice::from_raw_parts(self.host(), bytes as usize) }.to_vec()
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: this value's own mapping; pointers to it are given away only where it is leaked.
        unsafe { libc::munmap(self.map.cast(), self.length) };
    }
}

/// Performs a file's launch, and reports errors to the command line.
pub(crate) fn run(call: &Call, path: &Path) -> CudaResult {
    launch(call, path).map_err(|why| {
        let what = format!("what is saved in {} cannot be run: {why}", path.display());
        call.runtime.lock().results.obstacle(Obstacle::Unsupported { what });
        CudaError::UNKNOWN
    })
}
