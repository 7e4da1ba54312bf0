//! Engines `collide` and `guard`, alone or together: self-checking kernels on the virtual GPU, as on a real
//! one.

use crate::backend::{Backend, Module, Region};
use crate::results::Results;
use events::SiteTable;
use events::task::AllocKind;
use instrument::collide::{IN_ORDER, KINDS};
use instrument::guard;
use instrument::guard::groups::Groups;
use instrument::guard::launches::Launched;
use instrument::pass::{Instrumented, Pass, Table};
use instrument::sink::{ADDRESS, RECORD};
use kernels::{GlobalVariable, Source};
use names::{EqualValues, symbol};
use protocol::{Check, RunOptions, Sink};
use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Size of the sink, four million records. Only written pages take memory.
const BYTES: u64 = 512 << 20;
/// Offset of engine `guard`'s table in the sink.
const TABLE: u64 = 64 << 20;
pub(crate) const TABLE_AT: u64 = ADDRESS + TABLE;
const _: () = assert!(guard::SINK_BYTES <= TABLE && TABLE + guard::table_bytes(guard::FEWEST) <= BYTES);

/// The kernels of a module with checks that have the launch parameter, and the groups of their checks.
pub(crate) struct Added {
    pub(crate) launched: Vec<(String, Launched)>,
    pub(crate) groups: Vec<(String, Groups)>,
}

/// Inserts checks into the texts of a module; kernels write their records to a file beside the result.
/// The errors are those of the texts.
pub(crate) fn instrument(
    texts: &mut [String],
    options: &RunOptions,
    backend: &dyn Backend,
    results: &mut Results,
) -> Result<Added, Vec<String>> {
    let (sink, sites) = self::sink(options, backend, results).map_err(|why| vec![why])?;
    let failed = |e: instrument::Error| vec![e.to_string()];
    let (equal_values, table) =
        (options.equal_values == EqualValues::Race, || Ok::<_, Vec<String>>(table(options)));
    let pass = Pass::of(options.engine, ADDRESS, equal_values, table)?
        .ok_or_else(|| vec!["its engine puts no checks into kernels".to_owned()])?;
    let wanted = |name: &str| options.lets_through(name);
    let first_check = sink.checks.len() as u32;
    let module = Instrumented::of(texts, true, &pass, first_check, sites, &wanted).map_err(failed)?;
    let checks = module.checks.iter();
    sink.checks.extend(checks.map(|c| Check::of_instruction(c.site, c.writes, c.size, c.asynchronous)));
    if sink.checks.len() as u64 * u64::from(KINDS) * RECORD > BYTES {
        return Err(vec!["there are too many instructions to check".into()]);
    }
    texts.clone_from_slice(&module.texts);
    for (kernel, why) in module.left_out {
        results.inconclusive(format!("kernel `{}` is not checked: {why}", symbol::short(&kernel)));
    }
    results.pruned(module.pruned);
    if module.in_order {
        results.limit(IN_ORDER.into());
    }
    Ok(Added { launched: module.launched, groups: module.groups })
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

/// Returns the table of engine `guard`, and that launches have a launch parameter.
fn table(options: &RunOptions) -> Table {
    // Several devices share the table, though the launch parameter holds its address.
    Table { address: (options.devices == 1).then_some(TABLE_AT), lines: guard::FEWEST, told: true }
}

/// Returns the module with the checking kernel for the host's calls.
pub(crate) fn ranges(options: &RunOptions, backend: &dyn Backend) -> Option<Arc<dyn Module>> {
    let Table { address, lines, told } = table(options);
    let prune = options.engine.prunes();
    let guarding =
        guard::Options { sink: ADDRESS, table: address, lines, exchange: true, told, first_check: 0, prune };
    let text = guard::ranges::text(&guarding, "sm_90");
    let parsed = ptx::parse(&text);
    let source = Source { tree: &parsed.module, text: &text, name: "ranges" };
    let mut nowhere = |_: &GlobalVariable<'_>| Ok(0);
    let loaded = backend.load(&[source], &mut SiteTable::default(), &mut nowhere);
    debug_assert!(loaded.is_ok() && parsed.errors.is_empty(), "{text}");
    loaded.ok()
}

/// The address at which the host has mapped the sink; 0 before that.
static MAPPED: AtomicUsize = AtomicUsize::new(0);

/// Stores a word in the sink, which kernels may be reading.
pub(crate) fn mark(at: u64, word: u32) {
    let base = MAPPED.load(Ordering::Acquire);
    if base != 0 {
        // SAFETY: the sink is mapped until the process ends, has that many bytes, and holds no Rust object.
        unsafe { ((base + at as usize) as *mut u32).write_volatile(word) };
    }
}

/// Writes descriptions of textures and surfaces to the table in the sink's file, by their offsets there.
pub(crate) fn describe(
    file: &Path,
    all: impl IntoIterator<Item = (u64, [u8; guard::objects::BYTES as usize])>,
) -> std::io::Result<()> {
    let file = File::options().write(true).open(file)?;
    all.into_iter().try_for_each(|(at, entry)| file.write_all_at(&entry, TABLE + guard::OBJECTS + at))
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
    MAPPED.store(host as usize, Ordering::Release);
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
