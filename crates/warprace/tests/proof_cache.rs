//! Proofs that `warprace prove` keeps: which questions they answer again, and files that are not what was written.

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
        let bin = std::env::var_os("WARPRACE_BIN").unwrap_or_else(|| env!("CARGO_BIN_EXE_warprace").into());
        let mut command = Command::new(bin);
        command.args(["prove", "--verbose", "k.ptx"]).args(options).current_dir(&self.0);
        command
            .env_remove("LD_PRELOAD")
            .env("WARPRACE_SMT", "none")
            .env("XDG_CACHE_HOME", self.0.join("cache"));
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        (output.status.code().unwrap(), said)
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
