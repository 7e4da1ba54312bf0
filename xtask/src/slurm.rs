//! `cargo xtask slurm-test [RUNS]`: a campaign over a real Slurm of this machine, with tasks and daemons killed in the middle,
//! equals the same campaign without Slurm; so does an analysis of a trace in parts; and a full disk is one error.
//!
//! Needs root and Debian's packages slurm-wlm and munge. Everything, the daemons' sockets, keys and logs included, lies in
//! `target/slurm-test`; no other Slurm of the machine is touched.

mod chaos;
mod daemons;
mod parts;
mod same;

use crate::cuda;
use crate::shell::{self, Outcome, has, target};
use chaos::Chaos;
use daemons::Daemons;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Runs, unless a number is given.
const RUNS: u64 = 300;

/// Kernels of a fraction of a second: each run has another order of threads, and some orders have a race.
const SOURCE: &str = r#"
    #include <cstdlib>
    #include <cstring>

    __global__ void order(int *flag, int *data, int *out) {
        int i = threadIdx.x;
        if (blockIdx.x == 0) {
            data[i] = 1;
            atomicExch(flag + i, 1);
        } else if (atomicAdd(flag + i, 0) == 1) {
            out[i] = data[i];
        }
    }

    __global__ void late(int *ticket, int *slot) {
        if (atomicAdd(ticket, 1) == gridDim.x - 1 && blockIdx.x == 0) slot[0] = 1;
        if (blockIdx.x == 1) slot[0] = 2;
    }

    __global__ void fine(int *p) { p[threadIdx.x] = 1; }

    int main(int argc, char **argv) {
        int *p;
        cudaMalloc(&p, 4096);
        cudaMemset(p, 0, 4096);
        // A trace of millions of events.
        for (int i = 0; !strcmp(argv[1], "long") && i < 100; ++i) {
            for (int n = 0; n < 8; ++n) fine<<<64, 256>>>(p + 256);
            late<<<4, 1>>>(p, p + 1);
        }
        if (!strcmp(argv[1], "order")) order<<<2, 32>>>(p, p + 64, p + 128);
        else if (!strcmp(argv[1], "late")) late<<<4, 1>>>(p, p + 1);
        else fine<<<1, 64>>>(p);
        int code = cudaDeviceSynchronize();
        if (!strcmp(argv[1], "crash")) abort();
        return code;
    }
"#;

/// The folder of the test, and what runs in it.
struct Test {
    folder: PathBuf,
    warprace: PathBuf,
    runs: u64,
}

pub(crate) fn run(args: &[&str]) -> Outcome {
    let runs = match args.first() {
        None => RUNS,
        Some(text) => text.parse().map_err(|_| format!("`{text}` is no number of runs"))?,
    };
    let needed = ["slurmctld", "slurmd", "munged", "sbatch", "squeue", "scancel", "scontrol"];
    if let Some(missing) = needed.iter().find(|name| !has(name)) {
        return Err(format!("there is no {missing}; Debian: apt-get install slurm-wlm munge"));
    }
    let nvcc = cuda::ensure()?.nvcc();
    let warprace = shell::build_release()?;
    let warprace = warprace.canonicalize().map_err(|e| format!("{}: {e}", warprace.display()))?;
    let folder = target().join("slurm-test");
    let _ = std::fs::remove_dir_all(&folder);
    shell::make_dir(&folder)?;
    let folder = folder.canonicalize().map_err(|e| e.to_string())?;
    let test = Test { folder, warprace, runs };
    test.write(nvcc)?;
    test.alone()?;
    test.over_slurm()?;
    same::same(&test.folder.join("alone"), &test.folder.join("slurm"), runs)?;
    test.parts()?;
    test.full_disk()
}

/// Returns a campaign of eight runs for each seed: four programs, one of which crashes in each run.
fn campaign(seeds: u64) -> String {
    format!(
        "schedules = ['random', 'shuffle-blocks']\nseeds = {seeds}\ntimeout = 60\n\
         [[program]]\nname = 'first'\ncommand = ['./program']\narguments = [['order'], ['late']]\n\
         [[program]]\nname = 'second'\ncommand = ['./program']\narguments = [['fine'], ['crash']]\n"
    )
}

impl Test {
    fn write(&self, mut nvcc: Command) -> Outcome {
        let text = self.folder.join("program.cu");
        let write = |path: &Path, text: &str| std::fs::write(path, text).map_err(|e| e.to_string());
        write(&text, SOURCE)?;
        nvcc.args(["-lineinfo", "-w", "-o"]).arg(self.folder.join("program")).arg(&text);
        shell::run(&mut nvcc)?;
        write(&self.folder.join("c.toml"), &campaign(self.runs.div_ceil(8)))?;
        write(&self.folder.join("small.toml"), &campaign(8))
    }

    fn command(&self, folder: &str) -> Command {
        let mut command = Command::new(&self.warprace);
        command.arg("campaign").arg("--output").arg(self.folder.join(folder));
        self.placed(command)
    }

    /// Has a command run in the folder, with its Slurm.
    fn placed(&self, mut command: Command) -> Command {
        command.stdin(Stdio::null()).current_dir(&self.folder);
        command.env("SLURM_CONF", self.folder.join("slurm.conf"));
        command
    }

    fn alone(&self) -> Outcome {
        shell::step("the campaign on this machine");
        let since = Instant::now();
        let status = self.command("alone").arg("c.toml").status().map_err(|e| e.to_string())?;
        eprintln!("    {:.0} s", since.elapsed().as_secs_f64());
        match status.code() {
            Some(66) => Ok(()),
            _ => Err(format!("the campaign ended with {status}, not with the code of races")),
        }
    }

    fn over_slurm(&self) -> Outcome {
        shell::step("the campaign over Slurm, with tasks and daemons killed");
        let mut command = self.command("slurm");
        command.args(["--slurm", "--chunk", "20", "--patience", "25", "--partition", "main"]);
        let status = self.with_accidents(command.args(["--throttle", "6", "c.toml"]))?;
        match status.code() {
            Some(66) => Ok(()),
            _ => Err(format!("the campaign over Slurm ended with {status}")),
        }
    }

    /// Runs a command that submits to Slurm, while tasks and daemons are killed.
    fn with_accidents(&self, command: &mut Command) -> Outcome<ExitStatus> {
        let daemons = Daemons::start(&self.folder)?;
        let since = Instant::now();
        let mut child = command.spawn().map_err(|e| e.to_string())?;
        let mut chaos = Chaos::new(&self.folder, daemons);
        let status = loop {
            if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
                break status;
            }
            if since.elapsed() > Duration::from_secs(3600) {
                let _ = child.kill();
                return Err("the work over Slurm did not end within an hour".into());
            }
            chaos.step()?;
            std::thread::sleep(Duration::from_millis(250));
        };
        eprintln!("    {:.0} s; {}", since.elapsed().as_secs_f64(), chaos.done());
        Ok(status)
    }

    /// A campaign on a full file system ends with one error, and goes on when there is room.
    fn full_disk(&self) -> Outcome {
        shell::step("the campaign on a disk that is full");
        let mount = self.folder.join("full");
        shell::make_dir(&mount)?;
        shell::run(Command::new("mount").args(["-t", "tmpfs", "-o", "size=160k", "tmpfs"]).arg(&mount))?;
        let done = self.command("full/results").arg("small.toml").output().map_err(|e| e.to_string());
        let grown = shell::run(Command::new("mount").args(["-o", "remount,size=64m"]).arg(&mount));
        let again = self.command("full/results").arg("small.toml").output().map_err(|e| e.to_string());
        shell::run(Command::new("umount").arg(&mount))?;
        grown?;
        let (done, again) = (done?, again?);
        let said = String::from_utf8_lossy(&done.stderr);
        let errors = said.lines().filter(|line| line.starts_with("error: ")).count();
        if done.status.code() != Some(74) || errors != 1 || !said.contains("o space left on device") {
            return Err(format!("a full disk gave {}, and said:\n{said}", done.status));
        }
        match again.status.code() {
            Some(66) => Ok(()),
            _ => {
                Err(format!("with room again: {}\n{}", again.status, String::from_utf8_lossy(&again.stderr)))
            }
        }
    }
}
