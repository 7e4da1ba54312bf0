//! What a loaded executable or library holds of the CUDA runtime.

use memmap2::Mmap;
use object::read::elf::{ElfFile64, SectionHeader};
use object::{LittleEndian, Object, ObjectSection, ObjectSymbol, SymbolKind};
use std::collections::HashMap;
use std::path::Path;

/// The function every CUDA runtime has, and no program defines itself.
const MARK: &str = "__cudaRegisterFatBinary";

/// A function of the CUDA runtime in an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// Relative to the object's load address.
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Contents {
    /// Nothing of CUDA, or device code that uses another object's runtime.
    NoRuntime,
    /// The runtime's functions that we know by name.
    Runtime(Vec<Function>),
    /// Device code and a static runtime whose symbols were stripped.
    Stripped,
}

/// Why an object's symbols are not known.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    #[error(transparent)]
    File(#[from] std::io::Error),
    /// It is no ELF file of this machine, or a damaged one.
    #[error(transparent)]
    Form(#[from] object::Error),
}

/// A file of which only the symbols are looked at: reading all of a large one takes longer than most programs run.
fn mapped(path: &Path) -> std::io::Result<Mmap> {
    let file = std::fs::File::open(path)?;
    // SAFETY: the loader has mapped the same file; whoever cuts it short ends the process by that mapping, too.
    unsafe { Mmap::map(&file) }
}

/// A symbol's name, if it may be a function's of the CUDA runtime.
fn runtime_name(name: &[u8]) -> Option<&str> {
    let ours = name.starts_with(b"cuda") || name.starts_with(b"__cuda");
    if ours { std::str::from_utf8(name).ok() } else { None }
}

/// Reads the symbols of an ELF file.
pub(crate) fn read(path: &Path, ours: &HashMap<String, usize>) -> Result<Contents, ReadError> {
    let bytes = mapped(path)?;
    let file = ElfFile64::<LittleEndian>::parse(&*bytes)?;

    let mut functions: HashMap<u64, Function> = HashMap::new();
    let mut marked = false;
    let mut needs_runtime = false;
    for symbol in file.symbols().chain(file.dynamic_symbols()) {
        // Nearly all symbols of a program are others, and looking each of them up takes longer than all else at its start.
        let Some(name) = symbol.name_bytes().ok().and_then(runtime_name) else { continue };
        if name == MARK {
            marked |= symbol.is_definition();
            needs_runtime |= symbol.is_undefined();
        }
        if symbol.is_definition() && symbol.kind() == SymbolKind::Text && ours.contains_key(name) {
            functions.insert(
                symbol.address(),
                Function { name: name.to_owned(), offset: symbol.address(), bytes: symbol.size() },
            );
        }
    }
    if marked {
        let mut functions: Vec<_> = functions.into_values().collect();
        functions.sort_by_key(|f| f.offset);
        return Ok(Contents::Runtime(functions));
    }
    let registers_code = file.sections().any(|section| {
        section.name() == Ok(".nvFatBinSegment") && section.elf_section_header().sh_size(LittleEndian) > 0
    });
    // An object that takes the runtime from elsewhere says so in its dynamic symbols, which
    // stripping keeps.
    Ok(if registers_code && !needs_runtime { Contents::Stripped } else { Contents::NoRuntime })
}

/// The CUDA functions this library exports, by name, as addresses in this process.
pub(crate) fn exported(path: &Path, base: u64) -> Result<HashMap<String, usize>, ReadError> {
    let bytes = mapped(path)?;
    let file = ElfFile64::<LittleEndian>::parse(&*bytes)?;
    let mut out = HashMap::new();
    for symbol in file.dynamic_symbols() {
        let Some(name) = symbol.name_bytes().ok().and_then(runtime_name) else { continue };
        if symbol.is_definition() {
            out.insert(name.to_owned(), (base + symbol.address()) as usize);
        }
    }
    Ok(out)
}
