//! Finds the CUDA runtime in an executable or library.

use memmap2::Mmap;
use object::read::elf::{ElfFile64, SectionHeader};
use object::{LittleEndian, Object, ObjectSection, ObjectSymbol, SymbolKind};
use std::collections::HashMap;
use std::path::Path;

/// A function that every CUDA runtime has and that programs do not define themselves.
const MARK: &str = "__cudaRegisterFatBinary";

/// A function of the CUDA runtime in an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// The offset from the object's load address.
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Contents {
    /// The object has no CUDA code, or device code that uses another object's runtime.
    NoRuntime,
    /// The runtime's functions that this library also exports.
    Runtime(Vec<Function>),
    /// The object has device code and a static runtime whose symbols were stripped.
    Stripped,
}

/// The reason why an object's symbols are unknown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    #[error(transparent)]
    File(#[from] std::io::Error),
    /// The file is no ELF file of this machine, or it is damaged.
    #[error(transparent)]
    Form(#[from] object::Error),
}

/// Maps a file of which only the symbols are read. Reading a large file as a whole takes longer than most
/// programs run.
fn mapped(path: &Path) -> std::io::Result<Mmap> {
    let file = std::fs::File::open(path)?;
    // SAFETY: the loader has mapped the same file; truncating it ends the process by that mapping too.
    unsafe { Mmap::map(&file) }
}

/// Returns a symbol's name if it may belong to the CUDA runtime.
fn runtime_name(name: &[u8]) -> Option<&str> {
    let ours = name.starts_with(b"cuda") || name.starts_with(b"__cuda");
    if ours { std::str::from_utf8(name).ok() } else { None }
}

/// Returns whether a table of names contains the mark.
fn names_mark(file: &ElfFile64<'_, LittleEndian>, table: &str) -> bool {
    let names = file.section_by_name(table).and_then(|section| section.data().ok());
    names.is_some_and(|names| memchr::memmem::find(names, MARK.as_bytes()).is_some())
}

/// Reads the symbols of an ELF file.
pub(crate) fn read(path: &Path, ours: &HashMap<String, usize>) -> Result<Contents, ReadError> {
    let bytes = mapped(path)?;
    let file = ElfFile64::<LittleEndian>::parse(&*bytes)?;

    let mut functions: HashMap<u64, Function> = HashMap::new();
    let mut marked = false;
    let mut needs_runtime = false;
    // A library may have hundreds of thousands of symbols, and most have none of the runtime's.
    let named = [".strtab", ".dynstr"].iter().any(|table| names_mark(&file, table));
    for symbol in file.symbols().chain(file.dynamic_symbols()).take_while(|_| named) {
        // Nearly all symbols of a program are others, and looking up each would dominate the start-up time.
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
    // An object that uses another object's runtime has undefined dynamic symbols, which stripping preserves.
    Ok(if registers_code && !needs_runtime { Contents::Stripped } else { Contents::NoRuntime })
}

/// Returns the CUDA functions that this library exports, by name, as addresses in this process.
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
