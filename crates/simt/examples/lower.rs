//! Loads PTX files and lists the instructions that the engine does not support.
//!
//! `cargo run -p simt --example lower FILE.ptx...`

use events::SiteTable;
use events::task::AllocKind;
use simt::{AddressSpace, Module, Region, Source};
use std::time::Instant;

fn main() {
    let mut bad = 0;
    for path in std::env::args().skip(1) {
        let Ok(text) = std::fs::read_to_string(&path) else {
            eprintln!("{path}: cannot be read");
            bad += 1;
            continue;
        };
        let start = Instant::now();
        let parsed = ptx::parse(&text);
        for error in &parsed.errors {
            println!("{path}: {error:?}");
        }
        let memory = AddressSpace::new();
        let mut next = 1 << 32;
        let mut buffers: Vec<Vec<u64>> = Vec::new();
        let mut sites = SiteTable::default();
        let source = Source { tree: &parsed.module, text: &text, name: &path };
        let module = Module::load(&[source], &mut sites, &memory, &mut |variable| {
            let mut buffer = vec![0u64; variable.bytes.div_ceil(8) as usize];
            let base = next;
            next += variable.bytes.next_multiple_of(256);
            let region = Region {
                base,
                bytes: variable.bytes,
                host: buffer.as_mut_ptr().cast(),
                kind: AllocKind::Variable,
                device: 0,
                accessible_from: 1,
                read_only: false,
            };
            buffers.push(buffer);
            let storage = |e: simt::memory::MapError| simt::LoadError::Storage {
                name: variable.name.to_owned(),
                why: e.to_string(),
            };
            memory.map(region).map_err(storage)?;
            Ok(base)
        });
        match module {
            Ok(module) => {
                let kernels = module.kernels();
                let registers = (0..kernels.len()).map(|k| module.resources(k).registers).max().unwrap_or(0);
                println!(
                    "{path}: {} kernels, {} sites, at most {registers} registers, {:.0} ms",
                    kernels.len(),
                    sites.len(),
                    start.elapsed().as_secs_f64() * 1e3
                );
                for text in module.unsupported() {
                    println!("    unsupported: {text}");
                }
            }
            Err(error) => {
                println!("{path}: {error}");
                bad += 1;
            }
        }
    }
    std::process::exit(i32::from(bad > 0));
}
