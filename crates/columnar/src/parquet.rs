//! One Parquet file: rows gathered by column, written in groups.

use super::value::{Kind, Value};
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
use parquet::errors::Result;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Rows held before a group is written.
const GROUP: usize = 128 << 10;

enum Column {
    Int(Vec<i32>),
    Long(Vec<i64>),
    Text(Vec<ByteArray>),
}

pub(super) struct File {
    writer: SerializedFileWriter<fs::File>,
    columns: Vec<Column>,
    /// Definition levels by column: 1 present, 0 null.
    present: Vec<Vec<i16>>,
    rows: usize,
}

impl File {
    pub(super) fn create(path: &Path, schema: &[(&str, Kind)]) -> Result<File> {
        let fields: String = schema
            .iter()
            .map(|(name, kind)| match kind {
                Kind::Int => format!("OPTIONAL INT32 {name}; "),
                Kind::Long => format!("OPTIONAL INT64 {name}; "),
                Kind::Text => format!("OPTIONAL BINARY {name} (UTF8); "),
            })
            .collect();
        let schema_type = Arc::new(parse_message_type(&format!("message schema {{ {fields} }}"))?);
        let properties =
            WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?)).build();
        let writer = SerializedFileWriter::new(fs::File::create(path)?, schema_type, Arc::new(properties))?;
        let columns = schema
            .iter()
            .map(|(_, kind)| match kind {
                Kind::Int => Column::Int(Vec::new()),
                Kind::Long => Column::Long(Vec::new()),
                Kind::Text => Column::Text(Vec::new()),
            })
            .collect();
        Ok(File { writer, columns, present: vec![Vec::new(); schema.len()], rows: 0 })
    }

    /// Adds a row; `values` in the order of the schema.
    pub(super) fn row(&mut self, values: &[Value<'_>]) -> Result<()> {
        debug_assert_eq!(values.len(), self.columns.len());
        for ((value, column), present) in values.iter().zip(&mut self.columns).zip(&mut self.present) {
            let there = match (value, column) {
                (Value::Int(Some(v)), Column::Int(column)) => {
                    column.push(*v);
                    true
                }
                (Value::Long(Some(v)), Column::Long(column)) => {
                    column.push(*v);
                    true
                }
                (Value::Text(v), Column::Text(column)) => {
                    column.push(ByteArray::from(*v));
                    true
                }
                _ => false,
            };
            present.push(i16::from(there));
        }
        self.rows += 1;
        if self.rows == GROUP { self.write_group() } else { Ok(()) }
    }

    fn write_group(&mut self) -> Result<()> {
        let mut group = self.writer.next_row_group()?;
        for (column, present) in self.columns.iter_mut().zip(&mut self.present) {
            let Some(mut writer) = group.next_column()? else { break };
            match column {
                Column::Int(values) => {
                    writer.typed::<Int32Type>().write_batch(values, Some(present), None)?;
                    values.clear();
                }
                Column::Long(values) => {
                    writer.typed::<Int64Type>().write_batch(values, Some(present), None)?;
                    values.clear();
                }
                Column::Text(values) => {
                    writer.typed::<ByteArrayType>().write_batch(values, Some(present), None)?;
                    values.clear();
                }
            }
            writer.close()?;
            present.clear();
        }
        group.close()?;
        self.rows = 0;
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<()> {
        if self.rows > 0 {
            self.write_group()?;
        }
        self.writer.close()?;
        Ok(())
    }
}
