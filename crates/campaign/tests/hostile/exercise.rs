//! Reads bytes as everything that a campaign reads.

use campaign::file::Campaign;
use campaign::identity::Hasher;
use campaign::record::{self, Record};
use campaign::slurm::{self, Batch};
use report::Document;
use report::model::Described;
use std::collections::BTreeSet;
use std::path::Path;

/// Neither panics nor allocates without a bound; a mistake of a campaign file names a line of it.
pub(crate) fn exercise(bytes: &[u8]) {
    let lines = record::lines::<Record>(bytes);
    assert!(lines.whole.len() as u64 + lines.torn <= bytes.len() as u64);
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if !text.contains('\n') {
        // Past the hash.
        let line = format!("{} {text}", Hasher::new("line").text(text).finish());
        let _ = record::unseal::<Document>(line.as_bytes());
        let _ = record::unseal::<Described>(line.as_bytes());
        let _ = record::unseal::<Batch>(line.as_bytes());
        if let Some(record) = record::unseal::<Record>(line.as_bytes()) {
            let again = record::seal(&record);
            assert_eq!(record::lines::<Record>(again.as_bytes()).whole, [record]);
        }
    }
    match Campaign::parse(text, Path::new("c.toml")) {
        Err(mistake) => assert!((1..=text.lines().count() + 1).contains(&mistake.line), "{mistake}"),
        Ok(campaign) => assert!(campaign.programs.iter().all(|program| !program.seeds.is_empty())),
    }
    let _ = (slurm::job(text), slurm::most_chunks(text), slurm::queue(text, &BTreeSet::from([1])));
}
