//! Selects those compiler arguments that affect how a source is read, rather than what is made of it.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// File extensions of sources without kernels.
const HOST: [&[u8]; 6] = [b".cpp", b".cc", b".cxx", b".c++", b".C", b".c"];

/// Returns whether an argument is the name of a source.
pub(super) fn is_source(word: &[u8]) -> bool {
    !word.starts_with(b"-") && (word.ends_with(b".cu") || HOST.iter().any(|e| word.ends_with(e)))
}

/// Returns nvcc's arguments without those that select an output, and the sources.
pub(super) fn of_nvcc(words: &[OsString]) -> (Vec<OsString>, Vec<OsString>) {
    let (mut kept, mut sources) = (Vec::new(), Vec::new());
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let bytes = word.as_bytes();
        match bytes {
            b"-o"
            | b"--output-file"
            | b"-ccbin"
            | b"--compiler-bindir"
            | b"-MF"
            | b"-MT"
            | b"-MQ"
            | b"--dependency-output"
            | b"--dependency-target-name" => _ = rest.next(),
            b"-I"
            | b"-D"
            | b"-U"
            | b"-isystem"
            | b"-include"
            | b"-Xcompiler"
            | b"-Xptxas"
            | b"-Xlinker"
            | b"-L"
            | b"-l"
            | b"-gencode"
            | b"--generate-code"
            | b"-arch"
            | b"--gpu-architecture"
            | b"-code"
            | b"--gpu-code"
            | b"-std"
            | b"--std"
            | b"-optf"
            | b"--options-file"
            | b"-diag-suppress"
            | b"--diag-suppress"
            | b"-maxrregcount"
            | b"--maxrregcount"
            | b"-t"
            | b"--threads"
            | b"-x" => {
                kept.push(word.clone());
                kept.extend(rest.next().cloned());
            }
            // This option makes relocatable code, which is linked later.
            b"-dc" | b"--device-c" => kept.push("-rdc=true".into()),
            b"-c"
            | b"--compile"
            | b"-dw"
            | b"-ptx"
            | b"--ptx"
            | b"-fatbin"
            | b"--fatbin"
            | b"-cubin"
            | b"--cubin"
            | b"-MD"
            | b"-MMD"
            | b"-MP"
            | b"-M"
            | b"-MM"
            | b"--generate-dependencies-with-compile" => {}
            _ if [&b"--output-file="[..], b"-ccbin=", b"--compiler-bindir="]
                .iter()
                .any(|p| bytes.starts_with(p)) => {}
            _ if is_source(bytes) => sources.push(word.clone()),
            _ => kept.push(word.clone()),
        }
    }
    (kept, sources)
}

/// Returns nvcc's arguments for PTX of one architecture, the newest one that they name, since `-ptx` accepts
/// only one.
pub(super) fn for_ptx(kept: &[OsString]) -> Vec<OsString> {
    let (mut found, mut newest) = (Vec::new(), None);
    let mut rest = kept.iter();
    while let Some(word) = rest.next() {
        let bytes = word.as_bytes();
        let alone =
            [&b"-gencode"[..], b"--generate-code", b"-arch", b"--gpu-architecture", b"-code", b"--gpu-code"];
        let value = match alone.contains(&bytes) {
            true => rest.next().map(|v| v.as_bytes()).unwrap_or_default(),
            false => match bytes.iter().position(|&b| b == b'=') {
                Some(at) if alone.contains(&&bytes[..at]) => &bytes[at + 1..],
                _ => {
                    // `-dlto` would make LLVM bitcode in place of PTX.
                    if bytes != b"-dlto" {
                        found.push(word.clone());
                    }
                    continue;
                }
            },
        };
        let text = String::from_utf8_lossy(value);
        for part in text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
            let Some((_, number)) =
                part.split_once('_').filter(|(kind, _)| matches!(*kind, "compute" | "sm" | "lto"))
            else {
                continue;
            };
            let digits = number.trim_end_matches(|c: char| c.is_ascii_lowercase());
            if let Ok(n) = digits.parse::<u32>() {
                // If two names denote one architecture, the longer one (such as `90a`) has more instructions.
                newest = newest.max(Some((n, number.len(), number.to_owned())));
            }
        }
    }
    found.extend(
        newest.map(|(_, _, number)| OsString::from_vec(format!("-arch=compute_{number}").into_bytes())),
    );
    found
}

/// Returns whether device code is linked with that of other sources.
pub(super) fn is_relocatable(words: &[OsString]) -> bool {
    let has = |word: &str| words.iter().any(|w| w == word);
    let value = |word: &str| words.windows(2).any(|w| w[0] == word && w[1] == "true");
    ["-dc", "--device-c", "-rdc=true", "--relocatable-device-code=true"].into_iter().any(has)
        || ["-rdc", "--relocatable-device-code"].into_iter().any(value)
}

/// Returns those arguments of the host compiler that affect a source's meaning.
pub(super) fn of_host(words: &[OsString]) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let bytes = word.as_bytes();
        match bytes {
            b"-I" | b"-D" | b"-U" | b"-isystem" | b"-include" | b"-iquote" | b"-idirafter" | b"-imacros" => {
                kept.push(word.clone());
                kept.extend(rest.next().cloned());
            }
            _ if [&b"-I"[..], b"-D", b"-U", b"-isystem", b"-iquote", b"-std=", b"-fexceptions"]
                .iter()
                .any(|p| bytes.starts_with(p))
                || bytes == b"-pthread" =>
            {
                kept.push(word.clone());
            }
            _ => {}
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn what_is_made_of_a_source_is_left_out() {
        let command = "-forward-unknown-to-host-compiler -DX=1 -I inc --options-file i.rsp -std=c++17 -x cu -dc -MD -MT a.o -MF a.d a.cu -o a.o";
        let (kept, sources) = of_nvcc(&words(command));
        let expected =
            "-forward-unknown-to-host-compiler -DX=1 -I inc --options-file i.rsp -std=c++17 -x cu -rdc=true";
        assert_eq!((kept, sources), (words(expected), words("a.cu")));
        let host = "-DX -I inc -O3 -march=native -Wall -fopenmp -std=gnu++17 -o a.o -c a.cpp";
        assert_eq!(of_host(&words(host)), words("-DX -I inc -std=gnu++17"));
    }

    #[test]
    fn ptx_is_of_the_newest_architecture() {
        let of = |text: &str| for_ptx(&words(text));
        assert_eq!(
            of("-O3 -gencode arch=compute_75,code=sm_75 -gencode=arch=compute_90a,code=[compute_90a,sm_90a]"),
            words("-O3 -arch=compute_90a")
        );
        assert_eq!(of("-arch sm_90 -dlto"), words("-arch=compute_90"));
        assert_eq!(of("-arch=native -g"), words("-g"));
        assert!(is_relocatable(&words("-O3 -rdc true")) && !is_relocatable(&words("-c a.cu")));
    }
}
