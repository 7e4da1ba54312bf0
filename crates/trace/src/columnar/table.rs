//! A table, in any format.

#[cfg(feature = "parquet")]
use super::parquet;
use super::value::{Kind, Value};
use super::{Format, csv};
use std::io::Result;
use std::path::Path;

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
