//! What goes into a linked module, and where its variables live.

/// One PTX text and its tree. Several are linked into one module (`-rdc=true`):
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

/// A variable that wants storage.
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
