//! One described run in the formats of other tools.

use report::render::{Change, Github, Html, Issue, Json, Junit, Notes, Renderer, Sarif};
use report::source::Sources;
use report::suppress::{Baseline, Entry, Origin, Suppressions};
use report::{Document, Style, Text};
use serde_json::{Value, json};

/// Two races (one of a kernel, one of the host alone), a hazard, a failed kernel.
fn document() -> Document {
    let access = |file: &str, line: u32, kernel: &str, kind: &str| {
        json!({
            "file": file, "line": line, "column": 5, "function": "tile<int>::add", "kernel": kernel, "kind": kind,
            "size": 4, "block": [0, 0, 0], "thread": [3, 0, 0],
            "inlined": [{"file": file, "line": line, "function": "tile<int>::add"},
                        {"file": file, "line": 90, "function": "sum"}],
            "who": "thread (3, 0, 0) of block (0, 0, 0)", "what": format!("{kind} of 4 bytes"),
            "instruction": "ld.shared.u32 %r1, [%r2]", "ptx_line": 40,
        })
    };
    let finding = |class: &str, accesses: Value| {
        json!({
            "id": format!("{class}-1"), "class": class, "evidence": "observed", "space": "shared", "title": "write and read of shared memory",
            "memory": {"variable": "s", "allocated_by": null, "offset": 0, "bytes": 64, "text": "shared memory `s`"},
            "count": 7, "accesses": accesses, "why": "nothing & nobody", "fix": "put `__syncthreads()` <here>",
            "replay": "warprace run -- ./a b",
        })
    };
    let host = json!({
        "file": "", "line": 0, "column": 0, "function": "", "kernel": "cudaMemcpy", "kind": "write", "size": 64,
        "block": null, "thread": null, "inlined": [], "who": "`cudaMemcpy`", "what": "write of 64 bytes",
        "instruction": "", "ptx_line": 0,
    });
    let kernel = |name: &str, checked: u64| {
        json!({"name": name, "mangled": name, "launches": 1, "checked": checked, "threads": 32, "instructions": 9,
               "accesses": 3, "line_info": true})
    };
    let mut kernel_race = access("/src/my app/sum.cu", 12, "sum(int*)", "write");
    kernel_race["line"] = json!(12);
    serde_json::from_value(json!({
        "version": 1, "verdict": "race",
        "races": [
            finding("missing-barrier", json!([kernel_race, access("/src/my app/sum.cu", 14, "sum(int*)", "read")])),
            finding("memcpy-async", json!([host, host])),
        ],
        "hazards": [finding("lock-missing", json!([access("a,b.cu", 3, "other()", "read"), host]))],
        "kernels": [kernel("sum(int*)", 1), kernel("other()", 1), kernel("left_out()", 0)],
        "inconclusive": ["something was 50% done"],
        "errors": [{"class": "trap", "title": "the kernel executed a trap", "error": "", "kernel": "other()",
                    "at": null, "waiting": [], "notes": [], "help": ""}],
        "limits": [],
        "program": {"path": "./a", "exit_code": 0, "signal": null, "processes": 1},
        "summary": {"lens": "ptx", "kernels": 3, "launches": 3, "checked": 2, "threads": 96, "warp_instructions": 1,
                    "thread_instructions": 1, "accesses": 1, "copies": 0, "memsets": 0, "allocations": 0,
                    "kernel_ns": 1_500_000_000u64, "shadow_bytes": 0, "touched_bytes": 0, "replay": ""},
    }))
    .expect("the document's own shape")
}

fn relative() -> Sources {
    Sources::new(Some("/src".into()))
}

fn sarif(document: Document) -> Value {
    serde_json::from_str(&Sarif { sources: &relative() }.render(&[document])).expect("JSON")
}

fn github(document: Document) -> String {
    Github { sources: &relative() }.render(&[document])
}

#[test]
fn sarif_names_rules_places_and_flows() {
    let log = sarif(document());
    let run = &log["runs"][0];
    let results = run["results"].as_array().expect("a list");
    assert_eq!(results.len(), 3);
    for result in results {
        let index = result["ruleIndex"].as_u64().expect("a number") as usize;
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
    }
    let race = &results[0];
    assert_eq!(race["level"], "error");
    let place = &race["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "my%20app/sum.cu");
    assert_eq!(place["region"], json!({"startLine": 12, "startColumn": 5}));
    assert_eq!(race["relatedLocations"].as_array().map(Vec::len), Some(2));
    let flow = &race["codeFlows"][0]["threadFlows"][0]["locations"];
    assert_eq!(
        flow[0]["location"]["physicalLocation"]["region"]["startLine"], 90,
        "the outermost call first"
    );
    assert_eq!(flow[1]["location"]["physicalLocation"]["region"]["startLine"], 12);
    assert_eq!(results[1]["locations"], json!([]), "the host's calls have no lines here");
    assert_eq!(results[2]["level"], "warning");
    let told = run["invocations"][0]["toolExecutionNotifications"].as_array().expect("a list");
    assert_eq!(told.len(), 2, "the failed kernel and the reason");
}

#[test]
fn a_findings_identity_is_its_fingerprint() {
    let log = sarif(document());
    assert_eq!(log["runs"][0]["results"][0]["partialFingerprints"]["warprace/v1"], "missing-barrier-1");
}

#[test]
fn junit_fails_the_kernels_that_race() {
    let text = Junit.render(&[document()]);
    assert!(text.contains("tests=\"3\" failures=\"2\" errors=\"0\""), "{text}");
    assert!(text.contains("time=\"1.500\""), "{text}");
    assert!(text.contains("name=\"other()\"/>"), "a hazard is no failure: {text}");
    assert!(!text.contains("left_out"), "nobody looked at it: {text}");
    assert!(text.contains("put `__syncthreads()` &lt;here&gt;"), "{text}");

    let mut inconclusive = document();
    inconclusive.races.clear();
    inconclusive.verdict = report::Verdict::Inconclusive;
    let text = Junit.render(&[inconclusive]);
    assert!(text.contains("failures=\"0\" errors=\"1\""), "{text}");
    assert!(text.contains("something was 50% done"), "{text}");
}

#[test]
fn github_gets_one_line_for_each_finding() {
    let text = github(document());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 5, "{text}");
    assert!(
        lines[0].starts_with("::error file=my app/sum.cu,line=12,col=5,title=warprace: missing-barrier::"),
        "{text}"
    );
    assert!(lines[0].contains("%0A(2) at my app/sum.cu:14%0Awhy: "), "{text}");
    assert!(lines[1].starts_with("::error title=warprace: memcpy-async::"), "{text}");
    assert!(lines[2].starts_with("::warning file=a%2Cb.cu,line=3,"), "{text}");
    assert!(lines[3].starts_with("::error title=warprace: trap::"), "{text}");
    assert_eq!(lines[4], "::warning title=warprace: inconclusive::something was 50%25 done");
}

#[test]
fn several_documents_are_told_apart() {
    let named = |name: &str| {
        let mut document = document();
        document.program.name = name.into();
        document
    };
    let both = [named("one"), named("two")];
    let json: Value = serde_json::from_str(&Json.render(&both)).expect("JSON");
    assert_eq!(json["two"]["verdict"], "race");
    let log: Value = serde_json::from_str(&Sarif { sources: &relative() }.render(&both)).expect("JSON");
    assert_eq!(log["runs"].as_array().map(Vec::len), Some(2));
    let xml = Junit.render(&both);
    assert_eq!(xml.matches("<testsuite ").count(), 2, "{xml}");
    assert!(xml.contains("name=\"warprace two: ./a\""), "{xml}");
}

fn suppressed(entries: Vec<Entry>, baseline: Option<Baseline>) -> Document {
    let origin = |number| Origin { file: "warprace.toml".into(), number };
    let entries = (1..).zip(entries).map(|(n, entry)| (origin(n), entry)).collect();
    let mut document = document();
    Suppressions { entries, baseline, annotations: true }.apply(&mut document, &relative());
    document
}

#[test]
fn what_is_suppressed_is_counted_and_kept() {
    let by_class =
        Entry { class: Some(events::Class::MissingBarrier), reason: "known".into(), ..Entry::default() };
    let stale = Entry { file: Some("other.cu".into()), ..Entry::default() };
    let kernel = Entry { kernel: Some("cudaMemcpy".into()), file: Some("a,*.cu".into()), ..Entry::default() };
    let document = suppressed(vec![by_class, stale, kernel], None);
    assert_eq!((document.races.len(), document.hazards.len(), document.suppressed.len()), (1, 0, 2));
    let hits: Vec<u64> = document.suppressions.iter().map(|entry| entry.hits).collect();
    assert_eq!(hits, [1, 0, 1]);
    let text = Text { style: Style::default(), sources: &relative() }.summary(&document);
    assert!(text.contains("warprace: 2 findings suppressed: 2 by warprace.toml\n"), "{text}");
    assert!(
        text.contains("warning: entry 2 of warprace.toml matches nothing: file = \"other.cu\"\n"),
        "{text}"
    );
    let log = sarif(document.clone());
    let results = log["runs"][0]["results"].as_array().expect("a list");
    assert_eq!(results.len(), 3);
    assert_eq!(
        results[1]["suppressions"][0],
        json!({"kind": "external", "status": "accepted", "justification": "known"})
    );
    assert!(results[0]["suppressions"].is_null());
    // A written document can be read.
    let again: Document = serde_json::from_str(&Json.render(std::slice::from_ref(&document))).expect("JSON");
    assert_eq!(again.suppressed, document.suppressed);
}

#[test]
fn comments_allow_classes_by_their_names() {
    let folder = std::env::temp_dir().join(format!("warprace-allow-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("a.cu").to_string_lossy().into_owned();
    std::fs::write(&file, "// warprace: allow(barrier, missing-barrier) known\na[0] = 1;\na[1] = a[0];\n")
        .unwrap();
    let mut document = document();
    for (access, line) in document.races[0].accesses.iter_mut().zip([2, 3]) {
        (access.file, access.line) = (file.clone(), line);
    }
    Suppressions { annotations: true, ..Suppressions::default() }.apply(&mut document, &relative());
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!((document.races.len(), document.suppressed.len()), (1, 1));
    assert_eq!(document.suppressed[0].by.text(), "by a comment in line 1: known");
    assert_eq!(document.warnings, [format!("{file}:1 allows `barrier`, which is no class of races")]);
    let log = sarif(document);
    assert_eq!(log["runs"][0]["results"][2]["suppressions"][0]["kind"], "inSource");
}

#[test]
fn what_an_earlier_run_had_is_not_new() {
    let mut earlier = document();
    earlier.races.remove(1);
    earlier.races[0].accesses[0].line += 10;
    let baseline = Baseline::new("base.json".into(), &earlier);
    let mut gone = earlier.races[0].clone();
    gone.id = "gone".into();
    earlier.races.push(gone);
    let known = suppressed(Vec::new(), Some(baseline));
    assert_eq!(known.verdict, report::Verdict::Race);
    assert_eq!((known.races.len(), known.suppressed.len()), (1, 2));
    let log = sarif(known);
    let states =
        log["runs"][0]["results"].as_array().expect("a list").iter().map(|r| r["baselineState"].clone());
    assert_eq!(states.collect::<Vec<_>>(), ["new", "unchanged", "unchanged"]);

    let all = suppressed(Vec::new(), Some(Baseline::new("base.json".into(), &document())));
    assert_eq!(all.verdict, report::Verdict::Inconclusive, "what was not checked stays so");
    let mut all = suppressed(Vec::new(), Some(Baseline::new("base.json".into(), &earlier)));
    assert_eq!(all.baseline.as_ref().map(|b| (b.known, b.new, b.gone)), Some((2, 1, 1)));
    all.races.clear();
    all.inconclusive.clear();
    assert_eq!(all.judged(), report::Verdict::Clean);
}

#[test]
fn names_in_the_page_are_no_markup() {
    let mut document = document();
    let hostile = "</script><img src=x onerror=alert(1)><!--\u{2028}";
    document.races[0].accesses[0].kernel = hostile.into();
    document.races[0].title = hostile.into();
    document.program.path = hostile.into();
    let page = Html { sources: &relative() }.render(&[document]);
    assert!(!page.contains("<img"), "a name became markup");
    assert_eq!(page.matches("</script").count(), 2, "the data and the script end once each");
    let data =
        page.split_once("id=\"data\">").and_then(|(_, rest)| rest.split_once("</script>")).expect("data").0;
    let data: Value = serde_json::from_str(data).expect("JSON");
    assert_eq!(data["runs"][0]["program"]["path"], hostile);
    assert_eq!(data["findings"].as_array().map(Vec::len), Some(3));
    // Nothing is fetched: the policy says so, and no address is there.
    assert!(page.contains("default-src 'none'") && !page.contains("https://") && !page.contains("src=\""));
}

#[test]
fn an_issue_says_what_maintainers_need() {
    let document = document();
    let (sources, change) = (relative(), None);
    let issue = Issue { sources: &sources, change, notes: None, quotes: true, version: "1.2.3" };
    let text = issue.render(&document, &document.races[0]);
    let expected = "\
# Data race in `sum`: write and read of shared memory

Threads of one block access the same memory with no barrier between them, or another thread hands it over without one. (Class `missing-barrier`.)

## The two accesses

1. `my app/sum.cu:12`, in `sum(int*)`: write of 4 bytes by thread (3, 0, 0) of block (0, 0, 0)
2. `my app/sum.cu:14`, in `sum(int*)`: read of 4 bytes by thread (3, 0, 0) of block (0, 0, 0)

Both access shared memory `s`.

## Why nothing orders them

Nothing & nobody.

## Consequence

The read (2) may return the old value or the new one, and which of them may differ between runs, GPUs and compilers. A result that was right so far is right by luck.

## To see it again

```
warprace run -- ./a b
```

runs the program on a virtual GPU, without a GPU, in the order of threads that shows the race. The program itself ends successfully.

## A change that removes it

Put `__syncthreads()` <here>. This advice was not tried.

## How it was found

warprace 1.2.3 runs programs as they were built and checks every access by the PTX memory model (PTX ISA, chapter 8). The finding was observed 7 times: engine ``, lens `ptx`, one order of the threads.
";
    assert_eq!(text, expected);
    let change = Change { diff: "-a\n+b\n".into(), schedules: 20, built: false };
    let issue = Issue { change: Some(&change), ..issue };
    let text = issue.render(&document, &document.races[0]);
    assert!(text.contains(
        "```diff\n-a\n+b\n```\n\n20 schedules and prediction show no race with the change, made in the PTX.\n"
    ));
    assert!(text.lines().count() < 50, "a page");
    let host = issue.render(&document, &document.races[1]);
    assert!(host.contains("1. write of 64 bytes by `cudaMemcpy`, in `cudaMemcpy`\n"), "{host}");
}

#[test]
fn notes_replace_sections_of_an_issue() {
    let document = document();
    let sources = relative();
    let notes =
        Notes::parse("# Sums differ\n\n## Affected\n\nsum at 1a2b3c\n\n## Consequence\n\nA wrong sum.\n")
            .expect("notes");
    let issue =
        Issue { sources: &sources, change: None, notes: Some(&notes), quotes: false, version: "1.2.3" };
    let text = issue.render(&document, &document.races[0]);
    assert!(text.starts_with("# Sums differ\n"), "{text}");
    let order = [
        "## Affected\n\nsum at 1a2b3c\n",
        "## The two accesses\n",
        "## Consequence\n\nA wrong sum.\n\n## To see",
    ];
    let places: Vec<_> = order.iter().map(|part| text.find(part)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?} in {text}");
    assert!(!text.contains("right by luck"), "a section was replaced: {text}");
    assert!(Notes::parse("no heading\n").is_err() && Notes::parse("").is_err());
}
