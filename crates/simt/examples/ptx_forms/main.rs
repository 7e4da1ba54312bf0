//! Writes `tests/ptx`: see its README.
//!
//! * `generate ROOT`: writes the `.ptx` files of every form in the table.
//! * `jobs ROOT DIR [GROUP]`: writes a job folder for `record.c`, of all groups or one: inputs and a list.
//! * `pack ROOT DIR [GROUP]`: packs the folder's outputs into `ROOT/results`.
//! * `sparse-jobs DIR`, `sparse-results DIR`: the same of sparse products of warpgroups; the results are printed.

#[path = "../../tests/recorded_forms/mod.rs"]
#[allow(dead_code)]
mod recorded_forms;

mod kernel;
mod table;

use recorded_forms::form;
use recorded_forms::inputs::inputs;
use recorded_forms::results::{self, Recording};
use recorded_forms::sparse;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["generate", root] => generate(Path::new(root)),
        ["jobs", root, dir, ref group @ ..] => jobs(Path::new(root), Path::new(dir), group),
        ["pack", root, dir, ref group @ ..] => pack(Path::new(root), Path::new(dir), group),
        ["sparse-jobs", dir] => sparse_jobs(Path::new(dir)),
        ["sparse-results", dir] => sparse_results(Path::new(dir)),
        _ => Err("usage: ptx_forms generate ROOT | jobs ROOT DIR [GROUP] | pack ROOT DIR [GROUP] | \
                  sparse-jobs DIR | sparse-results DIR"
            .into()),
    }
}

fn generate(root: &Path) -> Result {
    let mut count = 0;
    let mut groups = BTreeMap::new();
    for (form, body) in table::all() {
        let dir = root.join(&form.group);
        if groups.insert(form.group.clone(), ()).is_none() {
            let _ = fs::remove_dir_all(&dir);
            fs::create_dir_all(&dir)?;
        }
        let path = dir.join(format!("{}.ptx", form.name));
        if path.exists() {
            return Err(format!("two forms named {}/{}", form.group, form.name).into());
        }
        fs::write(path, kernel::text(&form, &body))?;
        count += 1;
    }
    println!("{count} forms in {} groups", groups.len());
    Ok(())
}

/// Returns the forms of some groups, or of all.
fn load(root: &Path, groups: &[&str]) -> Result<Vec<(form::Form, String)>> {
    let mut forms = form::load(root)?;
    forms.retain(|(form, _)| groups.is_empty() || groups.contains(&form.group.as_str()));
    Ok(forms)
}

/// Writes a job folder. `list.txt` has a line per form: name, path of the PTX, items, source slots, result
/// slots. `inputs.bin` contains the inputs of all forms in sequence.
fn jobs(root: &Path, dir: &Path, groups: &[&str]) -> Result {
    fs::create_dir_all(dir)?;
    let (mut list, mut all) = (String::new(), Vec::new());
    for (form, text) in load(root, groups)? {
        let file = format!("{}.{}.ptx", form.group, form.name);
        fs::write(dir.join(&file), text)?;
        all.extend(inputs(&form).iter().flat_map(|s| s.to_le_bytes()));
        list += &format!("{file} {} {} {}\n", form.items, form.sources.len(), form.results.len());
    }
    fs::write(dir.join("list.txt"), list)?;
    fs::write(dir.join("inputs.bin"), all)?;
    Ok(())
}

/// Packs `outputs.bin`: the result slots of the list's forms, in its order.
fn pack(root: &Path, dir: &Path, of: &[&str]) -> Result {
    let outputs = fs::read(dir.join("outputs.bin"))?;
    let mut words = outputs.chunks_exact(8).map(|c| c.iter().rev().fold(0, |v, &x| v << 8 | u64::from(x)));
    let mut recorded: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for line in fs::read_to_string(dir.join("list.txt"))?.lines() {
        let mut fields = line.split(' ');
        let file = fields.next().unwrap_or_default().to_owned();
        let numbers: Vec<usize> = fields.map(str::parse).collect::<std::result::Result<_, _>>()?;
        let &[items, _, results] = &numbers[..] else { return Err(format!("bad line: {line}").into()) };
        let slots: Vec<u64> = words.by_ref().take(items * results).collect();
        if slots.len() != items * results {
            return Err("outputs.bin is cut short".into());
        }
        recorded.insert(file, slots);
    }
    let mut groups: BTreeMap<String, Vec<Recording>> = BTreeMap::new();
    for (form, _) in load(root, of)? {
        let slots = recorded
            .get(&format!("{}.{}.ptx", form.group, form.name))
            .filter(|s| s.len() == form.items * form.results.len())
            .ok_or_else(|| format!("{}/{} was not recorded", form.group, form.name))?;
        let recording = Recording::new(&form, &inputs(&form), slots);
        groups.entry(form.group.clone()).or_default().push(recording);
    }
    fs::create_dir_all(root.join("results"))?;
    let mut total = 0;
    for (group, recordings) in groups {
        let packed = zstd::encode_all(&results::write(&recordings)[..], 19)?;
        total += packed.len();
        fs::write(root.join("results").join(format!("{group}.zst")), packed)?;
    }
    println!("{total} bytes");
    Ok(())
}

/// Writes a job folder of the sparse products of warpgroups.
fn sparse_jobs(dir: &Path) -> Result {
    fs::create_dir_all(dir)?;
    let (mut list, mut all) = (String::new(), Vec::new());
    for (index, form) in sparse::forms().iter().enumerate() {
        let file = format!("{}.ptx", form.name);
        fs::write(dir.join(&file), form.text())?;
        for case in sparse::cases() {
            all.extend(form.inputs(index, case).iter().flat_map(|s| s.to_le_bytes()));
            list += &format!("{file} {} {} {}\n", sparse::THREADS, sparse::SOURCES, sparse::RESULTS);
        }
    }
    fs::write(dir.join("list.txt"), list)?;
    fs::write(dir.join("inputs.bin"), all)?;
    Ok(())
}

/// Prints the hashes of `outputs.bin`.
fn sparse_results(dir: &Path) -> Result {
    let outputs = fs::read(dir.join("outputs.bin"))?;
    let slots: Vec<u64> = outputs.as_chunks::<8>().0.iter().map(|slot| u64::from_le_bytes(*slot)).collect();
    let mut results = slots.chunks_exact(sparse::THREADS * sparse::RESULTS);
    for form in sparse::forms() {
        for case in sparse::cases() {
            let results = results.next().ok_or("outputs.bin is cut short")?;
            println!("{}", sparse::line(&form, case, results));
        }
    }
    Ok(())
}
