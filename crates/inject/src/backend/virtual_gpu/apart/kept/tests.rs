use super::*;
use crate::backend::virtual_gpu::apart::{Module, question::Question, seen::Seen};
use events::task::Parameter;
use events::{AllocKind, Dim3, SiteId};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

/// Each thread writes the word at `pitch` times its number.
const TEXT: &str = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 pitch)\n\
     {\n.reg .b32 %r<6>;\n.reg .b64 %rd<4>;\nld.param.u64 %rd1, [p];\nld.param.u32 %r5, [pitch];\n\
     mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\nmad.lo.u32 %r4, %r1, %r2, %r3;\n\
     mul.lo.u32 %r4, %r4, %r5;\nmul.wide.u32 %rd2, %r4, 4;\nadd.s64 %rd3, %rd1, %rd2;\n\
     st.global.u32 [%rd3], %r4;\nret;\n}\n";
const BASE: u64 = 0x7_0000_0000;

struct Place(PathBuf);

impl Place {
    fn new(test: &str) -> Place {
        let folder = std::env::temp_dir().join(format!("warprace-kept-{}-{test}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        Place(folder)
    }

    fn cache(&self) -> Cache {
        Cache { folder: self.0.clone(), version: 1 }
    }

    /// The files, with a number that changes when one is written again.
    fn files(&self) -> Vec<(PathBuf, u64)> {
        let entries = self.0.read_dir().into_iter().flatten().map(|entry| entry.unwrap().path());
        let mut all: Vec<_> = entries.map(|path| (path.clone(), written(&path))).collect();
        all.sort();
        all
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn written(path: &Path) -> u64 {
    fs::metadata(path).unwrap().ino()
}

/// A launch of four blocks of 64 threads.
fn question(cache: Option<Cache>, text: &str, pitch: u32, bytes: u64) -> Question {
    let params = [&BASE.to_le_bytes()[..], &pitch.to_le_bytes()].concat();
    let info = LaunchInfo {
        kernel: "k".into(),
        grid: Dim3::new(4, 1, 1),
        block: Dim3::new(64, 1, 1),
        cluster: Dim3::ONE,
        cooperative: false,
        shared_bytes: 0,
        uses: Default::default(),
    };
    let parameters = [(0, 8), (8, 4)].map(|(offset, bytes)| Parameter { offset, bytes });
    let facts =
        LaunchFacts { bytes: params.clone(), parameters: parameters.to_vec(), ..LaunchFacts::default() };
    let memory = ObservedMemory { base: BASE, bytes, kind: AllocKind::Device, name: None, contents: None };
    let sites = (0..99).map(|line| (("k".to_owned(), line), SiteId(line))).collect();
    Question {
        module: Arc::new(Module { texts: vec![text.to_owned()], sites }),
        seen: Seen::new(&info, &params),
        info,
        facts,
        memory: vec![memory],
        volatile_weak: false,
        may_stray: false,
        cache,
    }
}

/// Returns what is proved, as text. A machine that is busy may need several questions.
fn found(place: &Place, text: &str, pitch: u32) -> String {
    let answer = || question(Some(place.cache()), text, pitch, 1024).answer();
    format!("{:?}", (0..9).find_map(|_| answer()).expect("it is proved"))
}

#[test]
fn a_kept_proof_is_used_and_says_the_same() {
    let place = Place::new("same");
    assert!(place.files().is_empty());
    let first = found(&place, TEXT, 1);
    assert!(first.contains("is_free: true, is_inside: true"), "{first}");
    let files = place.files();
    assert_eq!(files.len(), 1);
    assert_eq!(found(&place, TEXT, 1), first);
    // A proof that is found is written: this one was read.
    assert_eq!(place.files(), files);
    // One that another process has made narrower is what counts, and not a new one.
    let mut kept = Kept::read(&place.cache(), &[TEXT.to_owned()], "k", [false, false]).unwrap();
    let mut narrow = kept.proofs[0].clone();
    narrow.global.values_mut().for_each(|access| access.proved = false);
    kept.add(&narrow);
    assert!(found(&place, TEXT, 1).contains("is_free: false"));
    // Nothing is read nor written without a cache.
    let files = place.files();
    let without = || question(None, TEXT, 1, 1024).answer();
    let without = (0..9).find_map(|_| without()).expect("it is proved");
    assert_eq!(format!("{without:?}"), first);
    assert_eq!(place.files(), files);
}

#[test]
fn a_kept_proof_answers_no_other_question() {
    let place = Place::new("other");
    found(&place, TEXT, 1);
    let files = place.files();
    // All threads write one word, or leave the array.
    for (pitch, bytes) in [(0, 1024), (1, 1020)] {
        let answer = question(Some(place.cache()), TEXT, pitch, bytes).answer();
        assert!(answer.is_none(), "{pitch}, {bytes}: {answer:?}");
    }
    assert_eq!(place.files(), files, "what is not proved is not kept");
    // Another text, other terms, another library.
    let racy = TEXT.replace("%tid.x", "%tid.y");
    assert!(question(Some(place.cache()), &racy, 1, 1024).answer().is_none());
    let reads = |cache: &Cache, text: &str, kernel: &str, terms| {
        Kept::read(cache, &[text.to_owned()], kernel, terms).unwrap().proofs.len()
    };
    let cache = place.cache();
    assert_eq!(reads(&cache, TEXT, "k", [false, false]), 1);
    assert_eq!(reads(&cache, &racy, "k", [false, false]), 0);
    assert_eq!(reads(&cache, TEXT, "l", [false, false]), 0);
    assert_eq!(reads(&cache, TEXT, "k", [true, false]), 0);
    assert_eq!(reads(&cache, TEXT, "k", [false, true]), 0);
    assert_eq!(reads(&Cache { version: 2, ..cache }, TEXT, "k", [false, false]), 0);
    // A second launch that is proved joins the first.
    question(Some(place.cache()), TEXT, 1, 1024).answer().expect("it is known");
    let more = || {
        let mut question = question(Some(place.cache()), TEXT, 1, 1024);
        question.info.grid = Dim3::new(3, 1, 1);
        question.answer()
    };
    assert!((0..9).any(|_| more().is_some()));
    assert_eq!(reads(&place.cache(), TEXT, "k", [false, false]), 2);
}

#[test]
fn a_file_that_holds_no_proof_is_replaced() {
    let place = Place::new("damaged");
    let first = found(&place, TEXT, 1);
    let (file, _) = place.files().remove(0);
    let whole = fs::read(&file).unwrap();
    let kept = Kept::read(&place.cache(), &[TEXT.to_owned()], "k", [false, false]).unwrap();
    // Not written by `Answers`: cut off, with one digit that differs, empty.
    let mut other = whole.clone();
    let digit = other.iter().rposition(u8::is_ascii_digit).unwrap();
    other[digit] ^= 1;
    for wrong in [&whole[..whole.len() - 1], &other, b""] {
        fs::write(&file, wrong).unwrap();
        assert_eq!(found(&place, TEXT, 1), first);
        assert_eq!(fs::read(&file).unwrap(), whole);
    }
    // Written by it, but no proofs: an array that the condition lacks, another kind of value, none at all.
    let text = kept.proofs[0].text().unwrap();
    let mut strays = text.clone();
    strays[2][0][2] = 7.into();
    let mut leads = text.clone();
    leads[0][5][0][1] = serde_json::json!([1, 7, 0]);
    let mut kind = text.clone();
    kind[0][5][0][1] = serde_json::json!([2, 0, 0]);
    let deep = format!("{}{}", "[".repeat(9999), "]".repeat(9999)).into_bytes();
    let lists = [strays, leads, kind].map(|text| serde_json::to_vec(&[text]).unwrap());
    for wrong in lists.iter().chain([&deep, &b"{}".to_vec(), &b"\xff".to_vec()]) {
        kept.answers.write(kept.name, wrong).unwrap();
        assert_eq!(found(&place, TEXT, 1), first);
        assert_eq!(fs::read(&file).unwrap(), whole);
    }
}

#[test]
fn proofs_of_a_kernel_are_no_more_than_a_process_asks_for() {
    let place = Place::new("many");
    found(&place, TEXT, 1);
    let texts = [TEXT.to_owned()];
    let mut kept = Kept::read(&place.cache(), &texts, "k", [false, false]).unwrap();
    let first = kept.proofs[0].clone();
    let newest = RaceFree { shared: [7].into(), ..first.clone() };
    for _ in 0..MOST {
        kept.add(&newest);
    }
    let kept = Kept::read(&place.cache(), &texts, "k", [false, false]).unwrap();
    assert_eq!(kept.proofs, vec![newest; MOST]);
}

#[test]
fn this_library_has_a_name() {
    assert!(Cache::new("/nowhere".into()).is_some_and(|cache| cache.version != 0));
}

#[test]
fn a_folder_that_cannot_be_made_keeps_nothing() {
    let place = Place::new("file");
    fs::write(&place.0, "").unwrap();
    let cache = Cache { folder: place.0.join("proofs"), version: 1 };
    assert!(Kept::read(&cache, &[TEXT.to_owned()], "k", [false, false]).is_none());
    let answer = || question(Some(cache.clone()), TEXT, 1, 1024).answer();
    assert!((0..9).any(|_| answer().is_some()));
    fs::remove_file(&place.0).unwrap();
}
