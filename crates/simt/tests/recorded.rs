//! Checks every form of `tests/ptx` on the virtual GPU against the results of an H200.

use crate::recorded_forms;
use crate::support;

use recorded_forms::check::{self, Checked};
use recorded_forms::form::Form;
use simt::Progress;
use std::panic::catch_unwind;
use std::path::PathBuf;
use support::Machine;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/ptx")
}

/// Runs a form's kernel like `record.c` and returns its result slots.
fn run(form: &Form, text: &str, inputs: &[u64]) -> Result<Vec<u64>, String> {
    let machine = Machine::try_new(text).map_err(|e| e.to_string())?;
    let result_bytes = form.items * form.results.len() * 8;
    let sources = machine.alloc((inputs.len() as u64 * 8).max(8));
    let results = machine.alloc(result_bytes as u64);
    let scratch = machine.alloc(form.items as u64 * 64);
    let bytes: Vec<u8> = inputs.iter().flat_map(|s| s.to_le_bytes()).collect();
    machine.memory.write(sources, &bytes).map_err(|e| format!("{e:?}"))?;
    let grid = (form.items / 128) as u32;
    let (progress, _) = machine.run("form", grid, 128, args![sources, results, scratch]);
    if progress != Progress::Finished {
        return Err(format!("{progress:?}"));
    }
    let mut bytes = vec![0; result_bytes];
    machine.memory.read(results, &mut bytes).map_err(|e| format!("{e:?}"))?;
    Ok(bytes.chunks_exact(8).map(|b| b.iter().rev().fold(0, |v, &x| v << 8 | u64::from(x))).collect())
}

#[test]
fn the_virtual_gpu_agrees_with_the_recordings() {
    let (mut same, mut wrong) = (0, Vec::new());
    check::each_form(&root(), |form, text, inputs, recording| {
        let name = format!("{}/{}", form.group, form.name);
        // A panic is reported like any other difference.
        let outcome = catch_unwind(|| run(form, text, inputs)).unwrap_or_else(|_| Err("panics".to_owned()));
        match outcome {
            Err(e) => wrong.push(format!("{name}: {e}")),
            Ok(outputs) => match check::check(form, inputs, &outputs, recording) {
                Checked::Same => same += 1,
                Checked::Differs(what) => wrong.push(what),
            },
        }
    });
    println!("{same} forms agree");
    assert!(wrong.is_empty(), "{} forms differ from the GPU:\n{}", wrong.len(), wrong.join("\n"));
    assert!(same > 1700, "only {same} forms were checked");
}
