//! Loaded programs: kernels, variables, and the code they lower to.

use crate::failure::LoadError;
use crate::memory::AddressSpace;
use crate::program::Program;
use events::task::SyncUse;
use events::{Dim3, SiteId, SiteTable};

/// One PTX text and its tree. Several are linked into one [`Module`] (`-rdc=true`):
/// `.extern` symbols of one are defined by `.visible` ones of another.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    pub tree: &'a ptx::ast::Module,
    pub text: &'a str,
    /// For messages.
    pub name: &'a str,
}

/// Where a module-scope variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VariableSpace {
    Global,
    Const,
    Managed,
}

/// A variable for which [`Module::load`] wants storage.
#[derive(Clone, Copy, Debug)]
pub struct GlobalVariable<'a> {
    pub name: &'a str,
    pub space: VariableSpace,
    pub bytes: u64,
    pub align: u64,
}

/// A variable with its storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VariableInfo {
    pub address: u64,
    pub bytes: u64,
    pub space: VariableSpace,
}

/// One kernel parameter's place in [`crate::Launch::params`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamLayout {
    pub offset: u32,
    pub size: u32,
    pub align: u32,
}

/// An entry point.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Mangled, as in PTX.
    pub name: String,
    pub params: Vec<ParamLayout>,
    /// Bytes of all parameters.
    pub param_bytes: u32,
    /// Bytes of static shared memory of the kernel and all it may call.
    pub static_shared: u32,
    /// Reads `%reserved_smem_offset_*`: its blocks have a system's part in shared memory.
    pub uses_reserved_shared: bool,
    /// Alignment of the dynamic shared memory that follows it.
    pub dynamic_shared_align: u32,
    /// Bytes of local memory per thread, not counting recursion.
    pub local_bytes: u32,
    /// `.maxntid` (product) or 1024.
    pub max_threads: u32,
    /// `.reqntid`
    pub required_threads: Option<Dim3>,
    /// `.reqnctapercluster`
    pub cluster: Option<Dim3>,
    pub uses: SyncUse,
    /// 32-bit registers per thread, an estimate.
    pub registers: u32,
    /// Is there a `.loc` in it?
    pub has_line_info: bool,
}

/// A loaded module: immutable, shared by its launches.
#[derive(Debug)]
pub struct Module {
    first_site: SiteId,
    pub(crate) program: Program,
    /// By kernel: its function in the program.
    pub(crate) entries: Vec<u32>,
    kernels: Vec<Kernel>,
    variables: std::collections::HashMap<String, VariableInfo>,
}

impl Module {
    /// Lowers PTX into a module.
    ///
    /// `place` provides storage, already mapped in `memory`, for each `.global`, `.const` and
    /// managed variable and returns its device address; initial values (zeros
    /// where there are none) are then written there.
    pub fn load(
        sources: &[Source<'_>],
        sites: &mut SiteTable,
        memory: &AddressSpace,
        place: &mut dyn FnMut(&GlobalVariable<'_>) -> Result<u64, LoadError>,
    ) -> Result<Module, LoadError> {
        let first_site = SiteId(sites.len() as u32);
        let loaded = crate::lower::load(sources, sites, memory, place)?;
        Ok(Module {
            first_site,
            program: loaded.program,
            entries: loaded.entries,
            kernels: loaded.kernels,
            variables: loaded.variables,
        })
    }

    /// The first of the module's sites: replay strings count from it, because how many sites
    /// there are before it may depend on what else the process did.
    pub fn first_site(&self) -> SiteId {
        self.first_site
    }

    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// Instructions that would end a kernel as unsupported if they were executed.
    pub fn unsupported(&self) -> &[String] {
        &self.program.unsupported
    }

    /// The index of a kernel by its mangled name.
    pub fn kernel(&self, name: &str) -> Option<usize> {
        self.kernels.iter().position(|k| k.name == name)
    }

    pub fn variable(&self, name: &str) -> Option<VariableInfo> {
        self.variables.get(name).copied()
    }

    pub fn variables(&self) -> impl Iterator<Item = (&str, VariableInfo)> {
        self.variables.iter().map(|(n, v)| (n.as_str(), *v))
    }
}
