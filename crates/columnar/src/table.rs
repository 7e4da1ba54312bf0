//! A table, in any format.

#[cfg(feature = "parquet")]
use super::parquet;
use super::value::{Kind, Value};
use super::{Format, csv};
use std::io::Result;
use std::path::Path;

/// A file that is being written.
pub struct Table(Writer);

enum Writer {
    Csv(csv::File),
    #[cfg(feature = "parquet")]
    Parquet(Box<parquet::File>),
}

impl Table {
    /// Creates `directory/NAME.csv` or `directory/NAME.parquet`.
    pub fn create(directory: &Path, name: &str, format: Format, schema: &[(&str, Kind)]) -> Result<Table> {
        let path = directory.join(name).with_extension(format.name());
        Ok(Table(match format {
            Format::Csv => Writer::Csv(csv::File::create(&path, schema)?),
            #[cfg(feature = "parquet")]
            Format::Parquet => Writer::Parquet(Box::new(parquet::File::create(&path, schema)?)),
        }))
    }

    /// Adds a row; `values` in the order of the schema.
    pub fn row(&mut self, values: &[Value<'_>]) -> Result<()> {
        match &mut self.0 {
            Writer::Csv(file) => file.row(values),
            #[cfg(feature = "parquet")]
            Writer::Parquet(file) => Ok(file.row(values)?),
        }
    }

    /// Writes what is left. A table that is dropped before is not whole.
    pub fn finish(self) -> Result<()> {
        match self.0 {
            Writer::Csv(file) => file.finish(),
            #[cfg(feature = "parquet")]
            Writer::Parquet(file) => Ok(file.finish()?),
        }
    }
}
