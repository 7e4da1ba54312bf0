//! What `warprace fix` offers, built from source and run again.

use crate::case::{Builder, Case};
use crate::warprace;
use serde_json::Value;
use std::path::Path;

/// The offer of `warprace fix`.
pub(crate) struct Offered {
    text: String,
    built: bool,
}

pub(crate) fn fix(
    builder: &Builder,
    case: &Case,
    program: &Path,
    with_compiler: bool,
) -> Result<Option<Offered>, String> {
    let json = program.with_extension("json");
    let mut command = warprace();
    command.arg("fix").arg("--all").arg("--project").arg(&builder.folder).arg("--json").arg(&json);
    if !case.run.is_empty() {
        command.arg(format!("--run={}", case.run.join(" ")));
    }
    if with_compiler {
        command.arg("--build").arg(builder.command(case)).args(["--tries", "40"]);
    }
    let done = command.arg("--").arg(program).args(&case.arguments).output().expect("warprace runs");
    let text =
        std::fs::read_to_string(&json).map_err(|_| String::from_utf8_lossy(&done.stderr).into_owned())?;
    let value: Value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
    let Some(offer) = value["offers"].get(0) else { return Ok(None) };
    let files = offer["files"].as_array().map_or(0, Vec::len);
    if files != 1 {
        return Err(format!("{files} files are changed"));
    }
    let text = offer["files"][0]["text"].as_str().unwrap_or_default().to_owned();
    Ok(Some(Offered { text, built: with_compiler }))
}

/// Runs a program under 20 schedules and with prediction. The error says what is wrong with it.
pub(crate) fn clean(case: &Case, program: &Path) -> Result<(), String> {
    let json = program.with_extension("report.json");
    let mut command = warprace();
    command.args(["run", "--quiet", "--explore", "20", "--predict", "--timeout", "120", "--json"]).arg(&json);
    command.args(&case.run).arg("--").arg(program).args(&case.arguments).output().expect("warprace runs");
    let text = std::fs::read_to_string(&json).map_err(|e| e.to_string())?;
    let value: Value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
    let (verdict, code) = (&value["verdict"], &value["program"]["exit_code"]);
    match (verdict.as_str(), code.as_i64()) {
        (Some("clean"), Some(0)) => Ok(()),
        _ => Err(format!("{verdict}, exit code {code}, {}", value["races"][0]["title"])),
    }
}

/// The result for a case.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mended {
    InPtx,
    WithCompiler,
    No,
}

/// Mends a case, and tries the offer: built from source and run. An offer that does not hold is an error.
pub(crate) fn mend(builder: &Builder, case: &Case, with_compiler: bool) -> Result<Mended, String> {
    let source = case.file(&builder.folder);
    std::fs::write(&source, &case.text).map_err(|e| e.to_string())?;
    let program = builder.build(case, &source)?;
    let mut offered = fix(builder, case, &program, false)?;
    if offered.is_none() && with_compiler {
        offered = fix(builder, case, &program, true)?;
    }
    let Some(Offered { text, built }) = offered else { return Ok(Mended::No) };
    let changed =
        source.with_file_name(format!("mended-{}", source.file_name().unwrap_or_default().to_string_lossy()));
    std::fs::write(&changed, text).map_err(|e| e.to_string())?;
    let mended = builder.build(case, &changed)?;
    let result = clean(case, &mended);
    for path in [&program, &mended] {
        let _ = std::fs::remove_file(path);
    }
    result.map(|()| if built { Mended::WithCompiler } else { Mended::InPtx })
}
