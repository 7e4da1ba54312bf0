//! Export of a trace to Parquet, for DuckDB, Polars, pandas and friends.
//!
//! Four tables, one file each, all rows in the order of the trace:
//!
//! | file | one row per | columns |
//! |---|---|---|
//! | `accesses.parquet` | thread and access | `seq` (of the warp's event), `task`, `block`, `thread`, `site`, `space` (`global`, `shared`), `space_block` (owner of the shared memory, else null), `kind`, `strength`, `address`, `size` (bytes of one element), `elements`, `read`, `written` (values, where recorded) |
//! | `sync.parquet` | synchronisation event | `seq`, `task`, `block`, `warp`, `site`, `lanes` (each null where it has no meaning), `kind`, `detail` |
//! | `tasks.parquet` | kernel, copy, host segment | `task`, `kind`, `kernel`, `stream`, `device`, `after` (space-separated tasks), `call` |
//! | `sites.parquet` | static instruction | `site`, `function`, `text`, `ptx_line`, `file`, `line`, `column` (of the innermost frame) |
//!
//! ```sql
//! SELECT s.file, s.line, a.kind, count(*) FROM 'accesses.parquet' a JOIN 'sites.parquet' s USING (site)
//! GROUP BY ALL ORDER BY 4 DESC;
//! ```

mod rows;
mod table;

use crate::{Error, Played, play};
use rows::Tables;
use std::io::Read;
use std::path::Path;

/// Writes the four tables into the existing folder `directory`. On a damaged trace the
/// tables hold everything before the damage, and its error comes back.
pub fn export(input: impl Read, directory: &Path) -> Result<Played, Error> {
    let tables = Tables::create(directory).map_err(parquet_error)?;
    let (played, result) = play(input, &tables);
    tables.finish(&played.sites).map_err(parquet_error)?;
    result.map(|()| played)
}

fn parquet_error(error: parquet::errors::ParquetError) -> Error {
    Error::Io(std::io::Error::other(error))
}
