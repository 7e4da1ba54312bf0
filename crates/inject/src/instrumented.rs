//! Engines `collide` and `guard`, alone or together: self-checking kernels on the virtual GPU, as on a real
//! one.

use crate::backend::{Backend, Module, Region};
use crate::results::Results;
use events::SiteTable;
use events::task::AllocKind;
use instrument::both::both;
use instrument::collide::{Collided, IN_ORDER, KINDS, Options, collide};
use instrument::guard;
use instrument::guard::launches::Launched;
use instrument::prune::Pruned;
use instrument::sink::{ADDRESS, RECORD};
use kernels::{GlobalVariable, Source};
use names::{EqualValues, symbol};
use protocol::{Check, RunOptions, Sink};
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::Arc;

/// Size of the sink, four million records. Only written pages take memory.
const BYTES: u64 = 512 << 20;
/// Offset of engine `guard`'s table in the sink.
const TABLE: u64 = 64 << 20;
pub(crate) const TABLE_AT: u64 = ADDRESS + TABLE;
const _: () = assert!(guard::SINK_BYTES <= TABLE && TABLE + guard::table_bytes(guard::FEWEST) <= BYTES);

/// Inserts checks into the texts of a module; kernels write their records to a file beside the result.
/// Returns the kernels that have the launch parameter; the errors are those of the texts.
pub(crate) fn instrument(
    texts: &mut [String],
    options: &RunOptions,
    backend: &dyn Backend,
    results: &mut Results,
) -> Result<Vec<(String, Launched)>, Vec<String>> {
    let mut pruned = Pruned::default();
    let (sink, sites) = self::sink(options, backend, results).map_err(|why| vec![why])?;
    let wanted = |name: &str| options.lets_through(name);
    let (mut left_out, mut launched) = (Vec::new(), Vec::new());
    let mut in_order = false;
    let equal_values = options.equal_values == EqualValues::Race;
    for text in texts {
        let first_check = sink.checks.len() as u32;
        let failed = |e: instrument::Error| vec![e.to_string()];
        let (instrumented, checks, needless) = match Options::of(options.engine, ADDRESS) {
            Some(with) => {
                let with = Options { first_check, equal_values, ..with };
                let Collided { text, checks, pruned, shuffled, .. } =
                    collide(text, &with, sites, &wanted).map_err(failed)?;
                in_order |= with.shuffle.is_some() && !shuffled;
                (text, checks, pruned)
            }
            None => {
                let with = guarded(options, first_check);
                let beside = Options::beside(options.engine, ADDRESS).map(|o| Options { equal_values, ..o });
                let guarded = match beside {
                    Some(beside) => both(text, &with, &beside, sites, &wanted),
                    None => guard::guard(text, &with, sites, &wanted),
                };
                let guarded = guarded.map_err(failed)?;
                left_out.extend(guarded.left_out);
                launched.extend(guarded.launched);
                (guarded.text, guarded.checks, guarded.pruned)
            }
        };
        *text = instrumented;
        pruned.add(needless);
        sink.checks.extend(checks.iter().map(|c| Check {
            site: c.site,
            writes: c.writes,
            size: c.size,
            call: None,
        }));
        if sink.checks.len() as u64 * u64::from(KINDS) * RECORD > BYTES {
            return Err(vec!["there are too many instructions to check".into()]);
        }
    }
    for (kernel, why) in left_out {
        results.inconclusive(format!("kernel `{}` is not checked: {why}", symbol::short(&kernel)));
    }
    results.pruned(pruned);
    if in_order {
        results.limit(IN_ORDER.into());
    }
    Ok(launched)
}

/// Returns the sink for kernels' records, which the first call creates, and the sites that checks refer to.
/// The error is a sentence fragment.
pub(crate) fn sink<'r>(
    options: &RunOptions,
    backend: &dyn Backend,
    results: &'r mut Results,
) -> Result<(&'r mut Sink, &'r mut SiteTable), String> {
    let (sink, sites) = results.sink_and_sites();
    if sink.is_none() {
        let file = format!("{}.sink", std::process::id());
        map(&options.results.join(&file), backend)
            .map_err(|e| format!("there is no memory for what kernels see: {e}"))?;
        *sink = Some(Sink { file, ..Sink::default() });
    }
    sink.as_mut().map(|sink| (sink, sites)).ok_or_else(String::new)
}

fn guarded(options: &RunOptions, first_check: u32) -> guard::Options {
    guard::Options {
        sink: ADDRESS,
        // Several devices share the table, though the launch parameter holds its address.
        table: (options.devices == 1).then_some(TABLE_AT),
        lines: guard::FEWEST,
        exchange: true,
        told: true,
        first_check,
        prune: options.engine.prunes(),
    }
}

/// Returns the module with the checking kernel for the host's calls.
pub(crate) fn ranges(options: &RunOptions, backend: &dyn Backend) -> Option<Arc<dyn Module>> {
    let text = guard::ranges::text(&guarded(options, 0), "sm_90");
    let parsed = ptx::parse(&text);
    let source = Source { tree: &parsed.module, text: &text, name: "ranges" };
    let mut nowhere = |_: &GlobalVariable<'_>| Ok(0);
    let loaded = backend.load(&[source], &mut SiteTable::default(), &mut nowhere);
    debug_assert!(loaded.is_ok() && parsed.errors.is_empty(), "{text}");
    loaded.ok()
}

/// Creates the file and maps it for kernels.
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
