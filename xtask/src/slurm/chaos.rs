//! Accidents of a campaign over Slurm: workers are killed and stopped, nodes crash and come back, the controller
//! is killed, tasks are cancelled and started again.

use super::daemons::{Daemons, NODES, signal};
use crate::shell::Outcome;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The time between two accidents.
const PAUSE: Duration = Duration::from_secs(4);

/// The time that a node or the controller is away; a node is given up after 10 s.
const AWAY: Duration = Duration::from_secs(14);

pub(super) struct Chaos {
    folder: PathBuf,
    daemons: Daemons,
    last: Instant,
    accidents: u32,
    /// The daemons that are to come back, and when they went.
    away: Vec<(Away, Instant)>,
    stopped: bool,
    counts: [(&'static str, u32); 6],
}

enum Away {
    Node(u32),
    Controller,
}

impl Chaos {
    pub(super) fn new(folder: &Path, daemons: Daemons) -> Chaos {
        let names = [
            "workers killed",
            "workers stopped",
            "nodes crashed",
            "controllers killed",
            "tasks cancelled",
            "tasks started again",
        ];
        Chaos {
            folder: folder.to_owned(),
            daemons,
            last: Instant::now(),
            accidents: 0,
            away: Vec::new(),
            stopped: false,
            counts: names.map(|name| (name, 0)),
        }
    }

    /// Says how often what went wrong.
    pub(super) fn done(&self) -> String {
        self.counts.map(|(name, n)| format!("{n} {name}")).join(", ")
    }

    pub(super) fn step(&mut self) -> Outcome {
        let back: Vec<Away> =
            self.away.extract_if(.., |(_, since)| since.elapsed() > AWAY).map(|(what, _)| what).collect();
        for what in back {
            match what {
                Away::Node(n) => self.daemons.node(n)?,
                Away::Controller => self.daemons.controller()?,
            }
        }
        if self.last.elapsed() > PAUSE {
            self.last = Instant::now();
            self.resume();
            self.accident();
        }
        Ok(())
    }

    /// Does what an operator does: Slurm gives a node no work after a task of it could not be ended in time.
    fn resume(&self) {
        let states =
            self.daemons.ask(&["sinfo", "--noheader", "--Node", "--partition=main", "--format=%N %t"]);
        for line in states.lines() {
            if let Some((node, "drain" | "drng" | "drain*")) = line.split_once(' ') {
                self.daemons.ask(&["scontrol", "update", &format!("NodeName={node}"), "State=RESUME"]);
            }
        }
    }

    fn accident(&mut self) {
        let workers = self.workers();
        let Some(&worker) = workers.get(self.accidents as usize % workers.len().max(1)) else { return };
        let is_calm = self.away.is_empty();
        let which = match self.accidents % 7 {
            1 if !self.stopped => {
                // It stays so: others run what it holds up.
                self.stopped = true;
                signal(worker, libc::SIGSTOP);
                1
            }
            2 if is_calm => {
                self.crash(1 + self.accidents / 7 % NODES);
                2
            }
            4 if is_calm => {
                self.daemons.kill("slurmctld");
                self.away.push((Away::Controller, Instant::now()));
                3
            }
            5 => match self.running() {
                Some(task) => {
                    self.daemons.ask(&["scancel", &task]);
                    4
                }
                None => return,
            },
            6 => match self.running() {
                Some(task) => {
                    self.daemons.ask(&["scontrol", "requeue", &task]);
                    5
                }
                None => return,
            },
            _ => {
                signal(worker, libc::SIGKILL);
                0
            }
        };
        self.counts[which].1 += 1;
        self.accidents += 1;
    }

    /// A node loses its daemon and all of its tasks at once.
    fn crash(&mut self, n: u32) {
        self.daemons.kill(&format!("slurmd-n{n}"));
        let node = format!("SLURMD_NODENAME=n{n}");
        for pid in self.workers().into_iter().filter(|pid| has_variable(*pid, &node)) {
            // The step's own daemon first, which would report the end of the task.
            if let Some(parent) = parent(pid) {
                signal(parent, libc::SIGKILL);
            }
            signal(pid, libc::SIGKILL);
        }
        self.away.push((Away::Node(n), Instant::now()));
    }

    /// Returns a task that runs.
    fn running(&self) -> Option<String> {
        let all = self.daemons.ask(&["squeue", "--noheader", "--array", "--states=R", "--format=%i"]);
        all.lines().next().map(str::to_owned)
    }

    /// Returns the processes of workers of this test.
    fn workers(&self) -> Vec<i32> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        let folder = self.folder.to_string_lossy().into_owned();
        let is_ours = |pid: &i32| {
            let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).into_owned();
            line.contains("--worker") && line.contains(&folder)
        };
        pids.filter(is_ours).collect()
    }
}

fn has_variable(pid: i32, variable: &str) -> bool {
    let all = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    all.split(|&byte| byte == 0).any(|one| one == variable.as_bytes())
}

fn parent(pid: i32) -> Option<i32> {
    let line = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    line.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}
