//! The inputs of a linked module, and the storage of its variables.

/// One PTX text and its tree. Several are linked into one module (`-rdc=true`): `.visible` symbols of one
/// define `.extern` symbols of another.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    pub tree: &'a ptx::ast::Module,
    pub text: &'a str,
    /// The name in messages.
    pub name: &'a str,
}

impl<'a> Source<'a> {
    /// Returns the texts of one module with their trees, under one name.
    pub fn all(parsed: &'a [ptx::Parse], texts: &'a [String], name: &'a str) -> Vec<Source<'a>> {
        let both = parsed.iter().zip(texts);
        both.map(|(parse, text)| Source { tree: &parse.module, text, name }).collect()
    }
}

/// The memory of a module-scope variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VariableSpace {
    Global,
    Const,
    Managed,
}

/// A variable that needs storage.
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
