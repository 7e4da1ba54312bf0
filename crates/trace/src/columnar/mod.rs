//! Export of a trace to CSV or Parquet, for DuckDB, Polars, pandas and friends.
//!
//! Five tables, one file each (`NAME.csv` or `NAME.parquet`), all rows in the order of the trace:
//!
//! | file | one row per | columns |
//! |---|---|---|
//! | `accesses` | thread and access; copy or memset and side | `seq` (of the warp's event), `task`, `block`, `thread`, `site`, `space` (`global`, `shared`), `space_block` (owner of the shared memory, else null), `kind`, `strength`, `address`, `size` (bytes of one element), `elements`, `read`, `written` (values, where recorded) |
//! | `sync` | synchronisation event | `seq`, `task`, `block`, `warp`, `site`, `lanes` (each null where it has no meaning), `kind`, `detail` |
//! | `tasks` | kernel, copy, host segment | `task`, `kind`, `kernel`, `stream`, `device`, `after` (space-separated tasks), `call` |
//! | `launches` | launch, since version 2 of traces | `task`, `kernel`, `grid`, `block`, `cluster` (each `XxYxZ`), `cooperative` (0 or 1), `dynamic_shared` (bytes), `parameters` (bytes of each in hexadecimal, in their order in memory, space-separated) |
//! | `sites` | static instruction | `site`, `function`, `text`, `ptx_line`, `file`, `line`, `column` (of the innermost frame), `frames` (all of them, innermost first, each as `FILE:LINE:COLUMN FUNCTION`, separated by `; `) |
//!
//! ```sql
//! SELECT s.file, s.line, a.kind, count(*) FROM 'accesses.parquet' a JOIN 'sites.parquet' s USING (site)
//! GROUP BY ALL ORDER BY 4 DESC;
//! ```

mod rows;

use crate::{Error, Played, play};
use columnar::Format;
use rows::Tables;
use std::io::Read;
use std::path::Path;

/// The counts of an export.
#[derive(Debug)]
pub struct Exported {
    pub played: Played,
    /// Rows of the table of accesses.
    pub accesses: u64,
    /// Why the trace could not be read to its end; the tables hold everything before that.
    pub damage: Option<Error>,
}

/// Writes the five tables into the existing folder `directory`.
pub fn export(input: impl Read, directory: &Path, format: Format) -> Result<Exported, Error> {
    let tables = Tables::create(directory, format)?;
    let (played, result) = play(input, &tables);
    let accesses = tables.finish(&played.sites)?;
    Ok(Exported { played, accesses, damage: result.err() })
}
