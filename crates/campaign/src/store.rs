//! The folder of a campaign.
//!
//! ```text
//! campaign          what the folder is, and its version
//! runs/3f/3f…       one file for each result: a line of `record`
//! shown/KEY/RUN     the description of a finding (or of a program), by the run that it is of
//! packed/000001-…   results of many runs, one line each
//! slurm/            batches of Slurm, their scripts and logs
//! writing/          files that are not whole yet
//! ```
//!
//! A file is written under `writing`, synchronised, and renamed into place, so that it is there whole or not at
//! all; a line that a crash of the machine has torn does not match its hash and counts as missing. No file is
//! changed after that, and none is locked: a run that two workers repeat replaces a result by its equal. NFS
//! renames atomically, and a name that has the machine and the process in it is no other's.
//!
//! A description of a finding is written before the result that names it. Workers leave it out if the folder has
//! one of a run with a lower number, so that the description with the lowest number is the same however runs
//! were distributed.

use crate::identity::{Hasher, Identity};
use crate::plan::Plan;
use crate::record::{self, Record, seal};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The first line of the file `campaign`.
const VERSION: &str = "warprace campaign 1";

/// Results in files of their own, from which [`Store::pack`] makes one file.
pub const MANY: usize = 1000;

/// The age of an unfinished file whose writer is gone.
const OLD: Duration = Duration::from_secs(24 * 3600);

/// Why a folder could not be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot write to the campaign's folder: {}: {error}", path.display())]
    Write { path: PathBuf, error: io::Error },
    #[error("cannot read the campaign's folder: {}: {error}", path.display())]
    Read { path: PathBuf, error: io::Error },
    #[error("`{}` is no folder of a campaign, and not empty", .0.display())]
    Foreign(PathBuf),
    #[error("`{}` is of another version of warprace: it begins with `{found}`", path.display())]
    Version { path: PathBuf, found: String },
}

impl Error {
    /// Returns whether the disk is full, or a quota is used up.
    pub fn is_full(&self) -> bool {
        let full = [ErrorKind::StorageFull, ErrorKind::QuotaExceeded, ErrorKind::FileTooLarge];
        matches!(self, Error::Write { error, .. } if full.contains(&error.kind()))
    }
}

/// The folder of a campaign.
#[derive(Debug)]
pub struct Store {
    root: PathBuf,
    /// The machine and the process, which begin the names of unfinished files.
    writer: String,
    next: AtomicU64,
    /// The lowest number of a run with a description, by its key.
    lowest: Mutex<HashMap<Identity, u64>>,
}

impl Store {
    /// Opens a folder, and creates it if it is missing or empty.
    pub fn create(root: &Path, host: &str) -> Result<Store, Error> {
        let write = |path: &Path, error| Error::Write { path: path.to_owned(), error };
        fs::create_dir_all(root).map_err(|e| write(root, e))?;
        let mark = root.join("campaign");
        if !mark.exists() {
            let mut entries = fs::read_dir(root).map_err(|e| write(root, e))?;
            if entries.next().is_some() {
                return Err(Error::Foreign(root.to_owned()));
            }
            for folder in ["runs", "shown", "packed", "writing"] {
                let path = root.join(folder);
                fs::create_dir_all(&path).map_err(|e| write(&path, e))?;
            }
            fs::write(&mark, format!("{VERSION}\n")).map_err(|e| write(&mark, e))?;
        }
        Store::open(root, host)
    }

    /// Opens a folder that is there. `host` is the name of this machine.
    pub fn open(root: &Path, host: &str) -> Result<Store, Error> {
        let mark = root.join("campaign");
        let text = fs::read_to_string(&mark).map_err(|error| Error::Read { path: mark.clone(), error })?;
        let found = text.lines().next().unwrap_or_default();
        if found != VERSION {
            let found = found.chars().take(80).collect();
            return Err(Error::Version { path: mark, found });
        }
        let plain: String =
            host.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c)).collect();
        let writer = format!("{plain}-{}", std::process::id());
        let store =
            Store { root: root.to_owned(), writer, next: AtomicU64::new(0), lowest: Mutex::default() };
        store.clear();
        Ok(store)
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Removes unfinished files of writers that ended long ago.
    fn clear(&self) {
        for entry in fs::read_dir(self.root.join("writing")).into_iter().flatten().flatten() {
            let age =
                entry.metadata().and_then(|about| about.modified()).ok().and_then(|at| at.elapsed().ok());
            if age.is_some_and(|age| age > OLD) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Writes a whole file, or leaves what was there.
    pub fn put(&self, path: &Path, content: &[u8]) -> Result<(), Error> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let beside = self.root.join("writing").join(format!("{}-{number}", self.writer));
        let done = written(&beside, content).and_then(|()| match fs::rename(&beside, path) {
            Err(e) if e.kind() == ErrorKind::NotFound => {
                fs::create_dir_all(path.parent().unwrap_or(&self.root))?;
                fs::rename(&beside, path)
            }
            other => other,
        });
        done.map_err(|error| {
            let _ = fs::remove_file(&beside);
            Error::Write { path: path.to_owned(), error }
        })
    }

    fn file(&self, run: Identity) -> PathBuf {
        let name = run.to_string();
        self.root.join("runs").join(&name[..2]).join(name)
    }

    /// Returns whether a run has a whole result in a file of its own.
    pub fn has(&self, run: Identity) -> bool {
        self.single(run).is_some()
    }

    fn single(&self, run: Identity) -> Option<Record> {
        let content = bounded(&self.file(run)).ok()?;
        record::lines::<Record>(&content).whole.pop().filter(|record| record.run == run)
    }

    /// Removes the file of a result, so that the run counts as missing for others, too.
    pub fn forget(&self, run: Identity) {
        let _ = fs::remove_file(self.file(run));
    }

    /// Returns results in files of their own that `known` does not name yet, and adds them to it.
    pub fn fresh(&self, known: &mut HashSet<Identity>) -> Result<Vec<Record>, Error> {
        let mut out = Vec::new();
        for path in self.singles()? {
            let Some(run) = path.file_name().and_then(|name| name.to_str()?.parse().ok()) else { continue };
            if known.contains(&run) {
                continue;
            }
            // A torn file is looked at again: another task may replace it.
            if let Some(record) = self.single(run) {
                known.insert(run);
                out.push(record);
            }
        }
        Ok(out)
    }

    /// Writes a result.
    pub fn write(&self, record: &Record) -> Result<(), Error> {
        self.put(&self.file(record.run), seal(record).as_bytes())
    }

    /// Writes the description of a finding or a program, unless there is one of a run with a lower number.
    pub fn show(&self, key: Identity, plan: &Plan, number: u64, value: &impl Serialize) -> Result<(), Error> {
        let known = |lowest: &HashMap<Identity, u64>| lowest.get(&key).is_some_and(|&first| first <= number);
        if known(&self.lowest.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(());
        }
        let first = self.describing(key, plan).into_iter().min().unwrap_or(u64::MAX);
        // The own one is written again, since it may be torn.
        if first >= number {
            let run = plan.run(number).identity;
            self.put(&self.described(key).join(run.to_string()), seal(value).as_bytes())?;
        }
        let mut lowest = self.lowest.lock().unwrap_or_else(PoisonError::into_inner);
        lowest.insert(key, first.min(number));
        Ok(())
    }

    /// Returns the description of a finding (or of a program) that `first` showed first: its own, or one of a run
    /// with a lower number, of which the result has been lost. `None` if they are missing or torn.
    pub fn shown<T: DeserializeOwned>(&self, key: Identity, plan: &Plan, first: u64) -> Option<T> {
        let of = |run: Identity| {
            let content = bounded(&self.described(key).join(run.to_string())).ok()?;
            record::lines(&content).whole.pop()
        };
        of(plan.run(first).identity).or_else(|| {
            let mut lower = self.describing(key, plan);
            lower.retain(|&number| number < first);
            lower.sort_unstable();
            lower.into_iter().find_map(|number| of(plan.run(number).identity))
        })
    }

    /// Returns the folder with the descriptions of a finding or a program.
    fn described(&self, key: Identity) -> PathBuf {
        self.root.join("shown").join(key.to_string())
    }

    /// Returns the numbers of runs that have described a finding or a program.
    fn describing(&self, key: Identity, plan: &Plan) -> Vec<u64> {
        let there = fs::read_dir(self.described(key)).into_iter().flatten().flatten();
        there.filter_map(|entry| plan.number(entry.file_name().to_str()?.parse().ok()?)).collect()
    }

    /// Reads all results. Of a run with several, the newest comes first. Returns the number of torn lines.
    pub fn read(&self, mut each: impl FnMut(Record)) -> Result<u64, Error> {
        let mut torn = 0;
        // Results are packed before their own files are removed: in this order none is overlooked.
        for path in self.singles()? {
            match bounded(&path) {
                Ok(content) => {
                    let lines = record::lines(&content);
                    torn += lines.torn + u64::from(content.is_empty());
                    lines.whole.into_iter().for_each(&mut each);
                }
                Err(e) if e.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(Error::Read { path, error }),
            }
        }
        let mut packs = listed(&self.root.join("packed"))?;
        packs.sort();
        for path in packs.into_iter().rev() {
            torn += read_pack(&path, &mut each).map_err(|error| Error::Read { path, error })?;
        }
        Ok(torn)
    }

    /// Returns the files of single results.
    fn singles(&self) -> Result<Vec<PathBuf>, Error> {
        let mut out = Vec::new();
        for folder in listed(&self.root.join("runs"))? {
            out.extend(listed(&folder)?);
        }
        out.sort();
        Ok(out)
    }

    /// Puts the results that have files of their own into one file, if there are many. Torn files stay.
    pub fn pack(&self) -> Result<(), Error> {
        let singles = self.singles()?;
        if singles.len() < MANY {
            return Ok(());
        }
        let (mut content, mut packed) = (Vec::new(), Vec::new());
        for path in singles {
            let Ok(line) = bounded(&path) else { continue };
            if record::lines::<Record>(&line).whole.len() == 1 {
                content.extend(line);
                packed.push(path);
            }
        }
        let number = |path: &PathBuf| path.file_name()?.to_str()?.split('-').next()?.parse::<u64>().ok();
        let folder = self.root.join("packed");
        let last = listed(&folder)?.iter().filter_map(number).max().unwrap_or(0);
        let hash = Hasher::new("pack").bytes(&content).finish().to_string();
        self.put(&folder.join(format!("{:06}-{}", last + 1, &hash[..8])), &content)?;
        packed.iter().for_each(|path| drop(fs::remove_file(path)));
        Ok(())
    }
}

fn written(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(content)?;
    file.sync_all()
}

/// Reads a file of one line.
fn bounded(path: &Path) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    File::open(path)?.take(record::LONGEST as u64 + 1).read_to_end(&mut content)?;
    Ok(content)
}

/// Returns the paths in a folder; none if it is missing.
fn listed(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let failed = |error| Error::Read { path: folder.to_owned(), error };
    match fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| entry.map(|entry| entry.path()).map_err(failed)).collect(),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(failed(error)),
    }
}

/// Reads a packed file line by line. Returns the number of torn lines.
fn read_pack(path: &Path, each: &mut impl FnMut(Record)) -> io::Result<u64> {
    let mut file = BufReader::with_capacity(1 << 16, File::open(path)?);
    let (mut line, mut torn) = (Vec::new(), 0);
    loop {
        line.clear();
        let length = (&mut file).take(record::LONGEST as u64 + 1).read_until(b'\n', &mut line)?;
        if length == 0 {
            return Ok(torn);
        }
        let lines = record::lines::<Record>(&line);
        torn += lines.torn;
        lines.whole.into_iter().for_each(&mut *each);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::Campaign;
    use crate::record::tests::record;

    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let path = std::env::temp_dir().join(format!("warprace-store-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            Scratch(path)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn read(store: &Store) -> (Vec<Record>, u64) {
        let mut all = Vec::new();
        let torn = store.read(|record| all.push(record)).unwrap();
        all.sort_by_key(|record| record.milliseconds);
        (all, torn)
    }

    #[test]
    fn a_repeated_run_is_one_result_and_a_torn_one_is_none() {
        let scratch = Scratch::new("torn");
        let store = Store::create(&scratch.0, "here").unwrap();
        let other = Store::create(&scratch.0, "there").unwrap();
        for n in 0..3 {
            store.write(&record(n)).unwrap();
        }
        other.write(&record(1)).unwrap();
        assert_eq!(read(&store), ((0..3).map(record).collect(), 0));
        let torn = store.file(record(1).run);
        let whole = fs::read(&torn).unwrap();
        for length in [0, 1, 40, whole.len() - 1] {
            fs::write(&torn, &whole[..length]).unwrap();
            assert_eq!(read(&store), (vec![record(0), record(2)], 1), "{length} bytes");
        }
        let mut known = HashSet::from([record(0).run]);
        assert_eq!(store.fresh(&mut known).unwrap(), [record(2)]);
        assert!(store.has(record(0).run) && !store.has(record(1).run));
        store.write(&record(1)).unwrap();
        assert_eq!(store.fresh(&mut known).unwrap(), [record(1)]);
        assert_eq!(read(&store).0.len(), 3);
        store.forget(record(2).run);
        assert_eq!(read(&store).0.len(), 2);
        assert_eq!(fs::read_dir(scratch.0.join("writing")).unwrap().count(), 0);
    }

    #[test]
    fn packed_results_stay_and_newer_ones_come_first() {
        let scratch = Scratch::new("pack");
        let store = Store::create(&scratch.0, "here").unwrap();
        let many = MANY as u64;
        (0..many).for_each(|n| store.write(&record(n)).unwrap());
        fs::write(store.file(record(5).run), "torn").unwrap();
        store.pack().unwrap();
        assert_eq!(store.singles().unwrap().len(), 1);
        assert_eq!((read(&store).0.len() as u64, read(&store).1), (many - 1, 1));
        let newer = Record { message: "newer".into(), ..record(7) };
        store.write(&newer).unwrap();
        let mut of_seven = Vec::new();
        store.read(|r| of_seven.extend(Some(r.message).filter(|_| r.run == newer.run))).unwrap();
        assert_eq!(of_seven, ["newer", &record(7).message]);
        // A packed file that a crash has torn loses its last result only.
        let pack = listed(&scratch.0.join("packed")).unwrap().pop().unwrap();
        let content = fs::read(&pack).unwrap();
        fs::write(&pack, &content[..content.len() - 10]).unwrap();
        assert_eq!((read(&store).0.len() as u64, read(&store).1), (many - 1, 2));
    }

    #[test]
    fn the_description_with_the_lowest_number_does_not_depend_on_the_order() {
        let text = "seeds = 6\n[[program]]\nname = 'a'\ncommand = ['/bin/true']\n";
        let plan = Plan::new(Campaign::parse(text, Path::new("/c.toml")).unwrap()).unwrap();
        let key = Hasher::new("key").finish();
        for order in [[5, 3, 1, 4], [1, 3, 4, 5], [4, 1, 5, 3]] {
            let scratch = Scratch::new("shown");
            let workers = ["a", "b"].map(|host| Store::create(&scratch.0, host).unwrap());
            for (n, number) in order.into_iter().enumerate() {
                workers[n % 2].show(key, &plan, number, &number).unwrap();
            }
            let shown = |first| workers[0].shown::<u64>(key, &plan, first);
            assert_eq!(shown(1), Some(1), "{order:?}");
            assert_eq!(shown(2), Some(1), "the result of run 1 may be lost");
            assert_eq!(shown(0), None, "a run with a lower number has to be repeated");
        }
    }

    #[test]
    fn other_folders_are_left_alone() {
        let scratch = Scratch::new("foreign");
        fs::create_dir_all(&scratch.0).unwrap();
        fs::write(scratch.0.join("mine"), "x").unwrap();
        assert!(matches!(Store::create(&scratch.0, "here"), Err(Error::Foreign(_))));
        fs::write(scratch.0.join("campaign"), "warprace campaign 999\n").unwrap();
        assert!(matches!(Store::create(&scratch.0, "here"), Err(Error::Version { .. })));
    }

    #[test]
    fn what_cannot_be_written_is_an_error() {
        let scratch = Scratch::new("broken");
        let store = Store::create(&scratch.0, "here").unwrap();
        fs::remove_dir(scratch.0.join("runs")).unwrap();
        fs::write(scratch.0.join("runs"), "in the way").unwrap();
        let error = store.write(&record(0)).unwrap_err();
        assert!(error.to_string().starts_with("cannot write to the campaign's folder"), "{error}");
        assert!(!error.is_full());
    }
}
