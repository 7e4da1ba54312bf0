//! A form: one instruction with one set of modifiers, in a kernel that applies it to every item of an input
//! array.
//!
//! The first lines of the `.ptx` file describe the form:
//! ```text
//! // run: f32 = f32 f32
//! // items: 4096, kept: 256
//! // compare: exact
//! ```
//! Item `i` is thread `i` of blocks of 128. Its sources lie at `in + i * 8 * sources`, its results at `out +
//! i * 8 * results`, each in an 8-byte slot; `scratch` has 64 bytes for each thread.

use std::path::Path;

/// The required agreement of a result with the recording.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Compare {
    Exact,
    /// Agreement within `ulp` units in the last place of the result's float type, or within an absolute
    /// difference of `absolute`.
    Near {
        ulp: u32,
        absolute: f64,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct Form {
    /// The directory under `tests/ptx`.
    pub(crate) group: String,
    /// The file name without `.ptx`.
    pub(crate) name: String,
    /// The result types.
    pub(crate) results: Vec<String>,
    /// The source types or input classes (see [`super::inputs`]).
    pub(crate) sources: Vec<String>,
    pub(crate) items: usize,
    /// The number of results that are stored in full; the rest is stored as a hash.
    pub(crate) kept: usize,
    pub(crate) compare: Compare,
}

impl Form {
    /// Parses the header of a `.ptx` file.
    pub(crate) fn parse(group: &str, name: &str, text: &str) -> Result<Form, String> {
        let field = |key: &str| {
            text.lines()
                .take_while(|l| l.starts_with("//"))
                .find_map(|l| l.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(": "))
                .ok_or_else(|| format!("{group}/{name}.ptx: no '// {key}:' line"))
        };
        let words = |s: &str| s.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let (results, sources) =
            field("run")?.split_once('=').ok_or_else(|| format!("{group}/{name}.ptx: no '=' in run"))?;
        let number = |s: &str| s.trim().parse::<usize>().map_err(|e| format!("{group}/{name}.ptx: {e}"));
        let (items, kept) = field("items")?.split_once(", kept: ").ok_or("no kept")?;
        let compare = words(field("compare")?);
        let compare = match compare.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["exact"] => Compare::Exact,
            ["ulp", n] => Compare::Near { ulp: number(n)? as u32, absolute: 0.0 },
            ["ulp", n, "or", x] => Compare::Near {
                ulp: number(n)? as u32,
                absolute: x.parse().map_err(|e| format!("{group}/{name}.ptx: {e}"))?,
            },
            _ => return Err(format!("{group}/{name}.ptx: unknown comparison")),
        };
        Ok(Form {
            group: group.to_owned(),
            name: name.to_owned(),
            results: words(results),
            sources: words(sources),
            items: number(items)?,
            kept: number(kept)?,
            compare,
        })
    }

    /// Returns the header lines that [`Form::parse`] reads.
    pub(crate) fn header(&self) -> String {
        let compare = match self.compare {
            Compare::Exact => "exact".to_owned(),
            Compare::Near { ulp, absolute: 0.0 } => format!("ulp {ulp}"),
            Compare::Near { ulp, absolute } => format!("ulp {ulp} or {absolute:e}"),
        };
        format!(
            "// run: {} = {}\n// items: {}, kept: {}\n// compare: {compare}\n",
            self.results.join(" "),
            self.sources.join(" "),
            self.items,
            self.kept
        )
    }

    /// Returns the bytes of an item's results in the recording.
    pub(crate) fn result_bytes(&self) -> usize {
        self.results.iter().map(|t| register(t).1).sum()
    }
}

/// Returns the register type and the width in bytes for a type or input class.
pub(crate) fn register(ty: &str) -> (&'static str, usize) {
    match ty.split(':').next().unwrap_or(ty) {
        "f32" => (".f32", 4),
        "f64" => (".f64", 8),
        "u64" | "s64" | "b64" => (".b64", 8),
        "u16" | "s16" | "b16" | "f16" | "bf16" | "e4m3x2" | "e5m2x2" => (".b16", 2),
        "pred" => (".pred", 1),
        // 8-bit values are in 32-bit registers.
        _ => (".b32", 4),
    }
}

/// Returns all forms under a directory with their PTX text, in a fixed order.
pub(crate) fn load(root: &Path) -> Result<Vec<(Form, String)>, String> {
    let list = |dir: &Path| -> Result<Vec<_>, String> {
        let mut paths: Vec<_> = std::fs::read_dir(dir)
            .map_err(|e| format!("{}: {e}", dir.display()))?
            .filter_map(|e| Some(e.ok()?.path()))
            .collect();
        paths.sort();
        Ok(paths)
    };
    let mut forms = Vec::new();
    for dir in list(root)?.into_iter().filter(|p| p.is_dir()) {
        let group = dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for path in list(&dir)?.into_iter().filter(|p| p.extension().is_some_and(|e| e == "ptx")) {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            forms.push((Form::parse(&group, &name, &text)?, text));
        }
    }
    Ok(forms)
}
