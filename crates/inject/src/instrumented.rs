//! Engines `collide` and `guard`: kernels that check themselves, on the virtual GPU, as on a real one.

use crate::backend::{Backend, Region};
use crate::results::Results;
use events::task::AllocKind;
use instrument::collide::{Collided, IN_ORDER, KINDS, Options, collide};
use instrument::guard;
use instrument::prune::Pruned;
use instrument::sink::{ADDRESS, RECORD};
use protocol::{Check, RunOptions, Sink, names};
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;

/// Of the sink, of which only pages are there that are written to: four million records.
const BYTES: u64 = 512 << 20;
/// Where in it engine `guard` has its table.
const TABLE: u64 = 64 << 20;
const _: () = assert!(guard::SINK_BYTES <= TABLE && TABLE + guard::table_bytes(guard::FEWEST) <= BYTES);

/// Puts checks into the texts of a module; what kernels see goes to a file beside the result. The errors are those of
/// the texts.
pub(crate) fn instrument(
    texts: &mut [String],
    options: &RunOptions,
    backend: &dyn Backend,
    results: &mut Results,
) -> Result<(), Vec<String>> {
    let mut pruned = Pruned::default();
    let (sink, sites) = results.sink_and_sites();
    let sink = match sink {
        Some(sink) => sink,
        None => {
            let file = format!("{}.sink", std::process::id());
            map(&options.results.join(&file), backend)
                .map_err(|e| vec![format!("there is no memory for what kernels see: {e}")])?;
            sink.insert(Sink { file, ..Sink::default() })
        }
    };
    let wanted = |name: &str| options.lets_through(name);
    let mut left_out = Vec::new();
    let mut in_order = false;
    for text in texts {
        let first_check = sink.checks.len() as u32;
        let failed = |e: instrument::Error| vec![e.to_string()];
        let (instrumented, checks, needless) = match Options::of(options.engine, ADDRESS) {
            Some(with) => {
                let with = Options { first_check, ..with };
                let Collided { text, checks, pruned, shuffled, .. } =
                    collide(text, &with, sites, &wanted).map_err(failed)?;
                in_order |= with.shuffle.is_some() && !shuffled;
                (text, checks, pruned)
            }
            None => {
                let with = guard::Options {
                    sink: ADDRESS,
                    table: ADDRESS + TABLE,
                    lines: guard::FEWEST,
                    exchange: false,
                    first_check,
                    prune: options.engine.prunes(),
                };
                let guarded = guard::guard(text, &with, sites, &wanted).map_err(failed)?;
                left_out.extend(guarded.left_out);
                (guarded.text, guarded.checks, guarded.pruned)
            }
        };
        *text = instrumented;
        pruned.add(needless);
        sink.checks.extend(checks.iter().map(|c| Check { site: c.site, writes: c.writes, size: c.size }));
        if sink.checks.len() as u64 * u64::from(KINDS) * RECORD > BYTES {
            return Err(vec!["there are too many instructions to check".into()]);
        }
    }
    for kernel in left_out {
        let kernel = names::short(&kernel);
        results
            .inconclusive(format!("kernel `{kernel}` is not checked: it calls functions that synchronise"));
    }
    results.pruned(pruned);
    if in_order {
        results.limit(IN_ORDER.into());
    }
    Ok(())
}

/// Makes the file and has kernels see it.
fn map(path: &Path, backend: &dyn Backend) -> std::io::Result<()> {
    let file = File::options().read(true).write(true).create(true).truncate(true).open(path)?;
    file.set_len(BYTES)?;
    // SAFETY: a new mapping of a file of that length.
    let host = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            BYTES as usize,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED | libc::MAP_NORESERVE,
            file.as_raw_fd(),
            0,
        )
    };
    if host == libc::MAP_FAILED {
        return Err(std::io::Error::last_os_error());
    }
    let region = Region {
        base: ADDRESS,
        bytes: BYTES,
        host: host as usize,
        kind: AllocKind::HostMapped,
        device: 0,
        accessible_from: u64::MAX,
    };
    backend.map(region).map_err(|_| std::io::Error::other("its addresses are taken"))
}
