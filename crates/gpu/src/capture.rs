//! Saves launches before they begin: PTX, arguments, geometry, and the memory that the launch may reach, or
//! all of the program's memory.
//!
//! The virtual GPU replays such a file any number of times (`warprace replay`) under an exact lens. A launch
//! that cannot be saved runs unchanged; the reason is a sentence fragment.

mod reach;

use crate::call::call;
use crate::driver;
use crate::hooks::{NOT_READY, SUCCESS};
use crate::images::{self, Images};
use crate::{stack, tensor_maps};
use compilers::Texts;
use events::task::HostCall;
use events::{AllocKind, Allocation, Dim3};
use kernels::{GlobalVariable, Source};
use protocol::Pick;
use reach::Reach;
use snapshot::{Launch, Object, Range, Writer};
use std::collections::{BTreeMap, HashMap};
use std::ffi::{CString, c_int, c_uint, c_void};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// Limits the memory of one saved launch, unless that launch was requested by name.
pub(crate) const MOST_BYTES: u64 = 256 << 20;
/// Limits the memory of all saved launches of a process.
pub(crate) const MOST_TOGETHER: u64 = 2 << 30;
/// Limits how many launches of a racy kernel are saved under [`Pick::Flagged`], which is the number that is
/// replayed.
const MOST_FLAGGED: u32 = 3;
/// Limits how long a launch waits for earlier launches, which may themselves wait for later work of the
/// program.
const PATIENCE: Duration = Duration::from_secs(2);
/// Base address for variables whose address the driver does not return. The program has no memory there.
const NOWHERE: u64 = 0x5000_0000_0000;

/// `CU_EVENT_DISABLE_TIMING`
const NO_TIMING: c_uint = 2;

/// A launch's configuration, with the driver's pointers to its arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) grid: [c_uint; 3],
    pub(crate) block: [c_uint; 3],
    pub(crate) cluster: [c_uint; 3],
    pub(crate) shared: c_uint,
    pub(crate) cooperative: bool,
    pub(crate) stream: *mut c_void,
    pub(crate) parameters: *mut *mut c_void,
    pub(crate) extra: *mut *mut c_void,
}

/// The program's live allocations, by address.
#[derive(Debug, Default)]
pub(crate) struct Live(BTreeMap<u64, Allocation>);

impl Live {
    pub(crate) fn add(&mut self, allocation: Allocation) {
        // An overlapping allocation must have been freed in a way that was not observed.
        let end = allocation.base.saturating_add(allocation.bytes);
        let over: Vec<u64> = self.overlapping(allocation.base, end).collect();
        for base in over {
            self.0.remove(&base);
        }
        self.0.insert(allocation.base, allocation);
    }

    fn overlapping(&self, base: u64, end: u64) -> impl Iterator<Item = u64> {
        let reaches = move |a: &&Allocation| a.base + a.bytes > base;
        self.0.range(..end).rev().map(|(_, a)| a).take_while(reaches).map(|a| a.base)
    }

    pub(crate) fn remove(&mut self, base: u64) {
        self.0.remove(&base);
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    fn bytes(&self) -> u64 {
        self.0.values().map(|a| a.bytes).sum()
    }

    fn holding(&self, address: u64) -> Option<&Allocation> {
        let (_, last) = self.0.range(..=address).next_back()?;
        (address - last.base < last.bytes).then_some(last)
    }
}

/// Counts of the launches that a process has saved.
#[derive(Debug, Default)]
pub(crate) struct Saved {
    /// Saved launches for each kernel and geometry, and for each kernel.
    known: HashMap<(String, [c_uint; 3], [c_uint; 3]), u32>,
    of: HashMap<String, u32>,
    pub(crate) bytes: u64,
    pub(crate) files: u32,
}

impl Saved {
    /// Returns whether launch `number` is to be saved, and counts it as saved if so. `flagged` says whether
    /// the kernel has raced, and is called only if the answer depends on it.
    pub(crate) fn takes(
        &mut self,
        (pick, seed): (Pick, u64),
        number: u64,
        kernel: &str,
        (grid, block): ([c_uint; 3], [c_uint; 3]),
        flagged: impl FnOnce() -> bool,
    ) -> bool {
        let known = (kernel.to_owned(), grid, block);
        let taken = match pick {
            Pick::First(n) => self.known.get(&known).is_none_or(|had| *had < n),
            Pick::Flagged => self.of.get(kernel).is_none_or(|n| *n < MOST_FLAGGED) && flagged(),
            Pick::OneOf(n) => Pick::draws(seed, number, n),
        };
        if taken {
            *self.known.entry(known).or_default() += 1;
            *self.of.entry(kernel.to_owned()).or_default() += 1;
        }
        taken
    }
}

/// Returns whether the stream is being captured, so that its launches become nodes of a graph.
pub(crate) fn is_captured(stream: *mut c_void) -> bool {
    let mut status: c_int = 0;
    let code = call!(c"cuStreamIsCapturing"(stream => *mut c_void, &mut status => *mut c_int));
    code != SUCCESS || status != 0
}

/// Waits up to [`PATIENCE`] for earlier launches.
fn wait(stream: *mut c_void) -> Result<(), String> {
    let begun = Instant::now();
    for stream in [std::ptr::null_mut(), stream] {
        let mut event: *mut c_void = std::ptr::null_mut();
        if call!(c"cuEventCreate"(&mut event => *mut *mut c_void, NO_TIMING => c_uint)) != SUCCESS {
            return Err("the driver makes no event".into());
        }
        let mut code = call!(c"cuEventRecord"(event => *mut c_void, stream => *mut c_void));
        while code == SUCCESS {
            code = call!(c"cuEventQuery"(event => *mut c_void));
            if code != NOT_READY {
                break;
            }
            if begun.elapsed() > PATIENCE {
                let _ = call!(c"cuEventDestroy_v2"(event => *mut c_void));
                return Err("what was launched before it did not end".into());
            }
            std::thread::sleep(Duration::from_micros(20));
            code = SUCCESS;
        }
        let _ = call!(c"cuEventDestroy_v2"(event => *mut c_void));
        if code != SUCCESS {
            return Err(format!("the driver failed before it (error {code})"));
        }
    }
    Ok(())
}

/// Returns the module of a kernel, for a handle of either kind (`CUfunction` or `CUkernel`).
pub(crate) fn module(function: *mut c_void) -> Option<*mut c_void> {
    let mut module: *mut c_void = std::ptr::null_mut();
    let of = |function: *mut c_void, module: &mut *mut c_void| {
        call!(c"cuFuncGetModule"(module => *mut *mut c_void, function => *mut c_void)) == SUCCESS
    };
    if of(function, &mut module) {
        return Some(module);
    }
    let mut inner: *mut c_void = std::ptr::null_mut();
    let code = call!(c"cuKernelGetFunction"(&mut inner => *mut *mut c_void, function => *mut c_void));
    (code == SUCCESS && of(inner, &mut module)).then_some(module)
}

/// Returns the address of a module's variable.
pub(crate) fn variable(module: Option<*mut c_void>, name: &str) -> Option<u64> {
    let name = CString::new(name).ok()?;
    let (mut address, mut bytes) = (0u64, 0usize);
    let code = call!(c"cuModuleGetGlobal_v2"(
        &mut address => *mut u64, &mut bytes => *mut usize, module? => *mut c_void,
        name.as_ptr() => *const std::ffi::c_char,
    ));
    (code == SUCCESS).then_some(address)
}

/// Returns the arguments in the layout of the kernel's parameter space.
///
/// # Safety
/// The pointers are those of a launch of this kernel.
unsafe fn arguments(kernel: &kernels::Kernel, call: &Call) -> Result<Vec<u8>, String> {
    let mut out = vec![0u8; kernel.param_bytes as usize];
    if !call.parameters.is_null() {
        for (i, param) in kernel.params.iter().enumerate() {
            let (offset, size) = (param.offset as usize, param.size as usize);
            let into = out.get_mut(offset..offset + size).ok_or("its parameters are not understood")?;
            // SAFETY: the caller passes a pointer to each argument, of its parameter's size.
            unsafe {
                let from = *call.parameters.add(i);
                into.copy_from_slice(std::slice::from_raw_parts(from.cast::<u8>(), size));
            }
        }
        return Ok(out);
    }
    if call.extra.is_null() {
        return if out.is_empty() { Ok(out) } else { Err("it has no arguments".into()) };
    }
    // SAFETY: the caller's promise.
    let given = unsafe { buffer(call.extra) }.ok_or("its arguments are not understood")?;
    let size = given.len().min(out.len());
    out[..size].copy_from_slice(&given[..size]);
    Ok(out)
}

/// `CU_LAUNCH_PARAM_BUFFER_POINTER`, `_SIZE`
pub(crate) const POINTER: usize = 1;
pub(crate) const SIZE: usize = 2;

/// Returns the packed arguments of a launch.
///
/// # Safety
/// `extra` holds pairs of a name and a value, ended by a zero, as the driver expects them.
pub(crate) unsafe fn buffer<'a>(extra: *const *mut c_void) -> Option<&'a [u8]> {
    let (mut from, mut size) = (std::ptr::null::<u8>(), 0usize);
    for i in 0..8 {
        // SAFETY: the caller's promise.
        let (name, value) = unsafe {
            let name = *extra.add(2 * i) as usize;
            if name == 0 {
                break;
            }
            (name, *extra.add(2 * i + 1))
        };
        match name {
            POINTER => from = value.cast(),
            // SAFETY: this value points to the size.
            SIZE => size = unsafe { *value.cast::<usize>() },
            _ => return None,
        }
    }
    // SAFETY: the caller passes the size of the buffer.
    (!from.is_null()).then(|| unsafe { std::slice::from_raw_parts(from, size) })
}

/// The request to save a launch that is about to begin.
pub(crate) struct Wanted<'a> {
    pub(crate) function: *mut c_void,
    /// The mangled name.
    pub(crate) kernel: &'a str,
    pub(crate) number: u64,
    pub(crate) texts: &'a Texts,
    pub(crate) call: Call,
    pub(crate) live: &'a Live,
    pub(crate) images: &'a Images,
    /// Limits how many bytes of memory are saved.
    pub(crate) most: Option<u64>,
}

/// Saves a launch and returns how many bytes of memory the file holds.
///
/// # Safety
/// The pointers of `wanted.call` are those of a launch.
pub(crate) unsafe fn save(wanted: &Wanted<'_>, path: &Path) -> Result<u64, String> {
    if is_captured(wanted.call.stream) {
        return Err("it is part of a graph".into());
    }
    let parsed: Vec<ptx::Parse> = wanted.texts.texts.iter().map(|text| ptx::parse(text)).collect();
    let sources = Source::all(&parsed, &wanted.texts.texts, "module");
    let module = module(wanted.function);
    let mut memory = BTreeMap::new();
    let mut variables = Vec::new();
    let mut nowhere = NOWHERE;
    let mut place = |of: &GlobalVariable<'_>| {
        let found = variable(module, of.name);
        let base = found.unwrap_or_else(|| {
            let base = nowhere.next_multiple_of(of.align.max(256));
            nowhere = base + of.bytes.max(1);
            base
        });
        // A variable whose contents are unknown has its initial value.
        let kind = if found.is_some() { AllocKind::Variable } else { AllocKind::Device };
        let (call, name) = (HostCall::default(), Some(of.name.to_owned()));
        memory.insert(
            base,
            (Allocation { base, bytes: of.bytes.max(1), kind, name, call, device: 0 }, found.is_some()),
        );
        variables.push((of.name.to_owned(), base));
        Ok(base)
    };
    let linked = kernels::link(&sources, &mut place).map_err(|e| e.to_string())?;
    let kernel = linked
        .kernels
        .iter()
        .find(|k| k.name == wanted.kernel)
        .ok_or("it is not in the PTX of its module")?;
    // SAFETY: the caller's promise.
    let mut params = unsafe { arguments(kernel, &wanted.call) }?;
    tensor_maps::exchange(&mut params);
    let too_much = wanted.most.filter(|most| wanted.live.bytes() > *most);
    if let Some(most) = too_much {
        Reach { live: wanted.live, most }.begins(&params)?;
    }
    driver::beside_captures(|| wait(wanted.call.stream))?;
    nowhere = nowhere.next_multiple_of(512);
    let (mut objects, arrays) = match wanted.texts.texts.iter().any(|text| has_images(text)) {
        true => driver::beside_captures(|| images::saved(wanted.images, &mut nowhere, wanted.most))?,
        false => Default::default(),
    };
    let reached = match too_much {
        None => None,
        Some(most) => {
            let variables =
                memory.values().filter(|(_, known)| *known).map(|(a, _)| (a.base, a.bytes)).collect();
            let reach = Reach { live: wanted.live, most };
            // Memory behind textures is reached through the textures.
            let mut words = params.clone();
            words.resize(words.len().next_multiple_of(8), 0);
            words.extend(objects.iter().filter_map(Object::memory).flat_map(|(base, _)| base.to_le_bytes()));
            Some(driver::beside_captures(|| reach.reached(&words, variables, &read))?)
        }
    };
    let mut bytes = 0;
    for allocation in wanted.live.0.values() {
        if reached.as_ref().is_some_and(|reached| !reached.contains(&allocation.base)) {
            continue;
        }
        bytes += allocation.bytes;
        let end = allocation.base + allocation.bytes;
        let taken =
            memory.range(..end).next_back().is_some_and(|(_, (a, _))| a.base + a.bytes > allocation.base);
        if !taken {
            memory.insert(allocation.base, (allocation.clone(), true));
        }
    }
    let mut filled = BTreeMap::new();
    for images::Contents { base, bytes: all } in arrays {
        bytes += all.len() as u64;
        let call = HostCall { api: "cuArrayCreate".into(), site: None, within: None };
        let kind = AllocKind::Device;
        let of = Allocation { base, bytes: all.len() as u64, kind, name: None, call, device: 0 };
        memory.insert(base, (of, true));
        filled.insert(base, all);
    }
    // A texture of memory whose allocation was not observed is left out, so a replay fails where the kernel
    // uses it.
    objects.retain(|object| {
        let (base, bytes) = object.memory().unwrap_or((0, 0));
        let holds = |(_, (a, _)): (_, &(Allocation, bool))| {
            bytes > 0 && base.checked_add(bytes).is_some_and(|end| end <= a.base + a.bytes)
        };
        memory.range(..=base).next_back().is_some_and(holds)
    });
    let mut stack = 0usize;
    let _ = call!(c"cuCtxGetLimit"(&mut stack => *mut usize, 0 => c_int));
    let stack = stack::own().unwrap_or(stack);
    let program = std::env::current_exe().unwrap_or_default();
    let program = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let extent = |[x, y, z]: [c_uint; 3]| Dim3::new(x, y, z);
    let launch = Launch {
        module: program.clone(),
        program,
        texts: wanted.texts.texts.clone(),
        variables,
        kernel: wanted.kernel.to_owned(),
        grid: extent(wanted.call.grid),
        block: extent(wanted.call.block),
        cluster: kernel.cluster.unwrap_or_else(|| extent(wanted.call.cluster)),
        dynamic_shared: wanted.call.shared,
        cooperative: wanted.call.cooperative,
        params,
        number: wanted.number,
        device: 0,
        devices: 1,
        heap: None,
        stack_limit: u32::try_from(stack).unwrap_or(u32::MAX),
        within: surroundings::here(),
    };
    let contents = Contents { memory, filled, objects };
    driver::beside_captures(|| write(&launch, &contents, path)).map_err(|e| e.to_string())?;
    Ok(bytes)
}

/// Reads device memory as the launch that is about to begin finds it.
fn read(from: u64, into: &mut [u8]) -> io::Result<()> {
    let to = into.as_mut_ptr().cast();
    match call!(c"cuMemcpyDtoH_v2"(to => *mut c_void, from => u64, into.len() => usize)) {
        SUCCESS => {
            tensor_maps::exchange(into);
            Ok(())
        }
        code => Err(io::Error::other(format!("its memory cannot be read (error {code})"))),
    }
}

/// Returns whether kernels of a text may use textures or surfaces.
fn has_images(text: &str) -> bool {
    ["tex.", "tld4.", "txq.", "suld.", "sust.", "sured.", "suq."].iter().any(|op| text.contains(op))
}

/// The memory contents of a saved launch.
struct Contents {
    /// Allocations by address, each with whether its contents are known.
    memory: BTreeMap<u64, (Allocation, bool)>,
    /// The contents of arrays.
    filled: BTreeMap<u64, Vec<u8>>,
    objects: Vec<Object>,
}

fn write(launch: &Launch, contents: &Contents, path: &Path) -> io::Result<()> {
    // The file gets its final name when it is complete, so that readers see whole files only.
    let mut beside = path.as_os_str().to_owned();
    beside.push(".partial");
    // The program waits for this write, so it uses most processors.
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get().clamp(2, 9) - 1);
    let mut writer = Writer::quick(BufWriter::new(File::create(&beside)?), launch, threads as u32)?;
    for (allocation, known) in contents.memory.values() {
        let hosts = matches!(allocation.kind, AllocKind::Managed | AllocKind::HostMapped);
        let accessible_from = if hosts { u64::MAX } else { 1 };
        let range = Range { allocation: allocation.clone(), accessible_from };
        writer.range(&range, |offset, into| {
            if let Some(all) = contents.filled.get(&allocation.base) {
                into.copy_from_slice(&all[offset as usize..][..into.len()]);
                return Ok(());
            }
            if !known {
                into.fill(0);
                return Ok(());
            }
            read(allocation.base + offset, into)
        })?;
    }
    contents.objects.iter().try_for_each(|object| writer.object(object))?;
    writer.finish()?.flush()?;
    std::fs::rename(&beside, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_are_picked_as_asked() {
        // The launches alternate between two kernels, the second with two geometries. A race of the first is
        // seen after its second launch.
        let picked = |pick: Pick| -> Vec<u64> {
            let mut saved = Saved::default();
            let launch = |number: &u64| {
                let (kernel, blocks) =
                    if number % 2 == 1 { ("a", 1) } else { ("b", 1 + (*number as u32 / 2) % 2) };
                let geometry = ([blocks, 1, 1], [32, 1, 1]);
                saved.takes((pick, 5), *number, kernel, geometry, || kernel == "a" && *number > 3)
            };
            (1..=16).filter(launch).collect()
        };
        assert_eq!(picked(Pick::First(1)), [1, 2, 4]);
        assert_eq!(picked(Pick::First(2)), [1, 2, 3, 4, 6, 8]);
        assert_eq!(picked(Pick::Flagged), [5, 7, 9]);
        assert_eq!(picked(Pick::OneOf(1)), (1..=16).collect::<Vec<_>>());
        let some = picked(Pick::OneOf(4));
        assert!((1..10).contains(&some.len()) && some == picked(Pick::OneOf(4)), "{some:?}");
    }

    #[test]
    fn memory_that_is_given_out_again_takes_the_place_of_what_was_there() {
        let of = |base, bytes| Allocation {
            base,
            bytes,
            kind: AllocKind::Device,
            name: None,
            call: HostCall::default(),
            device: 0,
        };
        let mut live = Live::default();
        for (base, bytes) in [(0x1000, 0x100), (0x1100, 0x100), (0x2000, 0x10)] {
            live.add(of(base, bytes));
        }
        assert_eq!(live.bytes(), 0x210);
        live.add(of(0x10f0, 0x20));
        assert_eq!(live.0.keys().copied().collect::<Vec<_>>(), [0x10f0, 0x2000]);
        live.remove(0x2000);
        assert_eq!(live.bytes(), 0x20);
    }
}
