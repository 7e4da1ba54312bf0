//! Device code in an executable, shared library or object file.

use crate::container::{Container, Entry, u64_at};
use crate::error::Error;
use crate::wrapper::{self, Wrapper};
use object::read::elf::{ElfFile64, ProgramHeader};
use object::{LittleEndian, Object, ObjectSection, ObjectSymbol, RelocationTarget, elf};
use std::collections::BTreeMap;

/// A parsed file, borrowing its bytes.
#[derive(Debug)]
pub struct Binary<'a> {
    /// Every container of the file, in the order of sections and addresses.
    pub blocks: Vec<Block<'a>>,
    /// The records of `.nvFatBinSegment`, addresses relocated.
    pub wrappers: Vec<Wrapper>,
    /// Shared libraries it needs, by name.
    pub needed: Vec<String>,
    /// The folders in which the loader looks for them first (`DT_RUNPATH` or `DT_RPATH`), `$ORIGIN` and all.
    pub library_path: Vec<String>,
    /// How the CUDA runtime comes into the program, if it does.
    pub runtime: Runtime,
    pub role: Role,
}

/// The kind of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Started by the dynamic loader, so that libraries can be preloaded into it.
    Program,
    /// A program without a dynamic loader.
    StaticProgram,
    Library,
    Object,
}

/// One container and where it was.
#[derive(Debug)]
pub struct Block<'a> {
    /// `.nv_fatbin` or `__nv_relfatbin`.
    pub section: String,
    /// Virtual address (0-based in object files).
    pub address: u64,
    /// Offset in the file.
    pub offset: u64,
    pub container: Container<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runtime {
    /// No trace of the CUDA runtime.
    None,
    /// Linked statically, and its symbols are there.
    Static,
    /// Linked statically, and the file is stripped: its functions cannot be found.
    StaticStripped,
    /// Linked to `libcudart.so`.
    Shared,
}

pub const CONTAINER_SECTIONS: [&str; 2] = [".nv_fatbin", "__nv_relfatbin"];
pub const WRAPPER_SECTION: &str = ".nvFatBinSegment";

type File<'a> = ElfFile64<'a, LittleEndian>;

impl<'a> Binary<'a> {
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Error> {
        if !bytes.starts_with(b"\x7fELF") {
            return Err(Error::NotElf);
        }
        // EI_CLASS is ELFCLASS64, EI_DATA is ELFDATA2LSB.
        if bytes.len() > 5 && bytes[4..6] != [2, 1] {
            return Err(Error::ForeignElf);
        }
        let file = File::parse(bytes).map_err(damaged)?;
        let relocations = relative_relocations(&file);
        let mut blocks = Vec::new();
        let mut wrappers = Vec::new();
        for section in file.sections() {
            let Ok(name) = section.name() else { continue };
            if CONTAINER_SECTIONS.contains(&name) {
                let data = section.data().map_err(damaged)?;
                let offset = section.file_range().map_or(0, |r| r.0);
                scan(name, section.address(), offset, data, &mut blocks)?;
            } else if name == WRAPPER_SECTION {
                let data = section.data().map_err(damaged)?;
                scan_wrappers(section.address(), data, &relocations, &mut wrappers)?;
            }
        }
        let (needed, library_path) = libraries(&file)?;
        Ok(Binary {
            runtime: runtime(&file, &needed, !wrappers.is_empty()),
            blocks,
            wrappers,
            needed,
            library_path,
            role: role(&file, bytes),
        })
    }

    /// All entries of all containers.
    pub fn entries(&self) -> impl Iterator<Item = &Entry<'a>> {
        self.blocks.iter().flat_map(|b| &b.container.entries)
    }

    /// Returns whether the file takes part in CUDA at all.
    pub fn is_cuda(&self) -> bool {
        self.runtime != Runtime::None || !self.wrappers.is_empty() || !self.blocks.is_empty()
    }
}

pub(crate) fn damaged(e: object::Error) -> Error {
    let text = e.to_string();
    let mut chars = text.chars();
    // The errors of this crate are sentence fragments.
    Error::DamagedElf(chars.next().into_iter().flat_map(char::to_lowercase).chain(chars).collect())
}

/// Addresses that the loader stores in position-independent files. GNU ld leaves them in the
/// section as well, lld does not.
fn relative_relocations(file: &File<'_>) -> BTreeMap<u64, u64> {
    file.dynamic_relocations()
        .into_iter()
        .flatten()
        .filter(|(_, r)| r.target() == RelocationTarget::Absolute)
        .map(|(at, r)| (at, r.addend() as u64))
        .collect()
}

fn scan<'a>(
    section: &str,
    address: u64,
    offset: u64,
    data: &'a [u8],
    blocks: &mut Vec<Block<'a>>,
) -> Result<(), Error> {
    let mut at = 0;
    while at < data.len() {
        // The linker aligns the pieces of several object files with zeros.
        let padding = data[at..].iter().take_while(|&&b| b == 0).count();
        at += if padding == data.len() - at { padding } else { padding / 8 * 8 };
        if at == data.len() {
            break;
        }
        let container = Container::parse(&data[at..]).map_err(|e| e.moved_by(at))?;
        let bytes = container.bytes;
        blocks.push(Block {
            section: section.to_owned(),
            address: address + at as u64,
            offset: offset + at as u64,
            container,
        });
        at += bytes;
    }
    Ok(())
}

fn scan_wrappers(
    address: u64,
    data: &[u8],
    relocations: &BTreeMap<u64, u64>,
    wrappers: &mut Vec<Wrapper>,
) -> Result<(), Error> {
    for (i, record) in data.chunks_exact(wrapper::BYTES).enumerate() {
        if u64_at(record, 0) == 0 {
            continue;
        }
        let at = i * wrapper::BYTES;
        let mut wrapper = Wrapper::parse(record).map_err(|e| e.moved_by(at))?;
        let relocated = |field: u64| relocations.get(&(address + at as u64 + field)).copied();
        wrapper.data = relocated(8).unwrap_or(wrapper.data);
        wrapper.extra = relocated(16).unwrap_or(wrapper.extra);
        wrappers.push(wrapper);
    }
    Ok(())
}

/// The needed libraries and the search path.
fn libraries(file: &File<'_>) -> Result<(Vec<String>, Vec<String>), Error> {
    let (mut needed, mut path) = (Vec::new(), Vec::new());
    let table = file.elf_dynamic_table().map_err(damaged)?;
    for entry in &table {
        let Ok(text) = table.string(entry) else { continue };
        let text = String::from_utf8_lossy(text);
        match entry.tag {
            elf::DT_NEEDED => needed.push(text.into_owned()),
            elf::DT_RUNPATH | elf::DT_RPATH => path.extend(text.split(':').map(str::to_owned)),
            _ => {}
        }
    }
    Ok((needed, path))
}

/// How nvcc's start-up code finds the runtime is how the program does.
fn runtime(file: &File<'_>, needed: &[String], registers: bool) -> Runtime {
    let is = |name: &[u8]| name == b"__cudaRegisterFatBinary" || name == b"cudaGetDeviceCount";
    let named = |s: &object::read::elf::ElfSymbol64<'_, '_, LittleEndian>| s.name_bytes().is_ok_and(is);
    if needed.iter().any(|n| n.starts_with("libcudart.so"))
        || file.dynamic_symbols().any(|s| s.is_undefined() && named(&s))
    {
        Runtime::Shared
    } else if file.symbols().chain(file.dynamic_symbols()).any(|s| s.is_definition() && named(&s)) {
        Runtime::Static
    } else if file.symbols().any(|s| s.is_undefined() && named(&s)) {
        // An object file: whichever it will be linked to.
        Runtime::Shared
    } else if registers {
        Runtime::StaticStripped
    } else {
        Runtime::None
    }
}

fn role(file: &File<'_>, bytes: &[u8]) -> Role {
    let interpreter = file.elf_program_headers().iter().any(|p| p.p_type(LittleEndian) == elf::PT_INTERP);
    match file.elf_header().e_type.get(LittleEndian) {
        elf::ET_REL => Role::Object,
        _ if interpreter => Role::Program,
        elf::ET_EXEC => Role::StaticProgram,
        // A static position-independent program says so; a library does not.
        _ if is_pie(file, bytes) => Role::StaticProgram,
        _ => Role::Library,
    }
}

fn is_pie(file: &File<'_>, bytes: &[u8]) -> bool {
    file.elf_program_headers().iter().any(|p| {
        let entries = p.dynamic(LittleEndian, bytes).ok().flatten().unwrap_or_default();
        entries.iter().any(|d| {
            d.d_tag.get(LittleEndian) == elf::DT_FLAGS_1 && d.d_val.get(LittleEndian) & elf::DF_1_PIE.0 != 0
        })
    })
}
