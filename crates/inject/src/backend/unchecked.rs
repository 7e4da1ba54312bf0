//! A back end that runs nothing and reports every launch as unchecked: the minimal implementation.
//!
//! Memory, copies and fills work, so a program that ignores its kernels' results succeeds.

use super::{
    Backend, Copy, Fill, KernelWork, Ledger, Module, Place, Progress, Refused, Region, Resources, Running,
    Stats, Surface, Terms, Texture, Unmapped,
};
use events::{Account, Finding, HostEvent, Listener, SiteTable};
use kernels::{Kernel, LoadError, Source, VariableInfo};
use names::Engine;
use protocol::DeviceFailure;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

#[derive(Default)]
pub(crate) struct Unchecked {
    regions: Mutex<BTreeMap<u64, Region>>,
    launches: Mutex<u64>,
}

/// The texts' kernels, without code.
#[derive(Debug)]
struct Names(Vec<Kernel>);

/// A launch that ends at once.
struct Nothing;

impl Unchecked {
    /// Returns the address of a region's bytes in this process.
    fn at(&self, address: u64, bytes: usize) -> Result<*mut u8, Unmapped> {
        let regions = self.regions.lock().unwrap();
        let (_, region) = regions.range(..=address).next_back().ok_or(Unmapped)?;
        let offset = address - region.base;
        if offset + bytes as u64 > region.bytes {
            return Err(Unmapped);
        }
        Ok((region.host + offset as usize) as *mut u8)
    }
}

impl Listener for Unchecked {
    fn host(&self, _: &HostEvent<'_>) {}

    fn findings(&self) -> Vec<Finding> {
        Vec::new()
    }

    fn so_far(&self) -> Vec<Finding> {
        Vec::new()
    }

    fn account(&self) -> Account {
        let launches = *self.launches.lock().unwrap();
        let limits =
            if launches == 0 { Vec::new() } else { vec![format!("{launches} launches were not run")] };
        Account { limits, ..Account::default() }
    }
}

impl Module for Names {
    fn kernels(&self) -> &[Kernel] {
        &self.0
    }

    fn variable(&self, _: &str) -> Option<VariableInfo> {
        None
    }

    fn resources(&self, _: usize) -> Resources {
        Resources { registers: 32, local_bytes: 0 }
    }
}

impl Running for Nothing {
    fn run(&mut self, _: u64) -> Progress {
        Progress::Finished
    }

    fn stats(&self) -> Stats {
        Stats::default()
    }

    fn pass_time(&mut self) -> bool {
        false
    }

    fn stuck(&mut self) -> DeviceFailure {
        unreachable!("it never waits")
    }
}

impl Backend for Unchecked {
    fn engine(&self) -> Engine {
        Engine::Virtual
    }

    fn is_heard(&self) -> bool {
        false
    }

    fn listener(&self) -> &dyn Listener {
        self
    }

    fn map(&self, region: Region) -> Result<(), Unmapped> {
        self.regions.lock().unwrap().insert(region.base, region);
        Ok(())
    }

    fn unmap(&self, base: u64) {
        self.regions.lock().unwrap().remove(&base);
    }

    fn set_access(&self, _: u64, _: u64) {}

    fn read(&self, address: u64, into: &mut [u8]) -> Result<(), Unmapped> {
        let from = self.at(address, into.len())?;
        // SAFETY: inside a mapped region.
        unsafe { from.copy_to_nonoverlapping(into.as_mut_ptr(), into.len()) };
        Ok(())
    }

    fn write(&self, address: u64, bytes: &[u8]) -> Result<(), Unmapped> {
        let to = self.at(address, bytes.len())?;
        // SAFETY: inside a mapped region.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }

    fn load(
        &self,
        sources: &[Source<'_>],
        _: &mut SiteTable,
        place: &mut Place<'_>,
    ) -> Result<Arc<dyn Module>, LoadError> {
        Ok(Arc::new(Names(kernels::link(sources, place)?.kernels)))
    }

    fn texture(&self, _: &Texture) -> Vec<u8> {
        vec![0; 8]
    }

    fn surface(&self, _: &Surface) -> Vec<u8> {
        vec![0; 8]
    }

    fn name_objects(&self, _: HashMap<u64, u64>, _: HashMap<u64, u64>) {}

    fn condition(&self, value: u32) -> Vec<u8> {
        value.to_le_bytes().to_vec()
    }

    fn condition_at(&self, _: &[u8]) -> Option<usize> {
        Some(0)
    }

    unsafe fn copy(&self, copy: &Copy) {
        // SAFETY: the caller's promise.
        unsafe { copy.run() }
    }

    unsafe fn fill(&self, fill: &Fill) {
        // SAFETY: the caller's promise.
        unsafe { fill.run() }
    }

    fn rehearse(&self, _: &KernelWork, _: &Terms<'_>, _: bool, _: &dyn Ledger) {}

    fn launch(&self, _: &KernelWork, _: &Terms<'_>) -> Result<Box<dyn Running>, Refused> {
        *self.launches.lock().unwrap() += 1;
        Ok(Box::new(Nothing))
    }
}

mod tests {
    use crate::abi::types::Dim3;
    use crate::context;
    use fatbin::wrapper::Wrapper;
    use fatbin::write::ContainerBuilder;
    use fatbin::{Arch, Compression};
    use protocol::{RunOptions, RunResult};
    use std::ffi::{c_char, c_int, c_void};
    use std::ptr::{null, null_mut};

    const PTX: &str = ".version 8.0\n.target sm_75\n.address_size 64\n\
        .visible .entry store(.param .u64 p) {\n.reg .b64 %rd<2>;\n\
        ld.param.u64 %rd1, [p];\nst.global.u32 [%rd1], 7;\nret;\n}\n";

    unsafe extern "C" {
        fn __cudaRegisterFatBinary(wrapper: *mut c_void) -> *mut *mut c_void;
        fn __cudaRegisterFunction(
            handle: *mut *mut c_void,
            host: *const c_void,
            device: *mut c_char,
            name: *const c_char,
            threads: c_int,
            tid: *mut c_void,
            bid: *mut c_void,
            block: *mut c_void,
            grid: *mut c_void,
            warp: *mut c_int,
        );
        fn cudaMalloc(out: *mut *mut c_void, bytes: usize) -> c_int;
        fn cudaMemset(at: *mut c_void, value: c_int, bytes: usize) -> c_int;
        fn cudaMemcpy(to: *mut c_void, from: *const c_void, bytes: usize, kind: c_int) -> c_int;
        fn cudaLaunchKernel(
            function: *const c_void,
            grid: Dim3,
            block: Dim3,
            args: *mut *mut c_void,
            shared: usize,
            stream: *mut c_void,
        ) -> c_int;
    }

    /// The test makes the calls of a small CUDA program, whose kernel does not run.
    #[test]
    fn a_back_end_that_runs_nothing_serves_a_program_and_says_so() {
        let folder = std::env::temp_dir().join(format!("warprace-unchecked-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let runtime = context::initialise(RunOptions { results: folder.clone(), ..RunOptions::default() });
        let mut container = ContainerBuilder::new();
        container.ptx(Arch::new(75), (8, 0), PTX, Compression::Stored);
        let container: &[u64] = container.finish().chunks(8).map(word).collect::<Vec<_>>().leak();
        let wrapper = Wrapper { version: 1, data: container.as_ptr() as u64, extra: 0 };
        let wrapper: &mut [u64] = wrapper.to_bytes().chunks(8).map(word).collect::<Vec<_>>().leak();
        let stub = b"stub".as_ptr().cast::<c_void>();
        let mut host = [1u32; 4];
        // SAFETY: the arguments fulfil the API's conditions.
        unsafe {
            let handle = __cudaRegisterFatBinary(wrapper.as_mut_ptr().cast());
            let (name, none) = (c"store".as_ptr(), null_mut());
            __cudaRegisterFunction(handle, stub, null_mut(), name, -1, none, none, none, none, null_mut());
            let mut memory = null_mut();
            assert_eq!(cudaMalloc(&mut memory, 16), 0);
            assert_eq!(cudaMemset(memory, 5, 16), 0);
            let one = Dim3 { x: 1, y: 1, z: 1 };
            let mut args = [(&raw mut memory).cast::<c_void>()];
            assert_eq!(cudaLaunchKernel(stub, one, one, args.as_mut_ptr(), 0, null_mut()), 0);
            assert_eq!(cudaMemcpy(host.as_mut_ptr().cast(), memory, 16, 2), 0);
            assert_ne!(cudaLaunchKernel(null(), one, one, args.as_mut_ptr(), 0, null_mut()), 0);
        }
        assert_eq!(host, [0x0505_0505; 4], "copies and fills are made, and the kernel's store is not");
        runtime.finish();
        let result = RunResult::read_all(&folder).unwrap().processes.remove(0);
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!((result.counters.launches, result.counters.checked), (1, 0));
        assert_eq!((result.counters.copies, result.counters.memsets), (1, 1));
        assert_eq!(result.inconclusive, ["1 launches were not run"]);
        assert!(result.finished && result.findings.is_empty() && result.failures.is_empty());
    }

    fn word(bytes: &[u8]) -> u64 {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(word)
    }
}
