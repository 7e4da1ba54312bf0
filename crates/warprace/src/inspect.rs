//! `warprace inspect FILE`: lists a file's device code and its synchronisation.

use crate::options::InspectArgs;
use crate::{exit, terminal};
use fatbin::elf::{Role, Runtime};
use fatbin::{Binary, Container, Entry, Kind};
use std::fmt::Write as _;

mod ptx_summary;

pub(crate) fn run(args: &InspectArgs) -> u8 {
    match inspect(args) {
        Ok(text) => {
            terminal::print(text);
            0
        }
        Err((code, message, help)) => {
            terminal::error(&message);
            if let Some(help) = help {
                terminal::help(help);
            }
            code
        }
    }
}

type Failure = (u8, String, Option<&'static str>);

fn inspect(args: &InspectArgs) -> Result<String, Failure> {
    let shown = args.file.display();
    let bytes = std::fs::read(&args.file).map_err(|e| {
        let message = match e.kind() {
            std::io::ErrorKind::NotFound => format!("there is no file `{shown}`"),
            _ => format!("cannot read `{shown}`: {}", crate::terminal::plain(&e)),
        };
        (exit::USAGE, message, None)
    })?;
    let damaged = |e: fatbin::Error| {
        (exit::UNCHECKABLE, format!("the device code of `{shown}` cannot be read: {e}"), None)
    };
    let mut out = String::new();
    if bytes.starts_with(&fatbin::container::MAGIC.to_le_bytes()) {
        let container = Container::parse(&bytes).map_err(damaged)?;
        let _ = writeln!(out, "{shown}: fatbin");
        entries(&mut out, container.entries.iter());
    } else if is_ptx(&bytes) {
        let _ = writeln!(out, "{shown}: PTX");
        ptx_summary::describe(&mut out, &String::from_utf8_lossy(&bytes));
    } else {
        let binary = match Binary::parse(&bytes) {
            Ok(binary) => binary,
            Err(fatbin::Error::NotElf) => {
                let message = format!("`{shown}` is no ELF file, fatbin or PTX text");
                return Err((exit::USAGE, message, None));
            }
            Err(e) => return Err(damaged(e)),
        };
        describe(&mut out, &shown.to_string(), &binary)?;
    }
    Ok(out)
}

/// Returns whether a file is PTX: it starts with `.version` after whitespace and comments.
pub(crate) fn is_ptx(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let mut rest = text.trim_start();
    loop {
        let after = if let Some(line) = rest.strip_prefix("//") {
            line.split_once('\n')
        } else if let Some(block) = rest.strip_prefix("/*") {
            block.split_once("*/")
        } else {
            return rest.starts_with(".version");
        };
        match after {
            Some((_, tail)) => rest = tail.trim_start(),
            None => return false,
        }
    }
}

fn describe(out: &mut String, shown: &str, binary: &Binary<'_>) -> Result<(), Failure> {
    let role = match binary.role {
        Role::Program => "program",
        Role::StaticProgram => "program, linked statically",
        Role::Library => "shared library",
        Role::Object => "object file",
    };
    let runtime = match binary.runtime {
        _ if binary.role == Role::Object => "to be linked to the CUDA runtime",
        Runtime::None => "no CUDA runtime",
        Runtime::Static => "CUDA runtime inside",
        Runtime::StaticStripped => "CUDA runtime inside, stripped",
        Runtime::Shared => "CUDA runtime in libcudart.so",
    };
    if !binary.is_cuda() {
        return Err((
            exit::UNCHECKABLE,
            format!("`{shown}` has nothing to do with CUDA: no device code and no CUDA runtime"),
            Some("its device code may be in a library: inspect those that `ldd` lists"),
        ));
    }
    let _ = writeln!(out, "{shown}: {role}, {runtime}");
    entries(out, binary.entries());
    if binary.entries().next().is_none() {
        out.push_str("  no device code\n");
    } else if !binary.entries().any(|e| e.kind == Kind::Ptx) {
        let targets: Vec<String> = binary.entries().map(|e| e.arch.to_string()).collect();
        let help = report::describe::no_ptx_help(&targets);
        let _ = write!(out, "\nno PTX: warprace cannot run this\nhelp: {help}\n");
    }
    if binary.runtime == Runtime::StaticStripped {
        let _ = write!(
            out,
            "\nstripped: warprace cannot find the CUDA runtime in it\nhelp: {}\n",
            report::describe::STRIPPED_HELP
        );
    }
    Ok(())
}

fn entries<'a, 'b: 'a>(out: &mut String, entries: impl Iterator<Item = &'a Entry<'b>>) {
    for entry in entries {
        let name = entry.name.as_deref().map_or_else(String::new, |n| format!(", from {n}"));
        let stored = match entry.compression {
            fatbin::Compression::Stored => format!("{} bytes", entry.payload.len()),
            other => format!("{} bytes, {} to {}", entry.image_bytes, other.name(), entry.payload.len()),
        };
        match entry.kind {
            Kind::Ptx => {
                let relocatable = if entry.is_relocatable() { ", relocatable (-rdc=true)" } else { "" };
                let _ = writeln!(out, "  PTX for {}{name}{relocatable} ({stored})", entry.arch);
                match entry.ptx() {
                    Ok(text) => ptx_summary::describe(out, &text),
                    Err(e) => {
                        let _ = writeln!(out, "    cannot be read: {e}");
                    }
                }
            }
            Kind::Cubin => {
                let _ = writeln!(out, "  cubin for {}{name} ({stored})", entry.arch);
            }
            Kind::Other(kind) => {
                let _ = writeln!(out, "  image of kind {kind} for {}{name} ({stored})", entry.arch);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ptx_is_known_by_its_first_directive() {
        assert!(is_ptx(b"//\n// Generated by x\n\n/* a */ .version 9.0\n"));
        assert!(is_ptx(b".version 8.0"));
        assert!(!is_ptx(b"// nothing"));
        assert!(!is_ptx(b"/* open"));
        assert!(!is_ptx(b"int main() {}"));
        assert!(!is_ptx(b"\xff\xfe"));
    }
}
