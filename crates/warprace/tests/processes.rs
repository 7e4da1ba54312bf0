//! The processes of a run, in all the ways in which they start and end (`processes::kinds`): their findings
//! are in the report, or the report names what is missing. These tests need nvcc, which `cargo xtask test`
//! provides.
//!
//! **Size:** one program is compiled once for all of its runs.

mod toolkit;

use serde_json::Value;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use toolkit::toolkit;

/// The program's source. The first argument selects its behaviour; `racy` and `fine` are the behaviours of
/// child processes and of programs that replace it.
const SOURCE: &str = r#"
    #include <csignal>
    #include <dlfcn.h>
    #include <cstdio>
    #include <cstdlib>
    #include <cstring>
    #include <cerrno>
    #include <fcntl.h>
    #include <pthread.h>
    #include <spawn.h>
    #include <sys/resource.h>
    #include <sys/wait.h>
    #include <thread>
    #include <unistd.h>
    extern char **environ;

    __global__ void racy(int *p) { *p = threadIdx.x; }
    __global__ void fine(int *p) { p[threadIdx.x] = 1; }
    __global__ void waits(volatile int *p) { while (*p == 0) {} }

    __global__ void waits_long(int *p) {
        for (unsigned long i = 0; i < 1ul << 50; i++) *(volatile int *)&p[threadIdx.x] = i;
    }

    static int launch(bool races) {
        int *p;
        cudaMalloc(&p, 4096);
        if (races) racy<<<1, 64>>>(p); else fine<<<1, 64>>>(p);
        return cudaDeviceSynchronize();
    }
    // Whoever reads the other end knows when this process has ended.
    static void until_parent_ended(int end) { char c; while (read(end, &c, 1) < 0 && errno == EINTR) {} }
    static void *exits(void *) { exit(0); }
    static void leaves(int) { _exit(0); }

    int main(int argc, char **argv) {
        const char *what = argv[1];
        char *self = argv[0];
        int status = 0, ends[2];
        char *racy_arguments[] = {self, (char *)"racy", nullptr};
        char *fine_arguments[] = {self, (char *)"fine", nullptr};
        char *nothing[] = {nullptr};
        auto is = [&](const char *name) { return !strcmp(what, name); };
        if (is("racy")) return launch(true);
        if (is("fine")) return launch(false);
        // A worker that begins once the program has ended: `daemon`, and the same once more below it.
        if (is("outlives") || is("outlives-fine")) {
            pipe(ends);
            if (fork() == 0) {
                setsid();
                if (fork()) _exit(0);
                close(ends[1]);
                until_parent_ended(ends[0]);
                return launch(is("outlives"));
            }
            wait(&status);
            return launch(false);
        }
        if (is("leaves-sleeper")) {
            if (fork() == 0) { execlp("sleep", "sleep", "60", (char *)nullptr); _exit(1); }
            return launch(false);
        }
        if (is("leaves-idle-gpu")) {
            pipe(ends);
            if (fork() == 0) { launch(false); write(ends[1], "x", 1); pause(); }
            read(ends[0], &status, 1);
            return launch(false);
        }
        // Ways to become or start another program.
        if (is("execv")) { launch(false); execv(self, racy_arguments); return 1; }
        if (is("execl-after-race")) { launch(true); execl(self, self, "fine", (char *)nullptr); return 1; }
        if (is("execl-unfinished")) {
            int *p;
            cudaMalloc(&p, 4096);
            racy<<<1, 64>>>(p);
            execl(self, self, "fine", (char *)nullptr);
        }
        if (is("execle")) { execle(self, self, "racy", "a", "b", "c", "d", "e", (char *)nullptr, environ); return 1; }
        if (is("execvpe")) { execvpe(self, racy_arguments, environ); return 1; }
        if (is("fexecve")) { fexecve(open(self, O_RDONLY), racy_arguments, environ); return 1; }
        if (is("exec-fails")) {
            launch(false);
            if (execl("/no/such/program", "x", (char *)nullptr) != -1 || errno != ENOENT) return 1;
            if (execlp("no-such-program", "x", "1", "2", "3", "4", "5", "6", (char *)nullptr) != -1) return 2;
            return launch(true);
        }
        if (is("execle-bare")) { launch(false); if (fork() == 0) { execle(self, self, "racy", (char *)nullptr, nothing); }
            wait(&status); return 0; }
        if (is("posix_spawn") || is("posix_spawn-bare")) {
            pid_t child;
            bool bare = is("posix_spawn-bare");
            launch(false);
            if (posix_spawn(&child, self, nullptr, nullptr, racy_arguments, bare ? nothing : environ)) return 1;
            waitpid(child, &status, 0);
            return 0;
        }
        if (is("vfork")) {
            launch(true);
            if (vfork() == 0) { execve(self, fine_arguments, environ); _exit(1); }
            wait(&status);
            return status;
        }
        if (is("vfork-fails")) {
            if (vfork() == 0) { execl("/no/such/program", "x", (char *)nullptr); _exit(3); }
            wait(&status);
            return launch(true) + (WEXITSTATUS(status) != 3);
        }
        if (is("system-bare")) {
            launch(false);
            char command[4096];
            snprintf(command, sizeof command, "%s racy", self);
            unsetenv("LD_PRELOAD");
            return system(command);
        }
        // Ways to end.
        if (is("quick_exit")) { launch(true); quick_exit(0); }
        if (is("quick_exit-unfinished")) { int *p; cudaMalloc(&p, 4096); racy<<<1, 64>>>(p); quick_exit(0); }
        if (is("_exit")) { int *p; cudaMalloc(&p, 4096); racy<<<1, 64>>>(p); _exit(0); }
        if (is("thread-exits")) { launch(true); pthread_t t; pthread_create(&t, nullptr, exits, nullptr); pause(); }
        if (is("main-thread-ends")) {
            std::thread([] { launch(true); }).detach();
            pthread_exit(nullptr);
        }
        if (is("child-killed")) {
            if (fork() == 0) { launch(true); raise(SIGKILL); }
            wait(&status);
            return launch(false);
        }
        if (is("handler-leaves")) {
            signal(SIGALRM, leaves);
            launch(true);
            alarm(1);
            pause();
        }
        if (is("seeks-driver")) { void *p; cudaMalloc(&p, 64); return dlopen("libcuda.so.1", RTLD_NOW) == nullptr; }
        if (is("endless")) { int *p; cudaMalloc(&p, 4096); waits_long<<<1, 64>>>(p); return cudaDeviceSynchronize(); }
        // A kernel that waits for the host, and a thread that does something else, when the program ends.
        if (is("kernel-waits")) {
            int *p;
            cudaHostAlloc(&p, 4, cudaHostAllocDefault);
            *p = 0;
            std::thread([] { pause(); }).detach();
            waits<<<1, 1>>>(p);
            return 0;
        }
        if (is("no-files")) {
            rlimit none = {0, 0};
            setrlimit(RLIMIT_FSIZE, &none);
            return launch(true);
        }
        if (is("no-files-fine")) {
            rlimit none = {0, 0};
            setrlimit(RLIMIT_FSIZE, &none);
            launch(false);
            if (fork() == 0) { execle(self, self, "racy", (char *)nullptr, nothing); }
            wait(&status);
            return 0;
        }
        if (is("closed")) { for (int i = 0; i < 1024; i++) close(i); return launch(true); }
        return 9;
    }
"#;

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("processes");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn program() -> Option<&'static PathBuf> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    PROGRAM
        .get_or_init(|| {
            let (text, program) = (folder().join("program.cu"), folder().join("program"));
            std::fs::write(&text, SOURCE).unwrap();
            let mut nvcc = Command::new(toolkit()?.join("bin/nvcc"));
            nvcc.args(["-lineinfo", "-w", "-gencode=arch=compute_90,code=compute_90"]);
            let done = nvcc.arg(&text).arg("-o").arg(&program).output().unwrap();
            assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
            Some(program)
        })
        .as_ref()
}

fn warprace() -> Command {
    let program = std::env::var_os("WARPRACE_BIN").unwrap_or_else(|| env!("CARGO_BIN_EXE_warprace").into());
    let mut command = Command::new(program);
    command.env_remove("LD_PRELOAD").env("NO_COLOR", "1");
    command
}

/// The result of a run.
struct Ran {
    code: Option<i32>,
    said: String,
    document: Value,
}

impl Ran {
    fn text(&self) -> &str {
        &self.said
    }

    #[track_caller]
    fn is(&self, verdict: &str, code: i32) {
        assert_eq!(self.document["verdict"], verdict, "{}", self.text());
        assert_eq!(self.code, Some(code), "{}", self.text());
    }

    /// Asserts that a list of texts in the document has one with all of these parts.
    #[track_caller]
    fn says(&self, list: &str, parts: &[&str]) {
        let texts = self.document[list].as_array().unwrap();
        let has = |text: &Value| parts.iter().all(|part| text.as_str().unwrap().contains(part));
        assert!(texts.iter().any(has), "{parts:?} is not in {list}: {texts:?}");
    }
}

fn run_words(name: &str, options: &[&str], words: &[&str], set: impl FnOnce(&mut Command)) -> Ran {
    let json = folder().join(format!("{name}.json"));
    let _ = std::fs::remove_file(&json);
    let mut command = warprace();
    command.arg("run").args(options).arg("--json").arg(&json).arg("--").args(words).stdin(Stdio::null());
    // A process that outlives the run would hold the other end of a pipe, so stderr is a file.
    let errors = folder().join(format!("{name}.stderr"));
    command.stdout(Stdio::null()).stderr(std::fs::File::create(&errors).unwrap());
    set(&mut command);
    let code = command.status().unwrap().code();
    let said = std::fs::read_to_string(&errors).unwrap();
    let text = std::fs::read_to_string(&json).unwrap_or_else(|e| panic!("{name}: {e}: {said}"));
    Ran { code, said, document: serde_json::from_str(&text).unwrap() }
}

/// Runs the program with one of its behaviours.
fn run(what: &str) -> Option<Ran> {
    let program = program()?.to_str().unwrap();
    Some(run_words(what, &["--linger", "1"], &[program, what], |_| {}))
}

#[test]
fn races_of_descendants_that_outlive_the_program_are_found() {
    let Some(ran) = run("outlives") else { return };
    ran.is("race", 66);
    // The intermediate process counts too.
    assert_eq!(ran.document["program"]["processes"], 3);
}

#[test]
fn descendants_that_outlive_the_program_and_are_correct_are_left_alone() {
    let Some(ran) = run("outlives-fine") else { return };
    ran.is("clean", 0);
    // The intermediate process counts too.
    assert_eq!(ran.document["program"]["processes"], 3);
    assert!(!ran.text().contains("killed"), "{}", ran.text());
}

#[test]
fn what_a_shell_leaves_in_the_background_is_waited_for() {
    let Some(program) = program() else { return };
    let script = format!("'{0}' fine; (sleep 0.3; exec '{0}' racy) &", program.display());
    run_words("background", &[], &["/bin/sh", "-c", &script], |_| {}).is("race", 66);
}

#[test]
fn a_process_that_still_runs_is_named() {
    let Some(ran) = run("leaves-sleeper") else { return };
    ran.is("clean", 0);
    ran.says("limits", &["(`sleep`) still runs and has not used CUDA"]);
    assert!(ran.text().contains("clean of what was checked"), "{}", ran.text());
    assert_eq!(ran.document["program"]["unwatched"], 1);
}

#[test]
fn a_process_that_still_runs_and_uses_cuda_makes_the_run_inconclusive() {
    let Some(ran) = run("leaves-idle-gpu") else { return };
    ran.is("inconclusive", 67);
    ran.says("inconclusive", &["still runs: what it does from now on is not in this report"]);
    assert_eq!(ran.document["inconclusive"].as_array().unwrap().len(), 1, "{}", ran.text());
}

#[test]
fn a_program_that_takes_anothers_place_has_a_result_of_its_own() {
    for what in [
        "execv",
        "execle",
        "execvpe",
        "fexecve",
        "posix_spawn",
        "vfork",
        "execl-after-race",
        "execl-unfinished",
    ] {
        let Some(ran) = run(what) else { return };
        ran.is("race", 66);
        assert_eq!(ran.document["inconclusive"], Value::Array(Vec::new()), "{what}: {}", ran.text());
        assert_eq!(ran.document["program"]["unwatched"], 0, "{what}: {}", ran.text());
    }
}

#[test]
fn a_program_that_cannot_be_executed_changes_nothing() {
    for what in ["exec-fails", "vfork-fails"] {
        let Some(ran) = run(what) else { return };
        ran.is("race", 66);
        assert_eq!(ran.document["inconclusive"], Value::Array(Vec::new()), "{what}: {}", ran.text());
        assert_eq!(ran.document["program"]["unwatched"], 0, "{what}: {}", ran.text());
    }
}

#[test]
fn programs_that_are_started_without_the_library_are_named() {
    let Some(program) = program() else { return };
    let shown = program.to_str().unwrap();
    for what in ["execle-bare", "posix_spawn-bare", "no-files-fine"] {
        let Some(ran) = run(what) else { return };
        ran.is("inconclusive", 67);
        ran.says("inconclusive", &[shown, "was not watched: it was started without LD_PRELOAD"]);
        assert_eq!(ran.document["program"]["unwatched"], 1, "{what}: {}", ran.text());
    }
    let script = format!("'{shown}' fine; env -i '{shown}' racy; true");
    let ran = run_words("env", &[], &["/bin/sh", "-c", &script], |_| {});
    ran.is("inconclusive", 67);
    ran.says("inconclusive", &[shown, "was not watched"]);
}

#[test]
fn programs_without_cuda_that_were_not_watched_are_counted() {
    let Some(program) = program() else { return };
    let script = format!("'{}' fine; env -i true", program.display());
    let ran = run_words("env-true", &[], &["/bin/sh", "-c", &script], |_| {});
    ran.is("clean", 0);
    ran.says("limits", &["`true`", "was not watched"]);
    assert!(ran.text().contains("clean of what was checked"), "{}", ran.text());
    let Some(ran) = run("system-bare") else { return };
    ran.says("limits", &["`/bin/sh` was not watched"]);
    assert_eq!(ran.document["program"]["unwatched"], 1);
}

#[test]
fn every_end_keeps_what_was_found() {
    for what in [
        "quick_exit",
        "quick_exit-unfinished",
        "_exit",
        "thread-exits",
        "main-thread-ends",
        "handler-leaves",
        "closed",
        "no-files",
    ] {
        let Some(ran) = run(what) else { return };
        ran.is("race", 66);
        assert_eq!(ran.document["inconclusive"], Value::Array(Vec::new()), "{what}: {}", ran.text());
    }
}

#[test]
fn a_child_that_is_killed_keeps_what_was_found() {
    let Some(ran) = run("child-killed") else { return };
    ran.is("race", 66);
    ran.says("inconclusive", &["ended without saying what it still had to say"]);
}

#[test]
fn a_kernel_that_waits_for_the_host_ends_with_its_program() {
    let Some(ran) = run("kernel-waits") else { return };
    ran.is("inconclusive", 67);
    ran.says("inconclusive", &["kernel `waits` had not ended"]);
    assert_eq!(ran.document["errors"], Value::Array(Vec::new()), "{}", ran.text());
}

/// Children of a correct program were killed with the run, as if the run had been killed.
#[test]
fn processes_that_go_on_after_the_run_are_not_killed() {
    let Some(program) = program() else { return };
    let mark = folder().join("went-on");
    let _ = std::fs::remove_file(&mark);
    let script = format!(
        "'{}' fine; (trap '' TERM; '{}' leaves-idle-gpu; read x; '{}' fine; echo $? > '{}') <&9 &",
        program.display(),
        program.display(),
        program.display(),
        mark.display()
    );
    let (reader, writer) = std::io::pipe().unwrap();
    let fd = std::os::fd::AsRawFd::as_raw_fd(&reader);
    run_words("goes-on", &["--linger", "0"], &["/bin/sh", "-c", &script], |command| {
        // SAFETY: dup2 may be called between fork and exec.
        unsafe {
            command.pre_exec(move || match libc::dup2(fd, 9) {
                9 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            });
        }
    });
    std::io::Write::write_all(&mut &writer, b"go\n").unwrap();
    let begun = std::time::Instant::now();
    while std::fs::read_to_string(&mark).is_ok_and(|text| text.is_empty()) || !mark.exists() {
        assert!(begun.elapsed().as_secs() < 30, "it does not go on");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!(std::fs::read_to_string(&mark).unwrap(), "0\n");
}

/// A signal to warprace, or to its group, was dropped if it came between the start of warprace and that of
/// the program.
#[test]
fn signals_reach_the_program_however_early_they_come() {
    use std::os::unix::process::ExitStatusExt;
    for delay in 0..24u64 {
        let mut command = warprace();
        command
            .args(["run", "--", "sleep", "60"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        let mut child = command.spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_micros(delay * 500));
        let pid = child.id() as i32;
        // SAFETY: has no memory preconditions.
        unsafe { libc::kill(if delay % 2 == 0 { pid } else { -pid }, libc::SIGTERM) };
        let begun = std::time::Instant::now();
        let status = loop {
            match child.try_wait().unwrap() {
                Some(status) => break status,
                None => assert!(
                    begun.elapsed().as_secs() < 30,
                    "the signal after {delay} half milliseconds is lost"
                ),
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        };
        assert_eq!(status.signal(), Some(libc::SIGTERM), "{delay}");
    }
}

/// A report may come from another person: its command was run, and any source was shown.
#[test]
fn a_report_of_somebody_else_runs_nothing_and_reads_nothing() {
    let Some(ran) = run("racy") else { return };
    let mark = folder().join("was-run");
    let _ = std::fs::remove_file(&mark);
    let (project, secret) = (folder().join("project"), folder().join("secret.cu"));
    std::fs::create_dir_all(&project).unwrap();
    std::fs::write(&secret, "a secret line\n".repeat(99)).unwrap();
    let mut document = ran.document;
    document["program"]["command"] = serde_json::json!(["touch", mark.to_str().unwrap(), "\x1b[2J"]);
    for access in document["races"][0]["accesses"].as_array_mut().unwrap() {
        access["file"] = secret.to_str().unwrap().into();
    }
    document["races"][0]["title"] = "a \x1b]0;title\x07 of a file".into();
    let report = project.join("report.json");
    std::fs::write(&report, document.to_string()).unwrap();
    let explain = |options: &[&str]| {
        let mut command = warprace();
        command.arg("explain").args(options).arg(&report).current_dir(&project).stdin(Stdio::null());
        let output = command.output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        assert!(
            !said.contains('\x1b') && !said.contains('\x07') && !said.contains("a secret line"),
            "{said}"
        );
        said
    };
    let said = explain(&[]);
    assert!(said.contains("touch") && said.contains("--yes") && !mark.exists(), "{said}");
    explain(&["--yes"]);
    assert!(mark.exists());
}

#[test]
fn names_with_control_characters_are_shown_escaped() {
    let name = folder().join("a\x1b[31mred\x07");
    let output = warprace().args(["run", "--"]).arg(&name).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("\\x1b[31mred\\x07") && !said.contains('\x1b'), "{said:?}");
    std::fs::copy("/bin/true", &name).unwrap();
    let output = warprace().args(["run", "--"]).arg(&name).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("is not a CUDA program") && !said.contains('\x1b'), "{said:?}");
}

#[test]
fn a_program_that_loads_the_driver_is_served_one() {
    let Some(ran) = run("seeks-driver") else { return };
    ran.is("inconclusive", 67);
    ran.says("inconclusive", &["no kernel was launched, so nothing was checked"]);
}

#[test]
fn a_kernel_that_had_not_ended_has_taken_time() {
    let Some(program) = program() else { return };
    let ran = run_words("endless", &["--timeout", "1"], &[program.to_str().unwrap(), "endless"], |_| {});
    assert!(ran.document["summary"]["kernel_ns"].as_u64().unwrap() > 0, "{}", ran.text());
    ran.says("inconclusive", &["--timeout 1"]);
}
