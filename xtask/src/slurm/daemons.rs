//! munged, slurmctld and three slurmd on this machine, with a configuration of their own.

use crate::shell::{Outcome, make_dir};
use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

pub(super) const NODES: u32 = 3;

pub(super) struct Daemons {
    folder: PathBuf,
}

impl Daemons {
    pub(super) fn start(folder: &Path) -> Outcome<Daemons> {
        let daemons = Daemons { folder: folder.to_owned() };
        for name in ["run", "state", "spool/n1", "spool/n2", "spool/n3"] {
            make_dir(&folder.join(name))?;
        }
        let mut key = [0; 1024];
        let random = fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut key));
        let path = folder.join("munge.key");
        random.and_then(|()| fs::write(&path, key)).map_err(|e| e.to_string())?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).map_err(|e| e.to_string())?;
        fs::write(folder.join("slurm.conf"), daemons.configuration()).map_err(|e| e.to_string())?;
        let option = |name: &str, file: &str| format!("--{name}={}", folder.join(file).display());
        let mut munged = Command::new("munged");
        munged.args(["--force", &option("key-file", "munge.key"), &option("socket", "run/munge.socket")]);
        munged.args([&option("pid-file", "run/munged.pid"), &option("log-file", "munged.log")]);
        quietly(munged.arg(option("seed-file", "munge.seed")))?;
        daemons.controller()?;
        (1..=NODES).try_for_each(|n| daemons.node(n))?;
        daemons.wait()?;
        Ok(daemons)
    }

    fn configuration(&self) -> String {
        let f = self.folder.display();
        format!(
            "ClusterName=test\nSlurmctldHost=localhost\nSlurmUser=root\nSlurmdUser=root\n\
             AuthType=auth/munge\nAuthInfo=socket={f}/run/munge.socket\nCryptoType=crypto/munge\n\
             SlurmctldPort=27817\nSlurmctldPidFile={f}/run/slurmctld.pid\nSlurmctldLogFile={f}/slurmctld.log\n\
             SlurmdPidFile={f}/run/slurmd-%n.pid\nSlurmdSpoolDir={f}/spool/%n\nSlurmdLogFile={f}/slurmd-%n.log\n\
             StateSaveLocation={f}/state\nProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\n\
             SelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\nJobAcctGatherType=jobacct_gather/none\n\
             MpiDefault=none\nReturnToService=2\nSlurmdTimeout=10\nSlurmctldTimeout=10\nKillWait=2\n\
             MinJobAge=30\nJobRequeue=1\nSchedulerParameters=requeue_delay=1,sched_interval=5\n\
             NodeName=n[1-{NODES}] NodeHostname=localhost Port=[27901-2790{NODES}] CPUs=2 State=UNKNOWN\n\
             PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n"
        )
    }

    pub(super) fn controller(&self) -> Outcome {
        quietly(Command::new("slurmctld").arg("-f").arg(self.folder.join("slurm.conf")))
    }

    pub(super) fn node(&self, n: u32) -> Outcome {
        quietly(
            Command::new("slurmd").args(["-N", &format!("n{n}"), "-f"]).arg(self.folder.join("slurm.conf")),
        )
    }

    /// Runs a command of Slurm, and returns what it prints; nothing if the controller does not answer.
    pub(super) fn ask(&self, words: &[&str]) -> String {
        let done = Command::new(words[0])
            .args(&words[1..])
            .env("SLURM_CONF", self.folder.join("slurm.conf"))
            .stderr(Stdio::null())
            .output();
        done.map(|done| String::from_utf8_lossy(&done.stdout).into_owned()).unwrap_or_default()
    }

    /// Waits until all nodes can have work.
    fn wait(&self) -> Outcome {
        let since = Instant::now();
        let all = || self.ask(&["sinfo", "--noheader", "--Node", "--partition=main", "--format=%t"]);
        while all().lines().filter(|state| *state == "idle").count() < NODES as usize {
            if since.elapsed() > Duration::from_secs(60) {
                return Err(format!("the nodes did not come up: see {}", self.folder.display()));
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        Ok(())
    }

    /// Returns the process of a daemon, from its file.
    pub(super) fn pid(&self, name: &str) -> Option<i32> {
        let text = fs::read_to_string(self.folder.join("run").join(format!("{name}.pid"))).ok()?;
        text.trim().parse().ok()
    }

    /// Kills a daemon at once.
    pub(super) fn kill(&self, name: &str) {
        if let Some(pid) = self.pid(name) {
            signal(pid, libc::SIGKILL);
        }
    }
}

impl Drop for Daemons {
    fn drop(&mut self) {
        self.ask(&["scancel", "--partition=main"]);
        (1..=NODES).for_each(|n| self.kill(&format!("slurmd-n{n}")));
        self.kill("slurmctld");
        self.kill("munged");
    }
}

pub(super) fn signal(pid: i32, signal: i32) {
    // Ids below 1 would mean groups.
    if pid > 1 {
        // SAFETY: kill has no memory preconditions.
        unsafe { libc::kill(pid, signal) };
    }
}

/// Starts a daemon, which goes to the background by itself.
fn quietly(command: &mut Command) -> Outcome {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{}` ended with {status}", crate::shell::display(command))),
        Err(e) => Err(format!("cannot run `{}`: {e}", crate::shell::display(command))),
    }
}
