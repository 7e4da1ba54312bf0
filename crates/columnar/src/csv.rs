//! One CSV file, as RFC 4180 has it, with a header line; null is an empty field.

use super::value::{Kind, Value};
use std::fs;
use std::io::{BufWriter, Result, Write};
use std::path::Path;

pub(super) struct File {
    out: BufWriter<fs::File>,
}

impl File {
    pub(super) fn create(path: &Path, schema: &[(&str, Kind)]) -> Result<File> {
        let mut out = BufWriter::with_capacity(1 << 16, fs::File::create(path)?);
        let names: Vec<&str> = schema.iter().map(|(name, _)| *name).collect();
        writeln!(out, "{}", names.join(","))?;
        Ok(File { out })
    }

    pub(super) fn row(&mut self, values: &[Value<'_>]) -> Result<()> {
        for (i, value) in values.iter().enumerate() {
            if i > 0 {
                self.out.write_all(b",")?;
            }
            match value {
                Value::Int(Some(v)) => write!(self.out, "{v}")?,
                Value::Long(Some(v)) => write!(self.out, "{v}")?,
                Value::Int(None) | Value::Long(None) => {}
                Value::Text(text) if text.contains([',', '"', '\n', '\r']) => {
                    write!(self.out, "\"{}\"", text.replace('"', "\"\""))?
                }
                Value::Text(text) => self.out.write_all(text.as_bytes())?,
            }
        }
        self.out.write_all(b"\n")
    }

    pub(super) fn finish(mut self) -> Result<()> {
        self.out.flush()
    }
}
