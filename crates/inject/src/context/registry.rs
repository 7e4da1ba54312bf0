//! Device code the program registered, and the modules made of it.

use super::State;
use crate::abi::error::{CudaError, CudaResult};
use crate::abi::properties as limits;
use crate::backend::Module;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// A kernel as the host knows it.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) fatbin: usize,
    /// Mangled.
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

    /// Bytes of dynamic shared memory that a launch may ask for, if the program has said how many.
    pub(crate) fn max_dynamic_shared(&self) -> Option<u32> {
        self.max_dynamic_shared
    }

    /// How many more bytes a launch may ask for than `fixed`, which it has anyway.
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

    /// May a cluster have more blocks than every device has room for?
    pub(crate) fn non_portable_clusters(&self) -> bool {
        self.non_portable_clusters
    }

    pub(crate) fn allow_non_portable_clusters(&mut self, allowed: bool) {
        self.non_portable_clusters = allowed;
    }

    /// Blocks that a cluster may have.
    pub(crate) fn most_blocks_of_a_cluster(&self) -> u32 {
        if self.non_portable_clusters { 16 } else { 8 }
    }
}

/// A `__device__`, `__constant__` or `__managed__` variable as the host knows it.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) fatbin: usize,
    pub(crate) name: String,
    pub(crate) bytes: u64,
}

/// A managed variable: the program reads its address from a pointer we fill in.
#[derive(Clone, Debug)]
pub(super) struct Managed {
    pub(super) name: String,
    pub(super) pointer: usize,
}

/// One call of `__cudaRegisterFatBinary`.
#[derive(Default)]
pub(super) struct Fatbin {
    /// Address of the wrapper.
    pub(super) wrapper: usize,
    pub(super) managed: Vec<Managed>,
    /// Addresses of managed variables, the same for all devices.
    pub(super) managed_storage: HashMap<String, u64>,
    /// By device: loaded, or the error every use gets.
    pub(super) modules: HashMap<u32, Result<Arc<dyn Module>, CudaError>>,
    /// What they were made of, by device, if a launch is to be saved.
    pub(super) made: HashMap<u32, Made>,
}

/// What a module was made of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Made {
    /// For messages.
    pub(crate) name: String,
    pub(crate) texts: Vec<String>,
    /// Its variables and their addresses, in the order in which it asked for their storage.
    pub(crate) variables: Vec<(String, u64)>,
}

#[derive(Default)]
pub(crate) struct Registry {
    pub(super) fatbins: Vec<Fatbin>,
    /// By host function, and by kernel handle.
    functions: HashMap<usize, Function>,
    /// By host variable.
    variables: HashMap<usize, Variable>,
}

impl Registry {
    /// A wrapper of device code; its number.
    pub(crate) fn add_fatbin(&mut self, wrapper: usize) -> usize {
        self.fatbins.push(Fatbin { wrapper, ..Fatbin::default() });
        self.fatbins.len() - 1
    }

    /// A module that no fatbin of the program has.
    pub(crate) fn add_loaded(&mut self, device: u32, module: Arc<dyn Module>) {
        let modules = HashMap::from([(device, Ok(module))]);
        self.fatbins.push(Fatbin { modules, ..Fatbin::default() });
    }

    /// A kernel, by the address of its host stub.
    pub(crate) fn add_function(&mut self, stub: usize, function: Function) {
        self.functions.insert(stub, function);
    }

    /// A variable, by the address of its host shadow.
    pub(crate) fn add_variable(&mut self, shadow: usize, variable: Variable) {
        self.variables.insert(shadow, variable);
    }

    /// A managed variable, by the address of the pointer that is to be filled in.
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

    /// What a module of a device was made of, if that is kept.
    pub(crate) fn made(&self, module: &Arc<dyn Module>, device: u32) -> Option<&Made> {
        self.registry.fatbins.iter().find_map(|fatbin| {
            let loaded = fatbin.modules.get(&device)?.as_ref().ok()?;
            Arc::ptr_eq(loaded, module).then(|| fatbin.made.get(&device))?
        })
    }
}

/// PTX texts of a registered wrapper, best for the device; linked ones in order.
pub(crate) struct Texts {
    pub(crate) object: PathBuf,
    pub(crate) texts: Vec<String>,
    /// What is there, for a message if no text is.
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

/// What a device of compute capability 9.0 would compile; PTX for later devices only is run, too.
fn best<'e, 'a>(entries: &'e [fatbin::Entry<'a>]) -> Option<&'e fatbin::Entry<'a>> {
    fatbin::best_ptx(entries, 90).or_else(|| entries.iter().find(|e| e.kind == fatbin::Kind::Ptx))
}
