//! Campaigns as job arrays of Slurm: the words of its commands, and their answers.
//!
//! A batch is a list of chunks, each of which is a list of runs; task N of the array takes chunk N. The list is a
//! file of the campaign's folder, so that a task that Slurm starts again takes the same runs, and leaves out
//! those that have a result.

use crate::identity::Identity;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Options of a submission.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Submission {
    pub partition: Option<String>,
    pub account: Option<String>,
    pub time: Option<String>,
    /// Tasks that run at the same time.
    pub throttle: Option<u32>,
    /// Runs at the same time in each task.
    pub cpus: u32,
    /// Additional words for `sbatch`.
    pub options: Vec<String>,
}

/// The chunks of one job array.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// The identity of the plan whose numbers the chunks have.
    pub plan: Identity,
    pub chunks: Vec<Vec<u64>>,
}

impl Batch {
    /// Divides runs into chunks of `size` runs, or larger ones if there would be more than `most` chunks. Runs of
    /// one chunk lie apart, so that a program whose runs are slow does not make one chunk slow.
    pub fn new(plan: Identity, runs: &[u64], size: usize, most: usize) -> Batch {
        let chunks = runs.len().div_ceil(size.max(1)).clamp(1, most.max(1));
        let chunk = |n: usize| runs.iter().copied().skip(n).step_by(chunks).collect();
        Batch { plan, chunks: (0..chunks).map(chunk).collect() }
    }
}

impl Submission {
    /// Returns the words that follow `sbatch`. `log` is a file name with Slurm's `%A` and `%a` in it.
    pub fn words(&self, name: &str, batch: &Batch, log: &str, script: &str) -> Vec<String> {
        let throttle = self.throttle.map_or_else(String::new, |n| format!("%{n}"));
        let mut out = vec![
            "--parsable".to_owned(),
            format!("--job-name={name}"),
            format!("--array=0-{}{throttle}", batch.chunks.len() - 1),
            "--requeue".into(),
            "--open-mode=append".into(),
            format!("--cpus-per-task={}", self.cpus.max(1)),
            format!("--output={log}"),
        ];
        let named = [("partition", &self.partition), ("account", &self.account), ("time", &self.time)];
        out.extend(named.iter().filter_map(|(key, value)| Some(format!("--{key}={}", value.as_deref()?))));
        out.extend(self.options.iter().cloned());
        out.push(script.to_owned());
        out
    }
}

/// Returns the number of the job that `sbatch --parsable` has submitted.
pub fn job(answer: &str) -> Option<u64> {
    answer.lines().last()?.split(';').next()?.trim().parse().ok()
}

/// Returns the value of `MaxArraySize` in the answer of `scontrol show config`: one more than the highest index.
pub fn most_chunks(config: &str) -> Option<usize> {
    let line = config.lines().find(|line| line.trim_start().starts_with("MaxArraySize"))?;
    line.split('=').nth(1)?.trim().parse().ok().filter(|&n: &usize| n > 0)
}

/// The tasks of a job that have not ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Queue {
    pub running: u64,
    pub waiting: u64,
}

impl Queue {
    pub fn is_empty(&self) -> bool {
        self.running + self.waiting == 0
    }
}

/// Reads the answer of `squeue --noheader --array --format=%F %t %r`: a job, a state and a reason on each line.
/// Counts tasks of `jobs`. A task that Slurm holds back, after its start has failed for example, waits for
/// nothing that comes by itself, and counts as lost.
pub fn queue(answer: &str, jobs: &BTreeSet<u64>) -> Queue {
    let mut out = Queue::default();
    for line in answer.lines() {
        let mut words = line.split_whitespace();
        let known = words.next().and_then(|job| job.parse().ok()).is_some_and(|job| jobs.contains(&job));
        let state = words.next();
        if words.any(|word| word.to_ascii_lowercase().contains("held")) {
            continue;
        }
        match state {
            Some("PD" | "RQ" | "RH" | "RD" | "SE" | "RV") if known => out.waiting += 1,
            Some("CD" | "CA" | "F" | "NF" | "TO" | "OOM" | "BF" | "DL" | "PR") => {}
            Some(_) if known => out.running += 1,
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::Hasher;

    #[test]
    fn every_run_is_in_one_chunk() {
        let plan = Hasher::new("plan").finish();
        for (runs, size, most) in [(10, 3, 100), (10, 1, 4), (1, 5, 9), (5000, 25, 1001), (7, 0, 0)] {
            let numbers: Vec<u64> = (0..runs).map(|n| n * 2).collect();
            let batch = Batch::new(plan, &numbers, size, most);
            assert!(batch.chunks.len() <= most.max(1) && batch.chunks.iter().all(|chunk| !chunk.is_empty()));
            let mut all: Vec<u64> = batch.chunks.concat();
            all.sort();
            assert_eq!(all, numbers, "{runs} {size} {most}");
        }
        assert_eq!(Batch::new(plan, &[1, 2, 3, 4, 5, 6, 7], 3, 9).chunks.len(), 3);
    }

    #[test]
    fn sbatch_is_given_the_array_and_the_users_options() {
        let batch = Batch::new(Hasher::new("plan").finish(), &[0, 1, 2], 1, 10);
        let plain = Submission { cpus: 2, ..Submission::default() };
        let words = plain.words("c", &batch, "log", "script");
        assert!(words.contains(&"--array=0-2".to_owned()) && words.contains(&"--cpus-per-task=2".to_owned()));
        assert_eq!(words.last().map(String::as_str), Some("script"));
        let full = Submission {
            partition: Some("p".into()),
            account: Some("a".into()),
            time: Some("1:00".into()),
            throttle: Some(5),
            options: vec!["--qos=low".into()],
            ..plain
        };
        let words = full.words("c", &batch, "log", "script").join(" ");
        assert!(
            words.contains("--array=0-2%5 ")
                && words.ends_with("--partition=p --account=a --time=1:00 --qos=low script")
        );
    }

    #[test]
    fn answers_are_read() {
        assert_eq!(job("1234\n"), Some(1234));
        assert_eq!(job("sbatch: a warning\n77;cluster\n"), Some(77));
        assert_eq!(job("sbatch: error"), None);
        assert_eq!(most_chunks("MailProg = /bin/mail\nMaxArraySize            = 1001\n"), Some(1001));
        assert_eq!(most_chunks("MaxArraySize = many"), None);
        let jobs = BTreeSet::from([7, 9]);
        let answer = "7 R None\n7 PD Resources\n7 PD (null)\n8 R None\n9 CG\n9 CD\n\nx\n7\n\
                      9 PD launch failed requeued held\n9 PD JobHeldAdmin\n";
        assert_eq!(queue(answer, &jobs), Queue { running: 2, waiting: 2 });
    }
}
