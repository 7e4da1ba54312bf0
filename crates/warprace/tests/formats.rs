//! Report files for users and other tools, read by such tools, and suppressed findings. These tests need
//! nvcc, which `cargo xtask test` provides.

mod toolkit;

use events::Class;
use report::rule::{CLASSES, page};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use toolkit::toolkit;

/// Creates an empty folder with this name.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("formats").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Compiles `source` in `folder`.
fn compile(nvcc: &Path, folder: &Path, source: &str, output: &str) {
    compile_for("90a", nvcc, folder, source, output);
}

/// Compiles `source` in `folder` for an architecture, such as `90a`.
fn compile_for(arch: &str, nvcc: &Path, folder: &Path, source: &str, output: &str) {
    let code = format!("arch=compute_{arch},code=compute_{arch}");
    let compiled = Command::new(nvcc)
        .args(["-std=c++17", "-lineinfo", "-gencode", &code, source, "-o", output])
        .current_dir(folder)
        .output()
        .expect("nvcc can be started");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
}

fn warprace(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warprace"));
    command.args(args).current_dir(folder).output().expect("warprace can be started")
}

fn example() -> String {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(workspace.join("examples/last_block_sum.cu")).unwrap()
}

#[test]
fn a_run_is_written_for_code_scanning_test_reports_and_workflow_logs() {
    let Some(toolkit) = toolkit() else { return };
    let folder = folder("tools");
    std::fs::create_dir_all(folder.join("examples")).unwrap();
    let source = "examples/last_block_sum.cu";
    std::fs::write(folder.join(source), example()).unwrap();
    compile(&toolkit.join("bin/nvcc"), &folder, source, "sum");
    let args = [
        "run",
        "--quiet",
        "--sarif",
        "sum.sarif",
        "--junit",
        "sum.xml",
        "--html",
        "sum.html",
        "--json",
        "sum.json",
        "--github",
        "--",
    ];
    let ran = warprace(&folder, &[&args[..], &["./sum"]].concat());
    assert_eq!(ran.status.code(), Some(66));

    let log = std::fs::read_to_string(folder.join("sum.sarif")).unwrap();
    let log: serde_json::Value = serde_json::from_str(&log).unwrap();
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "missing-fence");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], source);
    assert_eq!(place["region"]["startLine"], 39);

    let told = String::from_utf8_lossy(&ran.stderr);
    let start = format!("::error file={source},line=39,col=9,title=warprace: missing-fence::");
    assert!(told.lines().any(|line| line.starts_with(&start)), "{told}");

    // Python's XML parser stands for those of CI systems.
    let read = "import sys, xml.etree.ElementTree as t\n\
                s = t.parse(sys.argv[1]).getroot()[0]\n\
                print(s.get('tests'), s.get('failures'), s[0].get('name').split('(')[0], s[0][0].get('type'))";
    let parsed = Command::new("python3")
        .args(["-c", read, "sum.xml"])
        .current_dir(&folder)
        .output()
        .expect("python3 can be started");
    assert_eq!(String::from_utf8_lossy(&parsed.stdout).trim(), "2 1 sum race");

    // The report contains the interleaving: other threads pass the ticket on to the last block.
    let document = std::fs::read_to_string(folder.join("sum.json")).unwrap();
    let document: report::Document = serde_json::from_str(&document).unwrap();
    let story = document.races[0].interleaving.as_ref().expect("the run was recorded");
    let side =
        |side| story.steps.iter().position(|step| step.side == Some(side)).expect("both sides are told");
    let (first, second) = (side(1), side(2));
    assert!(first < second && story.steps[first].lane == 0 && story.steps[second].lane == 1);
    let tickets: Vec<_> = story.steps.iter().filter(|step| step.line == 41).collect();
    assert_eq!(
        tickets.first().and_then(|step| Some((step.lane, step.read?, step.written?))),
        Some((0, 0, 1))
    );
    assert_eq!(
        tickets.last().and_then(|step| Some((step.lane, step.read?, step.written?))),
        Some((1, 63, 64))
    );
    assert!(tickets[1..tickets.len() - 1].iter().all(|step| step.lane > 1));
    let from = story.steps[tickets.last().unwrap().from.unwrap()].lane;
    assert!(story.lanes[from].who.ends_with("of block (62, 0, 0)"), "{:?}", story.lanes[from]);

    // The page has the source, both sides and the advice. `cargo xtask browser-test` reads it in a browser.
    let page = std::fs::read_to_string(folder.join("sum.html")).unwrap();
    assert!(page.contains("value += partial[i];") && page.contains("missing-fence"));
}

/// A race in a ring of two stages: the consumer reads a stage before it waits for the producer's copy.
#[test]
fn a_race_in_a_ring_of_stages_says_what_is_missing_there() {
    let Some(toolkit) = toolkit() else { return };
    let folder = folder("ring");
    let source =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ui/pipeline/read-before-wait.race.cu");
    compile_for("90", &toolkit.join("bin/nvcc"), &folder, &source.display().to_string(), "ring");
    let ran =
        warprace(&folder, &["run", "--quiet", "--html", "ring.html", "--json", "ring.json", "--", "./ring"]);
    assert_eq!(ran.status.code(), Some(66));
    let document = std::fs::read_to_string(folder.join("ring.json")).unwrap();
    let document: report::Document = serde_json::from_str(&document).unwrap();
    let pipeline = document.races[0].pipeline.as_ref().expect("the kernel has mbarriers");
    let [producer, consumer] = &pipeline.roles;
    assert!(producer.producer && producer.warp == "warp 0", "{producer:?}");
    assert!(!consumer.producer && consumer.warp == "warp 1", "{consumer:?}");
    assert_eq!((pipeline.stages.len(), pipeline.raced), (2, Some(0)));
    assert_eq!(pipeline.missing, "wait for phase 0 of `full[0]`");
    let stage = &pipeline.stages[0];
    let (full, empty) = (stage.full.as_ref().unwrap(), stage.empty.as_ref().unwrap());
    assert_eq!((full.name.as_str(), full.expected, full.waits.len()), ("`full[0]`", 128, 0));
    assert_eq!(empty.name, "`empty[0]`");
    assert_eq!(empty.waits, ["warp 0: before the first phase"]);
    // The text report has it as a line, and the page as data of its drawing.
    let text = String::from_utf8_lossy(&ran.stderr);
    assert!(text.contains("= pipeline: stage 0 of 2; producer warp 0 (1), consumer warp 1 (2)"), "{text}");
    let page = std::fs::read_to_string(folder.join("ring.html")).unwrap();
    assert!(page.contains("\"missing\":\"wait for phase 0 of `full[0]`\""));
}

/// `prove` runs no program. Its answers have the same output formats as the reports of `run`, and its
/// suppressions work alike.
#[test]
fn proofs_are_written_for_the_same_tools() {
    let folder = folder("proofs");
    let patterns = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/prove/patterns.ptx");
    let patterns = patterns.to_str().unwrap();
    let prove = |kernels: &str, more: &[&str]| {
        let filter = format!("kns={kernels}");
        let ran = warprace(
            &folder,
            &[&["prove", "--any-launch", "--kernel-name", &filter, patterns], more].concat(),
        );
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (ran.status.code(), text(&ran.stdout), text(&ran.stderr))
    };
    let files =
        ["--sarif", "p.sarif", "--junit", "p.xml", "--html", "p.html", "--gen-suppressions", "p.toml"];
    let (code, out, told) = prove("transpose", &[&files[..], &["--github", "--json", "-"]].concat());
    assert_eq!(code, Some(66), "{told}");
    // The standard output holds the document only.
    let document: report::Document = serde_json::from_str(&out).expect("JSON");
    std::fs::write(folder.join("p.json"), &out).unwrap();
    let verdicts: Vec<&str> = document.proofs.iter().map(|proof| proof.kernel.as_str()).collect();
    assert_eq!((verdicts, document.verdict.name()), (vec!["transpose_clean", "transpose_race"], "race"));
    assert!(told.contains("proved: `transpose_clean`") && told.contains("::error "), "{told}");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let log: serde_json::Value = serde_json::from_str(&read("p.sarif")).unwrap();
    assert_eq!(log["runs"][0]["results"][0]["ruleId"], "missing-barrier");
    assert!(read("p.xml").contains("tests=\"3\" failures=\"1\" errors=\"0\""), "{}", read("p.xml"));
    assert!(read("p.html").contains("transpose_clean"));
    for option in [["--baseline", "p.json"], ["--suppressions", "p.toml"]] {
        let (code, out, told) = prove("transpose", &option);
        assert_eq!(code, Some(0), "{out}{told}");
        assert!(out.ends_with("1 proved, 1 with races, 0 unknown; 1 finding suppressed\n"), "{out}");
    }
    let (code, out, _) = prove("transpose_clean", &["--json", "clean.json"]);
    assert_eq!(code, Some(0), "{out}");
    assert!(read("clean.json").contains("\"verdict\": \"proved\""));
}

#[test]
fn what_is_known_is_no_news_wherever_its_lines_are() {
    let Some(toolkit) = toolkit() else { return };
    let folder = folder("known");
    let nvcc = toolkit.join("bin/nvcc");
    std::fs::write(folder.join("sum.cu"), example()).unwrap();
    compile(&nvcc, &folder, "sum.cu", "before");
    let ran = warprace(
        &folder,
        &["run", "--json", "base.json", "--gen-suppressions", "known.toml", "--", "./before"],
    );
    assert_eq!(ran.status.code(), Some(66));

    // The source gets more lines above the kernel and inside it, without further accesses.
    let moved = example().replace("__global__", "// More is said here.\n//\n\n__global__");
    let moved = moved.replacen("    partial[", "    // Here, too.\n\n    partial[", 1);
    assert_ne!(moved, example());
    std::fs::write(folder.join("sum.cu"), &moved).unwrap();
    compile(&nvcc, &folder, "sum.cu", "after");
    let told = |ran: &Output| String::from_utf8_lossy(&ran.stderr).into_owned();
    for option in [["--baseline", "base.json"], ["--suppressions", "known.toml"]] {
        let ran = warprace(&folder, &[&["run", "--json", "-"], &option[..], &["--", "./after"]].concat());
        assert_eq!(ran.status.code(), Some(0), "{option:?}: {}", told(&ran));
        assert!(told(&ran).contains("warprace: 1 finding suppressed: 1 "), "{}", told(&ran));
        assert!(told(&ran).contains("warprace: clean: no other race (schedule "), "{}", told(&ran));
        let out = String::from_utf8_lossy(&ran.stdout);
        let json = &out[out.find('{').expect("the document follows the program's output")..];
        let document: serde_json::Value = serde_json::from_str(json).expect("JSON");
        assert_eq!((&document["verdict"], &document["races"]), (&"clean".into(), &serde_json::json!([])));
        assert_eq!(document["suppressed"][0]["class"], "missing-fence");
    }

    // The suppression is a comment beside the access, and one entry of the file matches nothing.
    let said = moved.replacen(
        "    partial[",
        "    // warprace: allow(missing-fence) shown in a talk\n    partial[",
        1,
    );
    std::fs::write(folder.join("sum.cu"), said.replacen("// Here, too.\n", "", 1)).unwrap();
    std::fs::write(folder.join("stale.toml"), "[[suppress]]\nfunction = \"gone\"\n").unwrap();
    let ran = warprace(&folder, &["run", "--suppressions", "stale.toml", "--", "./after"]);
    assert_eq!(ran.status.code(), Some(0), "{}", told(&ran));
    assert!(told(&ran).contains("1 by comments in the source"), "{}", told(&ran));
    assert!(
        told(&ran).contains("entry 1 of stale.toml matches nothing: function = \"gone\""),
        "{}",
        told(&ran)
    );

    std::fs::write(folder.join("all.toml"), "[[suppress]]\nreason = \"all\"\n").unwrap();
    let ran = warprace(&folder, &["run", "--suppressions", "all.toml", "--", "./after"]);
    assert_eq!(ran.status.code(), Some(64), "{}", told(&ran));

    projects(&folder);
}

/// Checks a project with the two programs that were built in `folder`, and two without kernels.
fn projects(folder: &Path) {
    let project = "build = \"touch built\"\n\n[[program]]\nname = \"one\"\ncommand = [\"./before\"]\n\n[[program]]\nname = \
                   \"two\"\ncommand = [\"./after\"]\noptions = [\"--seed\", \"3\"]\n\n[[program]]\nname = \"slow\"\ncommand = \
                   [\"sleep\", \"100\"]\ntimeout = 1\n\n[[program]]\nname = \"fails\"\ncommand = [\"sh\", \"-c\", \"exit 3\"]\n";
    std::fs::write(folder.join("warprace.toml"), project).unwrap();
    let check = |args: &[&str]| {
        let ran = warprace(folder, &[&["check"], args].concat());
        (ran.status.code(), String::from_utf8_lossy(&ran.stderr).into_owned())
    };
    // The source no longer allows the race. An entry of the project applies to the programs that it names
    // only.
    let source = std::fs::read_to_string(folder.join("sum.cu")).unwrap();
    std::fs::write(folder.join("sum.cu"), source.replace("warprace: allow", "warprace allows")).unwrap();
    let (code, told) =
        check(&["one", "two", "--json", "all.json", "--junit", "all.xml", "--html", "all.html"]);
    assert_eq!(code, Some(66), "{told}");
    assert!(folder.join("built").exists() && told.contains("race[missing-fence]"), "{told}");
    assert!(told.contains("\none      race                          1          0"), "{told}");
    assert!(told.contains("\nwarprace: 2 programs, 2 races, 0 findings suppressed\n"), "{told}");
    let (code, told) = check(&["one", "two", "--baseline", "all.json"]);
    assert_eq!(code, Some(0), "{told}");
    assert!(told.ends_with("warprace: 2 programs, 0 races, 2 findings suppressed\n"), "{told}");
    // A baseline that lacks a program makes all of that program's findings new, whatever it has for others.
    let json = std::fs::read_to_string(folder.join("all.json")).unwrap();
    std::fs::write(folder.join("all.json"), json.replace("\"two\": {", "\"other\": {")).unwrap();
    assert_eq!(check(&["two", "--baseline", "all.json"]).0, Some(66));

    // Programs of a build folder are added to the project's, or used alone. Programs that the project names
    // stay unchanged.
    let command = r#"{"directory": ".", "file": "sum.cu", "command": "nvcc sum.cu -o OUTPUT"}"#;
    let here = folder.to_str().unwrap();
    let command = command.replace("\".\"", &format!("{here:?}"));
    let entries = ["before", "third"].map(|name| command.replace("OUTPUT", name)).join(", ");
    std::fs::write(folder.join("compile_commands.json"), format!("[{entries}]")).unwrap();
    let listed = warprace(folder, &["check", "--list", "-p", "."]);
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(listed.contains("name = \"one\"") && !listed.contains("name = \"before\""), "{listed}");
    assert!(listed.ends_with("name = \"third\"\ncommand = [\"./third\"]\n"), "{listed}");
    assert_eq!(check(&["-p", "nowhere"]).0, Some(64));

    let (code, told) = check(&["slow", "--no-build"]);
    assert_eq!(code, Some(67), "{told}");
    assert!(told.contains("inconclusive, signal 15"), "{told}");
    let (code, told) = check(&["fails"]);
    assert_eq!(code, Some(3), "{told}");
    assert_eq!(check(&["three"]).0, Some(64));
}

/// Checks the book's sources; `cargo xtask book` checks the links of the built book.
#[test]
fn the_book_has_all_pages_and_its_links_lead_somewhere() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let summary = std::fs::read_to_string(book.join("SUMMARY.md")).unwrap();
    for class in CLASSES {
        assert!(summary.contains(&format!("(classes/{}.md)", class.name())), "{} has no page", class.name());
    }
    let mut pages = vec![PathBuf::from("SUMMARY.md")];
    pages.extend(links(&summary).into_iter().map(PathBuf::from));
    assert!(pages.len() > 30, "{pages:?}");
    for page in &pages {
        let text =
            std::fs::read_to_string(book.join(page)).unwrap_or_else(|e| panic!("{}: {e}", page.display()));
        for link in links(&text).into_iter().filter(|link| !link.contains("://")) {
            let (file, part) = link.split_once('#').unwrap_or((link, ""));
            let to = match file {
                "" => page.clone(),
                file => page.parent().unwrap().join(file),
            };
            let known = std::fs::canonicalize(book.join(&to)).ok();
            // Pictures and tables of values lie beside their pages.
            if to.extension().is_some_and(|kind| kind == "svg" || kind == "csv") {
                assert!(known.is_some(), "{}: {link} leads nowhere", page.display());
                continue;
            }
            // A page outside the summary is not part of the book.
            let is_page = |page: &PathBuf| std::fs::canonicalize(book.join(page)).ok() == known;
            assert!(known.is_some() && pages.iter().any(is_page), "{}: {link} leads nowhere", page.display());
            let there = std::fs::read_to_string(book.join(&to)).unwrap();
            // GitHub and mdBook derive anchors from headings in this way.
            let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
            let slug = |line: &str| line.trim_start_matches('#').trim().to_lowercase();
            let is_part = |line: &str| {
                line.starts_with('#')
                    && slug(line).chars().filter(kept).collect::<String>().replace(' ', "-") == part
            };
            assert!(
                part.is_empty() || there.lines().any(is_part),
                "{}: {link} leads nowhere",
                page.display()
            );
        }
    }
}

/// Returns the link targets of a page, without those in code.
fn links(page: &str) -> Vec<&str> {
    let text = page.split("```").step_by(2);
    let starts = text.flat_map(|part| part.split("](").skip(1));
    starts.filter_map(|rest| rest.split(')').next()).collect()
}

/// Returns the first two programs of a page: one with the race, and one without.
fn programs(page: &str) -> [&str; 2] {
    let mut blocks = page.split("```cuda\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    [blocks.next().unwrap(), blocks.next().expect("a mended program")]
}

/// Returns whether the class's programs have instructions of sm_100a alone.
fn is_for_blackwell(class: Class) -> bool {
    class == Class::TensorMemory
}

/// Returns a program that runs the one of a class's page that its argument names.
fn source_of(classes: &[&Class]) -> String {
    let (mut includes, mut spaces, mut calls) = (BTreeSet::new(), String::new(), String::new());
    let pages: Vec<_> = classes.iter().map(|class| (class.name().replace('-', "_"), page(**class))).collect();
    for (class, page) in &pages {
        for (program, kind) in programs(page).into_iter().zip(["race", "mended"]) {
            let name = format!("{class}_{kind}");
            let (own, code): (Vec<&str>, Vec<&str>) =
                program.lines().partition(|l| l.starts_with("#include"));
            includes.extend(own);
            let _ = writeln!(spaces, "namespace {name} {{\n{}\n}}", code.join("\n"));
            let _ = writeln!(calls, "    if (!strcmp(argv[1], \"{name}\")) {name}::run();");
        }
    }
    let includes: Vec<&str> = includes.into_iter().collect();
    format!(
        "#include <cstring>\n{}\n{spaces}\nint main(int, char **argv) {{\n{calls}}}\n",
        includes.join("\n")
    )
}

#[test]
fn the_programs_of_the_book_have_the_races_that_it_tells_of() {
    let Some(toolkit) = toolkit() else { return };
    let folder = folder("book");
    let nvcc = toolkit.join("bin/nvcc");
    let (blackwell, others): (Vec<_>, Vec<_>) = CLASSES.iter().partition(|class| is_for_blackwell(**class));
    std::fs::write(folder.join("book.cu"), source_of(&others)).unwrap();
    compile(&nvcc, &folder, "book.cu", "book");
    std::fs::write(folder.join("blackwell.cu"), source_of(&blackwell)).unwrap();
    compile_for("100a", &nvcc, &folder, "blackwell.cu", "blackwell");
    for class in CLASSES {
        // Only self-checking kernels report these classes.
        let samples = matches!(class, Class::ClobberedRead | Class::LostUpdate);
        let (engine, good) = if samples { ("collide:balanced", "unseen") } else { ("virtual", "clean") };
        // These classes are hazards, not races of the model.
        let hazards = matches!(
            class,
            Class::VolatileWarp
                | Class::DivergentBarrier
                | Class::MaskWithoutCaller
                | Class::UninitializedRead
        );
        let bad = if hazards { "hazard" } else { "race" };
        for (kind, verdict) in [("race", bad), ("mended", good)] {
            let name = format!("{}_{kind}", class.name().replace('-', "_"));
            let options =
                ["run", "--devices", "2", "--engine", engine, "--check", "sync,init", "--json", "book.json"];
            let program = if is_for_blackwell(class) { "./blackwell" } else { "./book" };
            let files = ["--html", "book.html", "--", program, &name];
            let ran = warprace(&folder, &[&options[..], &files].concat());
            let told = String::from_utf8_lossy(&ran.stderr);
            let json = std::fs::read_to_string(folder.join("book.json")).expect("a report");
            let document: report::Document = serde_json::from_str(&json).expect("JSON");
            assert_eq!(document.verdict.name(), verdict, "{name}: {told}");
            assert!(document.races.iter().all(|race| race.class == class), "{name}: {told}");
            // The steps of both sides were recorded, whatever their actors.
            let sides = |race: &report::model::Described| {
                let steps = race.interleaving.iter().flat_map(|story| &story.steps);
                steps.filter_map(|step| step.side).collect::<BTreeSet<u8>>().len()
            };
            // Registers are no memory: a recorded run has their races, but not each access.
            let without_steps = samples || matches!(class, Class::WgmmaRegisters | Class::TensorMemory);
            assert!(
                without_steps || document.races.iter().all(|race| sides(race) == 2),
                "{name}: {document:#?}"
            );
        }
    }
}
