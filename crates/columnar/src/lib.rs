//! Tables in files, for DuckDB, Polars, pandas and friends: CSV in every build, Parquet with the feature of
//! that name.
//!
//! A [`Table`] is created with its columns and receives rows of [`Value`]s in their order.

mod csv;
#[cfg(feature = "parquet")]
mod parquet;
mod table;
mod value;

pub use table::Table;
pub use value::{Kind, Value};

/// How tables are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Csv,
    /// Compressed with zstd; needs the feature `parquet`.
    #[cfg(feature = "parquet")]
    Parquet,
}

impl Format {
    /// All formats of this build, the most compact last.
    pub const ALL: &[Format] = &[
        Format::Csv,
        #[cfg(feature = "parquet")]
        Format::Parquet,
    ];

    /// Also the files' extension.
    pub fn name(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            #[cfg(feature = "parquet")]
            Format::Parquet => "parquet",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(format: Format) -> std::path::PathBuf {
        let folder =
            std::env::temp_dir().join(format!("warprace-columnar-{}-{}", format.name(), std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let schema = [("number", Kind::Long), ("line", Kind::Int), ("text", Kind::Text)];
        let mut table = Table::create(&folder, "rows", format, &schema).unwrap();
        table.row(&[Value::Long(Some(-1)), Value::Int(None), Value::Text("a \"b\", c")]).unwrap();
        table.row(&[Value::Long(None), Value::Int(Some(7)), Value::Text("")]).unwrap();
        table.finish().unwrap();
        folder
    }

    #[test]
    fn csv_quotes_text_and_leaves_nulls_empty() {
        let folder = written(Format::Csv);
        let text = std::fs::read_to_string(folder.join("rows.csv")).unwrap();
        assert_eq!(text, "number,line,text\n-1,,\"a \"\"b\"\", c\"\n,7,\n");
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(feature = "parquet")]
    #[test]
    fn parquet_is_read_back() {
        use ::parquet::file::reader::{FileReader, SerializedFileReader};
        use ::parquet::record::{Row, RowAccessor};
        let folder = written(Format::Parquet);
        let file = std::fs::File::open(folder.join("rows.parquet")).unwrap();
        let rows: Vec<Row> = SerializedFileReader::new(file)
            .unwrap()
            .get_row_iter(None)
            .unwrap()
            .map(|row| row.unwrap())
            .collect();
        assert_eq!(rows[0].get_long(0).unwrap(), -1);
        assert!(rows[0].get_int(1).is_err() && rows[1].get_long(0).is_err());
        assert_eq!(rows[1].get_int(1).unwrap(), 7);
        assert_eq!(rows[0].get_string(2).unwrap(), "a \"b\", c");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
