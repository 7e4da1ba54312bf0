//! Loaded programs: kernels, variables, and the code they lower to.

pub use crate::lower::Resources;
use crate::memory::AddressSpace;
use crate::program::Program;
use events::{SiteId, SiteTable};
use kernels::{GlobalVariable, Kernel, LoadError, Source, VariableInfo};

/// A loaded module: immutable, shared by its launches.
#[derive(Debug)]
pub struct Module {
    first_site: SiteId,
    pub(crate) program: Program,
    kernels: Vec<Kernel>,
    /// The resources of each kernel.
    resources: Vec<Resources>,
    variables: std::collections::HashMap<String, VariableInfo>,
}

impl Module {
    /// Lowers PTX into a module.
    ///
    /// `place` provides storage, already mapped in `memory`, for each `.global`, `.const` and managed
    /// variable and returns its device address; initial values (zeros by default) are then written there.
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
            kernels: loaded.kernels,
            resources: loaded.resources,
            variables: loaded.variables,
        })
    }

    /// Returns the first of the module's sites. Replay strings count from it, because the number of sites
    /// before it may depend on the rest of the process.
    pub fn first_site(&self) -> SiteId {
        self.first_site
    }

    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// Returns the resources of the kernel with that index.
    pub fn resources(&self, kernel: usize) -> Resources {
        self.resources[kernel]
    }

    /// Returns the instructions that would end a kernel as unsupported if they were executed.
    pub fn unsupported(&self) -> &[String] {
        &self.program.unsupported
    }

    /// Returns the index of a kernel by its mangled name.
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
