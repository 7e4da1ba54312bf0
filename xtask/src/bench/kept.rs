//! Compilers with a cache of results. A table over many programs is made again after each change of the
//! prover, and nearly all of its time is the compilers'.
//!
//! A script stands for each compiler. Its output is found again by its arguments, the folder, and the
//! caller's state of the sources; intermediate files are identified by their contents, as their names differ
//! each time.

use crate::shell::{self, Outcome};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The variable that says which sources are compiled.
pub(super) const ABOUT: &str = "WARPRACE_BENCH_SOURCES";

const SCRIPT: &str = r#"#!/bin/bash
real=REAL kept=KEPT
words=("$@") key="$real $PWD $ABOUT" out=
for ((n = 0; n < $#; n++)); do
  word=${words[n]}
  case $word in
    -o) n=$((n + 1)); out=${words[n]}; continue ;;
    *.ii | *.ll) [ -f "$word" ] && word=$(sha256sum <"$word") ;;
  esac
  key+=" $word"
done
case $out in
  *.ptx | */host.ii | *.ll) ;;
  *) exec "$real" "$@" ;;
esac
file=$kept/$(printf %s "$key" | sha256sum | cut -c1-64)
if [ -f "$file" ]; then exec cp "$file" "$out"; fi
"$real" "$@" || exit
cp "$out" "$file.$$" && mv "$file.$$" "$file"
"#;

/// A script in `folder` that stands for `real`.
pub(super) fn stand_in(folder: &Path, real: &Path) -> Outcome<PathBuf> {
    let kept = folder.join("kept");
    shell::make_dir(&kept)?;
    let name = real.file_name().ok_or_else(|| format!("{} is no program", real.display()))?;
    let script = folder.join(name);
    let quoted = |p: &Path| format!("'{}'", p.display().to_string().replace('\'', r"'\''"));
    let text = SCRIPT
        .replace("REAL", &quoted(real))
        .replace("KEPT", &quoted(&kept))
        .replace("$ABOUT", &format!("${ABOUT}"));
    let failed = |e: std::io::Error| format!("cannot write {}: {e}", script.display());
    std::fs::write(&script, text).map_err(failed)?;
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).map_err(failed)?;
    Ok(script)
}

/// Returns a text that changes when sources in these folders change: of each file its name, size and time.
pub(super) fn state(folders: &[&Path]) -> Outcome<String> {
    let mut find = Command::new("find");
    find.args(folders).args(["-type", "f", "-printf", "%p %s %T@\n"]);
    let done = find.output().map_err(|e| format!("cannot run find: {e}"))?;
    let mut lines: Vec<&[u8]> = done.stdout.split(|b| *b == b'\n').collect();
    lines.sort_unstable();
    Ok(hashed(&lines))
}

/// In a few letters, the same in each process.
pub(super) fn hashed(what: &(impl std::hash::Hash + ?Sized)) -> String {
    use std::hash::Hasher as _;
    // Its keys are fixed.
    let mut hash = std::hash::DefaultHasher::new();
    what.hash(&mut hash);
    format!("{:x}", hash.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_used_again_until_its_sources_change() {
        let folder = std::env::temp_dir().join(format!("kept-{}", std::process::id()));
        shell::make_dir(&folder.join("src")).unwrap();
        let compiler = folder.join("compiler");
        let text = "#!/bin/sh\necho run >>\"$(dirname \"$0\")/runs\"\ncat \"$3\" >\"$2\"\n";
        std::fs::write(&compiler, text).unwrap();
        std::fs::set_permissions(&compiler, std::fs::Permissions::from_mode(0o755)).unwrap();
        let source = folder.join("src/a.cu");
        let stand_in = stand_in(&folder.join("bin"), &compiler).unwrap();
        let compile = |text: &str| {
            if std::fs::read_to_string(&source).ok().as_deref() != Some(text) {
                std::fs::write(&source, text).unwrap();
            }
            let out = folder.join("a.ptx");
            let about = state(&[&folder.join("src")]).unwrap();
            let words = [Path::new("-o"), &out, &source];
            assert!(Command::new(&stand_in).args(words).env(ABOUT, about).status().unwrap().success());
            let runs = std::fs::read_to_string(folder.join("runs")).unwrap().lines().count();
            (std::fs::read_to_string(out).unwrap(), runs)
        };
        assert_eq!(compile("one"), ("one".to_owned(), 1));
        assert_eq!(compile("one"), ("one".to_owned(), 1));
        assert_eq!(compile("three"), ("three".to_owned(), 2));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
