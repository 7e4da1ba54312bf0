//! Proofs that `warprace prove` and `warprace run` keep: which questions they answer again, and files that are not what was
//! written.

mod toolkit;

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A kernel whose threads write a word each, `words` apart.
fn ptx(words: u32) -> String {
    format!(
        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n\
         .reg .b32 %r<5>;\n.reg .b64 %rd<4>;\nld.param.u64 %rd1, [p];\n\
         mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\nmad.lo.u32 %r4, %r1, %r2, %r3;\n\
         mul.wide.u32 %rd2, %r4, {};\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r4;\nret;\n}}\n",
        4 * words
    )
}

struct Place(PathBuf);

impl Place {
    fn new(test: &str) -> Place {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("proof-cache").join(test);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("k.ptx"), ptx(1)).unwrap();
        Place(folder)
    }

    fn asks(&self, options: &[&str]) -> (i32, String) {
        self.does(&[&["prove", "--verbose", "k.ptx"], options].concat())
    }

    fn does(&self, words: &[&str]) -> (i32, String) {
        let bin = std::env::var_os("WARPRACE_BIN").unwrap_or_else(|| env!("CARGO_BIN_EXE_warprace").into());
        let mut command = Command::new(bin);
        command.args(words).current_dir(&self.0);
        command
            .env_remove("LD_PRELOAD")
            .env("WARPRACE_SMT", "none")
            .env("XDG_CACHE_HOME", self.0.join("cache"));
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        (output.status.code().unwrap(), said)
    }

    /// Runs the program, seeking proofs before each launch, and returns the verdict and the findings.
    fn runs(&self, options: &[&str], pitches: &[&str]) -> (i32, Vec<String>) {
        let words = ["run", "--quiet", "--prune-after", "0", "--json", "run.json"];
        let (code, said) = self.does(&[&words, options, &["--", "./rows"], pitches].concat());
        let written = std::fs::read(self.0.join("run.json")).unwrap_or_else(|e| panic!("{e}: {said}"));
        let json: serde_json::Value = serde_json::from_slice(&written).unwrap();
        let races = json["races"].as_array().unwrap();
        (code, races.iter().map(|race| format!("{} {}", race["id"], race["class"])).collect())
    }

    /// The files of the cache.
    fn files(&self) -> Vec<PathBuf> {
        let folder = self.0.join("cache/warprace/proofs").read_dir();
        folder.into_iter().flatten().map(|entry| entry.unwrap().path()).collect()
    }
}

/// Without the line that tells of the cache.
fn report(said: &str) -> Vec<&str> {
    said.lines().filter(|line| !line.contains("kept proofs")).collect()
}

#[test]
fn a_proof_is_read_again_for_the_same_question_only() {
    let place = Place::new("again");
    let (code, first) = place.asks(&[]);
    assert_eq!(code, 0, "{first}");
    assert!(first.contains("kept proofs: 0 read, 1 written"), "{first}");
    let (code, second) = place.asks(&[]);
    assert!(code == 0 && second.contains("kept proofs: 1 read, 0 written"), "{second}");
    assert_eq!(report(&first), report(&second));

    // Other questions, and none that is kept.
    for options in [&["--block", "64"][..], &["--assume", "arg0 > 0"], &["--volatile", "weak"]] {
        let (code, said) = place.asks(options);
        assert!(code == 0 && said.contains("kept proofs: 0 read, 1 written"), "{options:?}: {said}");
    }
    let files = place.files().len();
    let (code, said) = place.asks(&["--no-proof-cache"]);
    assert!(code == 0 && said.contains("no proofs are kept: the command line asks for none"), "{said}");
    assert_eq!(place.files().len(), files);

    // A kernel of the same name that races: shown by a launch each time.
    std::fs::write(place.0.join("k.ptx"), ptx(0)).unwrap();
    for _ in 0..2 {
        let (code, said) = place.asks(&["--any-launch"]);
        assert!(code == 66 && said.contains("kept proofs: 0 read, 0 written"), "{said}");
    }
    assert_eq!(place.files().len(), files);
}

#[test]
fn files_of_the_cache_that_are_damaged_or_foreign_are_not_believed() {
    let place = Place::new("hostile");
    place.asks(&[]);
    let [file] = &place.files()[..] else { panic!("{:?}", place.files()) };
    let whole = std::fs::read(file).unwrap();
    // The proof of the clean kernel under the name of the racy one's question.
    std::fs::write(place.0.join("k.ptx"), ptx(2)).unwrap();
    place.asks(&[]);
    let other = place.files().into_iter().find(|other| other != file).unwrap();
    let others = std::fs::read(&other).unwrap();
    for wrong in [&b""[..], b"proved", &whole, &others[..others.len() - 1], &[b'x'; 5000]] {
        std::fs::write(&other, wrong).unwrap();
        let (code, said) = place.asks(&[]);
        assert!(code == 0 && said.contains("kept proofs: 0 read, 1 written"), "{said}");
    }
    assert_eq!(std::fs::read(&other).unwrap(), others);
    // No folder can be made where a file is.
    std::fs::remove_dir_all(place.0.join("cache")).unwrap();
    std::fs::write(place.0.join("cache"), "").unwrap();
    let (code, said) = place.asks(&[]);
    assert!(code == 0 && said.contains("no proofs are kept: there is no cache folder"), "{said}");
}

/// Threads write words that are so far apart as each argument says.
const ROWS: &str = "
#include <cstdlib>
__global__ void rows(int *a, int pitch) { a[(blockIdx.x * blockDim.x + threadIdx.x) * pitch] = threadIdx.x; }
int main(int argc, char **argv) {
    int *a;
    if (cudaMalloc(&a, 4096)) return 1;
    for (int i = 1; i < argc; i++) {
        rows<<<4, 64>>>(a, atoi(argv[i]));
        if (cudaDeviceSynchronize()) return 1;
    }
}
";

#[test]
fn a_run_uses_kept_proofs_and_finds_the_same() {
    let Some(toolkit) = toolkit::toolkit() else { return };
    let place = Place::new("run");
    std::fs::write(place.0.join("rows.cu"), ROWS).unwrap();
    let mut nvcc = Command::new(toolkit.join("bin/nvcc"));
    nvcc.args(["-arch=sm_90", "-lineinfo", "-o", "rows", "rows.cu"]).current_dir(&place.0);
    let made = nvcc.output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let places = |place: &Place| -> Vec<(PathBuf, u64)> {
        let number = |file: &PathBuf| std::fs::metadata(file).unwrap().ino();
        place.files().into_iter().map(|file| (file.clone(), number(&file))).collect()
    };

    let pitches = ["1", "2", "0"];
    let whole = place.runs(&["--no-prune"], &pitches);
    assert!(whole.0 == 66 && !whole.1.is_empty(), "{whole:?}");
    assert_eq!(place.runs(&["--no-proof-cache"], &pitches), whole);
    assert_eq!(place.files().len(), 0, "no proof is kept");

    // On a machine that is busy, a question may run out of time.
    let is_clean = || assert_eq!(place.runs(&[], &["1"]), (0, vec![]));
    let is_kept = || {
        is_clean();
        place.files().len() == 1
    };
    assert!((0..9).any(|_| is_kept()));
    // A proof that is found is written, in a file of its own until that is renamed: this one was read.
    let files = places(&place);
    assert_eq!(place.runs(&[], &["1"]), (0, vec![]));
    assert_eq!(places(&place), files);
    // The proof says nothing about a launch with another number.
    assert_eq!(place.runs(&[], &["0"]), place.runs(&["--no-prune"], &["0"]));
    assert_eq!(place.runs(&[], &pitches), whole);
    assert_eq!(place.runs(&[], &pitches), whole);

    // A file that is damaged is replaced.
    let [file] = &place.files()[..] else { panic!("{:?}", place.files()) };
    let mut bytes = std::fs::read(file).unwrap();
    bytes.pop();
    std::fs::write(file, &bytes).unwrap();
    let is_replaced = || {
        is_clean();
        std::fs::read(file).unwrap() != bytes
    };
    assert!((0..9).any(|_| is_replaced()));
    assert_eq!(place.runs(&[], &pitches), whole);
}
