//! The functions that checks call, in front of a module's first function: those of the tables that its instructions need.

use super::image::Image;
use super::{Options, registers, runtime, tensor, transactions};
use crate::edit::Edits;
use ptx::ast::Module;

/// Inserts the functions at `at`.
pub(super) fn functions(
    at: u32,
    (module, text): (&Module, &str),
    image: &Image<'_>,
    options: &Options,
    edits: &mut Edits<'_>,
) {
    let Image { meetings, clusters, .. } = *image;
    let Options { sink, table: base, lines, .. } = *options;
    let exchange = options.exchange && exchanges(module, base);
    let products = ["wgmma.mma_async", "tcgen05.mma"].iter().any(|name| text.contains(name));
    let bulk = products || ["async.bulk", "clusterlaunchcontrol"].iter().any(|name| text.contains(name));
    let copies = bulk || text.contains("cp.async");
    let fetches = ["suld.", "tex.", ".nc"].iter().any(|name| text.contains(name));
    let table = runtime::Table { sink, base, lines, exchange, copies, bulk, clusters, meetings, fetches };
    edits.insert(at, runtime::functions(table));
    if text.contains("wgmma.mma_async") {
        edits.insert(at, registers::report::function(sink));
    }
    if bulk {
        edits.insert(at, transactions::functions(sink, base, clusters));
    }
    if text.contains("tcgen05.") {
        edits.insert(at, tensor::functions(sink, base));
    }
}

/// Returns whether the text's target has exchanges of 16 bytes (PTX §9.7.13.5), of system scope for a table that several
/// devices may share.
fn exchanges(module: &Module, table: Option<u64>) -> bool {
    let new = |target: &String| {
        let number = target.strip_prefix("sm_").map(|n| n.trim_end_matches(char::is_alphabetic));
        number.is_none_or(|n| n.parse().is_ok_and(|n: u32| n >= 90))
    };
    let since = if table.is_some() { (8, 3) } else { (8, 4) };
    module.version >= since && module.target.iter().all(new)
}
