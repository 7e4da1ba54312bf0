//! Registered device code, and the modules that are made of it.

use super::State;
use crate::abi::error::{CudaError, CudaResult};
use crate::backend::Module;
use crate::device::device;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// A kernel from the host's view.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) fatbin: usize,
    /// The mangled name.
    pub(crate) name: String,
    /// `cudaFuncAttributeMaxDynamicSharedMemorySize`
    max_dynamic_shared: Option<u32>,
    carveout: i32,
    non_portable_clusters: bool,
}

impl Function {
    pub(crate) fn new(fatbin: usize, name: String) -> Function {
        Function { fatbin, name, max_dynamic_shared: None, carveout: -1, non_portable_clusters: false }
    }

    /// Returns the limit of a launch's dynamic shared memory, if the program has set it.
    pub(crate) fn max_dynamic_shared(&self) -> Option<u32> {
        self.max_dynamic_shared
    }

    /// Sets the limit of a launch's dynamic shared memory in bytes; `fixed` is the kernel's static shared
    /// memory.
    pub(crate) fn allow_dynamic_shared(&mut self, bytes: i32, fixed: u32) -> CudaResult {
        let most = device().shared_per_block_optin.saturating_sub(fixed);
        let bytes = u32::try_from(bytes).ok().filter(|&bytes| bytes <= most);
        self.max_dynamic_shared = Some(bytes.ok_or(CudaError::INVALID_VALUE)?);
        Ok(())
    }

    pub(crate) fn carveout(&self) -> i32 {
        self.carveout
    }

    pub(crate) fn prefer_carveout(&mut self, carveout: i32) {
        self.carveout = carveout;
    }

    /// Returns whether a cluster may have more blocks than every device supports.
    pub(crate) fn non_portable_clusters(&self) -> bool {
        self.non_portable_clusters
    }

    pub(crate) fn allow_non_portable_clusters(&mut self, allowed: bool) {
        self.non_portable_clusters = allowed;
    }

    /// Returns the maximum number of blocks in a cluster.
    pub(crate) fn most_blocks_of_a_cluster(&self) -> u32 {
        let most = device().blocks_per_cluster;
        if self.non_portable_clusters { most } else { most.min(8) }
    }
}

/// A `__device__`, `__constant__` or `__managed__` variable from the host's view.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) fatbin: usize,
    pub(crate) name: String,
    pub(crate) bytes: u64,
}

/// A managed variable. The program reads its address from a pointer that this library fills in.
#[derive(Clone, Debug)]
pub(super) struct Managed {
    pub(super) name: String,
    pub(super) pointer: usize,
}

/// One call of `__cudaRegisterFatBinary`, or a module that was loaded by the driver.
#[derive(Default)]
pub(super) struct Fatbin {
    pub(super) source: Source,
    pub(super) managed: Vec<Managed>,
    /// Addresses of managed variables, common to all devices.
    pub(super) managed_storage: HashMap<String, u64>,
    /// For each device, the loaded module, or the error that every use returns.
    pub(super) modules: HashMap<u32, Result<Arc<dyn Module>, CudaError>>,
    /// The sources of the modules, by device, if a launch is to be saved.
    pub(super) made: HashMap<u32, Made>,
}

/// Where the PTX of a fatbin is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The address of a wrapper in the program.
    Wrapper(usize),
    /// Texts that the program handed to the driver, and a name for messages.
    Texts { name: String, texts: Vec<String> },
}

impl Default for Source {
    fn default() -> Source {
        Source::Wrapper(0)
    }
}

/// What a module was made of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Made {
    /// A name for messages.
    pub(crate) name: String,
    pub(crate) texts: Vec<String>,
    /// The module's variables and their addresses, in the order in which the module requested storage.
    pub(crate) variables: Vec<(String, u64)>,
}

#[derive(Default)]
pub(crate) struct Registry {
    pub(super) fatbins: Vec<Fatbin>,
    /// Functions by host stub and by kernel handle.
    functions: HashMap<usize, Function>,
    /// Variables by host shadow.
    variables: HashMap<usize, Variable>,
    /// Numbers of fatbins, by the handle of a module or library of the driver.
    modules: HashMap<usize, usize>,
    /// Handles of kernels that the program has asked for, by fatbin and name.
    named: HashMap<(usize, String), usize>,
    /// The number of the module that waits for values of memory and writes them.
    memory_operations: Option<usize>,
}

impl Registry {
    /// Adds a wrapper of device code and returns its number.
    pub(crate) fn add_fatbin(&mut self, wrapper: usize) -> usize {
        self.fatbins.push(Fatbin { source: Source::Wrapper(wrapper), ..Fatbin::default() });
        self.fatbins.len() - 1
    }

    /// PTX that the program hands to the driver; its number.
    fn add_texts(&mut self, name: String, texts: Vec<String>) -> usize {
        self.fatbins.push(Fatbin { source: Source::Texts { name, texts }, ..Fatbin::default() });
        self.fatbins.len() - 1
    }

    /// How many fatbins and modules there are.
    pub(crate) fn fatbin_count(&self) -> usize {
        self.fatbins.len()
    }

    /// A module that no fatbin of the program has.
    pub(crate) fn add_loaded(&mut self, device: u32, module: Arc<dyn Module>) {
        let modules = HashMap::from([(device, Ok(module))]);
        self.fatbins.push(Fatbin { modules, ..Fatbin::default() });
    }

    /// Adds a kernel by the address of its host stub.
    pub(crate) fn add_function(&mut self, stub: usize, function: Function) {
        self.functions.insert(stub, function);
    }

    /// Adds a variable by the address of its host shadow.
    pub(crate) fn add_variable(&mut self, shadow: usize, variable: Variable) {
        self.variables.insert(shadow, variable);
    }

    /// Adds a managed variable by the address of the pointer to fill in.
    pub(crate) fn add_managed(&mut self, pointer: usize, variable: Variable) {
        if let Some(record) = self.fatbins.get_mut(variable.fatbin) {
            record.managed.push(Managed { name: variable.name.clone(), pointer });
        }
        self.variables.insert(pointer, variable);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.fatbins.is_empty()
    }
}

impl State {
    /// Takes PTX that the program hands to the driver; the handle of its module.
    pub(crate) fn add_module(&mut self, name: String, texts: Vec<String>) -> usize {
        let fatbin = self.registry.add_texts(name, texts);
        let handle = self.handle();
        self.registry.modules.insert(handle, fatbin);
        handle
    }

    /// The number of the module that waits for values of memory and writes them, made of `text` the first time.
    pub(crate) fn memory_operations(&mut self, text: &str) -> usize {
        let Registry { fatbins, memory_operations, .. } = &mut self.registry;
        *memory_operations.get_or_insert_with(|| {
            let source =
                Source::Texts { name: "stream memory operations".into(), texts: vec![text.to_owned()] };
            fatbins.push(Fatbin { source, ..Fatbin::default() });
            fatbins.len() - 1
        })
    }

    /// The fatbin's number of a module or library of the driver.
    pub(crate) fn fatbin_of(&self, module: usize) -> CudaResult<usize> {
        self.registry.modules.get(&module).copied().ok_or(CudaError::INVALID_RESOURCE_HANDLE)
    }

    /// The module or library of the driver that a kernel is of.
    pub(crate) fn module_of(&self, function: usize) -> CudaResult<usize> {
        let fatbin = self.function(function)?.fatbin;
        let found = self.registry.modules.iter().find(|&(_, &number)| number == fatbin);
        found.map(|(&handle, _)| handle).ok_or(CudaError::INVALID_RESOURCE_HANDLE)
    }

    /// Forgets the handles of a module and its kernels. What it has in memory stays: kernels may be running.
    pub(crate) fn remove_module(&mut self, module: usize) -> CudaResult {
        let fatbin = self.registry.modules.remove(&module).ok_or(CudaError::INVALID_RESOURCE_HANDLE)?;
        let Registry { functions, named, .. } = &mut self.registry;
        named.retain(|(of, _), handle| {
            if *of == fatbin {
                functions.remove(handle);
            }
            *of != fatbin
        });
        Ok(())
    }

    /// The handle of a kernel that the caller knows to be in a fatbin: the same one each time.
    pub(crate) fn named_function(&mut self, fatbin: usize, name: &str) -> usize {
        let key = (fatbin, name.to_owned());
        if let Some(&handle) = self.registry.named.get(&key) {
            return handle;
        }
        let handle = self.handle();
        self.registry.functions.insert(handle, Function::new(fatbin, name.to_owned()));
        self.registry.named.insert(key, handle);
        handle
    }

    pub(crate) fn function(&self, handle: usize) -> CudaResult<&Function> {
        self.registry.functions.get(&handle).ok_or(CudaError::INVALID_DEVICE_FUNCTION)
    }

    pub(crate) fn function_mut(&mut self, handle: usize) -> CudaResult<&mut Function> {
        self.registry.functions.get_mut(&handle).ok_or(CudaError::INVALID_DEVICE_FUNCTION)
    }

    pub(crate) fn variable(&self, symbol: usize) -> CudaResult<&Variable> {
        self.registry.variables.get(&symbol).ok_or(CudaError::INVALID_SYMBOL)
    }

    /// Returns the source of a device's module, if it is stored.
    pub(crate) fn made(&self, module: &Arc<dyn Module>, device: u32) -> Option<&Made> {
        self.registry.fatbins.iter().find_map(|fatbin| {
            let loaded = fatbin.modules.get(&device)?.as_ref().ok()?;
            Arc::ptr_eq(loaded, module).then(|| fatbin.made.get(&device))?
        })
    }
}

/// PTX texts of a registered wrapper, best for the device; linked ones in order.
pub(super) struct Texts {
    pub(crate) object: PathBuf,
    pub(crate) texts: Vec<String>,
    /// Descriptions of the available images, for a message if no text is usable.
    pub(crate) images: Vec<String>,
}

/// The PTX of a fatbin.
pub(super) fn texts(source: &Source) -> Result<Texts, (PathBuf, String)> {
    match source {
        Source::Wrapper(wrapper) => registered(*wrapper),
        Source::Texts { name, texts } => {
            Ok(Texts { object: name.into(), texts: texts.clone(), images: Vec::new() })
        }
    }
}

/// Reads the PTX behind a wrapper.
fn registered(wrapper: usize) -> Result<Texts, (PathBuf, String)> {
    let object = crate::detour::object_at(wrapper).map(|o| o.0).unwrap_or_default();
    let fail = |error: fatbin::Error| (object.clone(), error.to_string());
    // SAFETY: the program registered the wrapper; its data is constant and stays loaded.
    let registered = unsafe { fatbin::memory::from_memory(wrapper as *const u8) }.map_err(fail)?;
    let mut out = Texts { object: object.clone(), texts: Vec::new(), images: Vec::new() };
    for container in std::iter::once(&registered.main).chain(&registered.prelinked) {
        for entry in &container.entries {
            let kind = match entry.kind {
                fatbin::Kind::Ptx => "PTX",
                _ => "cubin",
            };
            out.images.push(format!("{} {kind}", entry.arch));
        }
        if let Some(entry) = best(&container.entries) {
            out.texts.push(entry.ptx().map_err(fail)?);
        }
    }
    Ok(out)
}

/// Returns the entry that the device would compile. Unless the command line names the device, PTX for other devices only is
/// accepted, too.
fn best<'e, 'a>(entries: &'e [fatbin::Entry<'a>]) -> Option<&'e fatbin::Entry<'a>> {
    let accepts = || !crate::device::is_named() || fatbin::device_runtime(entries).is_some();
    let any = || entries.iter().find(|e| e.kind == fatbin::Kind::Ptx && accepts());
    fatbin::best_ptx(entries, crate::device::device().sm).or_else(any)
}
