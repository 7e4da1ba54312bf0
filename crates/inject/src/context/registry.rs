//! Device code the program registered, and the modules made of it.

use crate::abi::error::{CudaError, CudaResult};
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
    pub(crate) max_dynamic_shared: Option<u32>,
    pub(crate) carveout: i32,
    pub(crate) non_portable_clusters: bool,
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
pub(crate) struct Managed {
    pub(crate) name: String,
    pub(crate) pointer: usize,
}

/// One call of `__cudaRegisterFatBinary`.
#[derive(Default)]
pub(crate) struct Fatbin {
    /// Address of the wrapper.
    pub(crate) wrapper: usize,
    pub(crate) managed: Vec<Managed>,
    /// Addresses of managed variables, the same for all devices.
    pub(crate) managed_storage: HashMap<String, u64>,
    /// By device: loaded, or the error every use gets.
    pub(crate) modules: HashMap<u32, Result<Arc<dyn Module>, CudaError>>,
    /// What they were made of, by device, if a launch is to be saved.
    pub(crate) made: HashMap<u32, Made>,
    pub(crate) unregistered: bool,
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
    pub(crate) fatbins: Vec<Fatbin>,
    /// By host function, and by kernel handle.
    pub(crate) functions: HashMap<usize, Function>,
    /// By host variable.
    pub(crate) variables: HashMap<usize, Variable>,
}

impl Registry {
    pub(crate) fn function(&self, handle: usize) -> CudaResult<&Function> {
        self.functions.get(&handle).ok_or(CudaError::INVALID_DEVICE_FUNCTION)
    }

    pub(crate) fn function_mut(&mut self, handle: usize) -> CudaResult<&mut Function> {
        self.functions.get_mut(&handle).ok_or(CudaError::INVALID_DEVICE_FUNCTION)
    }

    pub(crate) fn variable(&self, symbol: usize) -> CudaResult<&Variable> {
        self.variables.get(&symbol).ok_or(CudaError::INVALID_SYMBOL)
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
