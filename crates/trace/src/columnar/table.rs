//! A table, in any format.

#[cfg(feature = "parquet")]
use super::parquet;
use super::{Format, csv};
use std::io::Result;
use std::path::Path;

/// One value of a row; `None` in the optional kinds is null.
pub(super) enum Value<'a> {
    Int(Option<i32>),
    Long(Option<i64>),
    Text(&'a str),
}

#[derive(Clone, Copy)]
#[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "CSV has no types"))]
pub(super) enum Kind {
    Int,
    Long,
    Text,
}

pub(super) enum Table {
    Csv(csv::File),
    #[cfg(feature = "parquet")]
    Parquet(Box<parquet::File>),
}

impl Table {
    /// Creates `directory/NAME.csv` or `directory/NAME.parquet`.
    pub(super) fn create(
        directory: &Path,
        name: &str,
        format: Format,
        schema: &[(&str, Kind)],
    ) -> Result<Table> {
        let path = directory.join(name).with_extension(format.name());
        Ok(match format {
            Format::Csv => Table::Csv(csv::File::create(&path, schema)?),
            #[cfg(feature = "parquet")]
            Format::Parquet => Table::Parquet(Box::new(parquet::File::create(&path, schema)?)),
        })
    }

    /// Adds a row; `values` in the order of the schema.
    pub(super) fn row(&mut self, values: &[Value<'_>]) -> Result<()> {
        match self {
            Table::Csv(file) => file.row(values),
            #[cfg(feature = "parquet")]
            Table::Parquet(file) => Ok(file.row(values)?),
        }
    }

    pub(super) fn finish(self) -> Result<()> {
        match self {
            Table::Csv(file) => file.finish(),
            #[cfg(feature = "parquet")]
            Table::Parquet(file) => Ok(file.finish()?),
        }
    }
}
