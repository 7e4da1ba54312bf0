//! Registered device code, and the modules that are made of it.

use super::State;
use crate::abi::error::{CudaError, CudaResult};
use crate::abi::properties as limits;
use crate::backend::Module;
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
        let most = limits::SHARED_PER_BLOCK_OPTIN.saturating_sub(fixed);
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
        if self.non_portable_clusters { 16 } else { 8 }
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

/// The record of one call of `__cudaRegisterFatBinary`.
#[derive(Default)]
pub(super) struct Fatbin {
    /// The address of the wrapper.
    pub(super) wrapper: usize,
    pub(super) managed: Vec<Managed>,
    /// Addresses of managed variables, common to all devices.
    pub(super) managed_storage: HashMap<String, u64>,
    /// For each device, the loaded module, or the error that every use returns.
    pub(super) modules: HashMap<u32, Result<Arc<dyn Module>, CudaError>>,
    /// The sources of the modules, by device, if a launch is to be saved.
    pub(super) made: HashMap<u32, Made>,
}

/// The source of a module.
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
}

impl Registry {
    /// Adds a wrapper of device code and returns its number.
    pub(crate) fn add_fatbin(&mut self, wrapper: usize) -> usize {
        self.fatbins.push(Fatbin { wrapper, ..Fatbin::default() });
        self.fatbins.len() - 1
    }

    /// Adds a module that belongs to no fatbin of the program.
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

/// The PTX texts of a registered wrapper that fit the device best; linked ones in order.
pub(crate) struct Texts {
    pub(crate) object: PathBuf,
    pub(crate) texts: Vec<String>,
    /// Descriptions of the available images, for a message if no text is usable.
    pub(crate) images: Vec<String>,
}

/// Reads the PTX behind a wrapper.
pub(crate) fn texts(wrapper: usize) -> Result<Texts, (PathBuf, String)> {
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

/// Returns the entry that a device of compute capability 9.0 would compile. PTX for later devices only is
/// accepted too.
fn best<'e, 'a>(entries: &'e [fatbin::Entry<'a>]) -> Option<&'e fatbin::Entry<'a>> {
    fatbin::best_ptx(entries, 90).or_else(|| entries.iter().find(|e| e.kind == fatbin::Kind::Ptx))
}
