//! `cargo xtask consumers`: what warprace writes, read by those that it is written for: ctest and its memory checker, the
//! steps of GitHub's action and GitLab's job, VS Code's problem matcher, the schemas of all these files and of SARIF, the
//! client of the Model Context Protocol, DuckDB, and mdBook. Before, `docs/start.md` is followed to the letter.
//!
//! Needs Python with pip, CMake and mdBook (which pip has, too), and npm for the schema of SARIF (which comes in a package of
//! Microsoft's). Without npm that part is left out, and that is said.

mod campaign;
mod walk;

use crate::cuda;
use crate::shell::{self, Outcome, root, target};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Classes whose pages' first programs are the project's, beside the two examples.
const CLASSES: [&str; 3] = ["missing-barrier", "inter-kernel", "same-instruction"];
/// The package that has the schema, and where.
const SCHEMA: (&str, &str) =
    ("@microsoft/jest-sarif@1.0.0-beta.0", "package/lib/schemas/sarif-2.1.0-rtm.5.json");

const VALIDATE: &str = "\
import json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
validator = jsonschema.validators.validator_for(schema)(schema)
wrong = [f'{name}: {list(e.path)}: {e.message}' for name in sys.argv[2:] for e in validator.iter_errors(json.load(open(name)))]
sys.exit('\\n'.join(wrong[:20]) or None)
";

struct Project {
    folder: PathBuf,
    warprace: PathBuf,
    nvcc: PathBuf,
    /// The folder of the validators.
    tools: PathBuf,
}

/// The files that other tools read, with the tools' schemas.
const SCHEMAS: [(&str, &str); 3] = [
    ("vendor.github-actions", "integrations/github/action.yml"),
    ("vendor.gitlab-ci", "integrations/gitlab/warprace.gitlab-ci.yml"),
    ("vendor.github-workflows", "target/consumers/start/.github/workflows/races.yml"),
];

pub(crate) fn run() -> Outcome {
    let toolkit = cuda::ensure()?;
    let warprace = shell::build_release()?;
    let folder = target().join("consumers");
    let _ = std::fs::remove_dir_all(&folder);
    shell::make_dir(&folder)?;
    let nvcc = toolkit.root.join("bin/nvcc");
    let warprace = warprace.canonicalize().map_err(|e| format!("{}: {e}", warprace.display()))?;
    let tools = tools(&folder)?;
    walk::walk(&folder.join("start"), &warprace, &nvcc, &tools)?;
    let project = Project { folder, warprace, nvcc, tools };
    project.write()?;
    project.check()?;
    project.ctest()?;
    project.integrations()?;
    project.sarif()?;
    project.mcp()?;
    project.campaign()?;
    crate::book::run()
}

/// An environment of Python's with the validators, in front of PATH; and with CMake, where there is none.
fn tools(folder: &Path) -> Outcome<PathBuf> {
    shell::step("installing validators");
    shell::run(Command::new("python3").args(["-m", "venv", "env"]).current_dir(folder))?;
    let bin = folder.join("env/bin");
    let mut pip = Command::new(bin.join("python"));
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "check-jsonschema",
        "pyyaml",
        "mcp",
        "duckdb",
    ]);
    if !shell::has("cmake") {
        pip.arg("cmake");
    }
    shell::run(&mut pip)?;
    Ok(bin)
}

impl Project {
    fn put(&self, name: &str, text: &str) -> Outcome {
        std::fs::write(self.folder.join(name), text).map_err(|e| format!("cannot write {name}: {e}"))
    }

    fn write(&self) -> Outcome {
        let read =
            |path: &str| std::fs::read_to_string(root().join(path)).map_err(|e| format!("{path}: {e}"));
        self.put("sum.cu", &read("examples/last_block_sum.cu")?)?;
        self.put("fixed.cu", &read("examples/last_block_sum_fixed.cu")?)?;
        for class in CLASSES {
            let page = read(&format!("docs/classes/{class}.md"))?;
            let program = page.split("```cuda\n").nth(1).and_then(|rest| rest.split("```").next());
            let program = program.ok_or_else(|| format!("the page of {class} has no program"))?;
            self.put(&format!("{class}.cu"), &format!("{program}\nint main() {{ run(); }}\n"))?;
        }
        let names = ["sum", "fixed"].into_iter().chain(CLASSES);
        let list: Vec<&str> = names.clone().collect();
        let modules = root().join("integrations/cmake");
        self.put(
            "CMakeLists.txt",
            &format!(
                "cmake_minimum_required(VERSION 3.20)\nproject(five LANGUAGES CXX CUDA)\ninclude(CTest)\nlist(APPEND \
                 CMAKE_MODULE_PATH {})\ninclude(Warprace)\nforeach(program {})\n    add_executable(${{program}} \
                 ${{program}}.cu)\n    target_compile_options(${{program}} PRIVATE \
                 $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo>)\n    warprace_add_test(TARGET ${{program}})\n    add_test(NAME \
                 ${{program}} COMMAND ${{program}})\nendforeach()\n",
                modules.display(),
                list.join(" ")
            ),
        )?;
        let checker = root().join("integrations/ctest/warprace-memcheck");
        let mut text = format!(
            "build = \"cmake -B build -DCMAKE_CUDA_ARCHITECTURES=90-virtual -DMEMORYCHECK_TYPE=CudaSanitizer \
             -DMEMORYCHECK_COMMAND={} > build.log 2>&1 && cmake --build build >> build.log 2>&1\"\n",
            checker.display()
        );
        for name in names {
            text += &format!("\n[[program]]\nname = \"{name}\"\ncommand = [\"build/{name}\"]\n");
        }
        self.put("warprace.toml", &text)
    }

    /// A command in the project, with warprace in PATH.
    fn call(&self, program: &Path, args: &[&str]) -> Outcome<Output> {
        let bin = self.warprace.parent().unwrap_or(Path::new("."));
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{}:{path}", bin.display(), self.tools.display());
        let mut command = Command::new(program);
        command.args(args).env("PATH", path).env("CUDACXX", &self.nvcc).current_dir(&self.folder);
        let shown: Vec<&str> = args.iter().map(|arg| arg.lines().next().unwrap_or_default()).collect();
        shell::step(&format!(
            "{} {}",
            program.file_name().unwrap_or_default().to_string_lossy(),
            shown.join(" ")
        ));
        command.output().map_err(|e| format!("cannot run {}: {e}", program.display()))
    }

    fn warprace(&self, args: &[&str], code: i32, told: &[&str]) -> Outcome {
        let done = self.call(&self.warprace, args)?;
        let text = String::from_utf8_lossy(&done.stderr);
        match done.status.code() == Some(code) && told.iter().all(|words| text.contains(words)) {
            true => Ok(()),
            false => {
                Err(format!("`warprace {}` ended with {}, not {code}:\n{text}", args.join(" "), done.status))
            }
        }
    }

    /// From a failure with annotations, to a baseline, to a project that is clean but for what it says.
    fn check(&self) -> Outcome {
        let all = [
            "check",
            "--json",
            "base.json",
            "--sarif",
            "found.sarif",
            "--junit",
            "found.xml",
            "--html",
            "found.html",
        ];
        let told = ["::error file=sum.cu,line=39,", "warprace: 5 programs, 4 races, 0 findings suppressed"];
        self.warprace(&[&all[..], &["--github"]].concat(), 66, &told)?;
        let known = ["check", "--no-build", "--baseline", "base.json", "--sarif", "known.sarif"];
        self.warprace(&known, 0, &["0 races, 4 findings suppressed"])?;
        let generated = ["check", "--no-build", "--gen-suppressions", "all.toml"];
        self.warprace(&generated, 66, &[])?;
        let accepted = ["check", "--no-build", "--suppressions", "all.toml", "--sarif", "accepted.sarif"];
        self.warprace(&accepted, 0, &["0 races, 4 findings suppressed"])?;
        let kernels = root().join("tests/prove/patterns.ptx").display().to_string();
        let proved =
            ["prove", "--any-launch", "--kernel-name", "kns=transpose", "--sarif", "proved.sarif", &kernels];
        self.warprace(&proved, 66, &[])
    }

    fn ctest(&self) -> Outcome {
        let (ctest, build) = (Path::new("ctest"), ["--test-dir", "build"]);
        let tests = self.call(ctest, &[&build[..], &["-L", "warprace"]].concat())?;
        let told = String::from_utf8_lossy(&tests.stdout);
        if !told.contains("4 tests failed out of 5") {
            return Err(format!("ctest should tell of four tests that fail:\n{told}"));
        }
        let checked = self.call(ctest, &[&build[..], &["-T", "memcheck", "-LE", "warprace"]].concat())?;
        let told = String::from_utf8_lossy(&checked.stdout);
        match told.matches("Defects: 1").count() == 4 && told.contains("Race reported: [missing-fence]") {
            true => Ok(()),
            false => Err(format!("ctest's memory checker should tell of four defects:\n{told}")),
        }
    }

    /// The action, the job and the problem matcher, and the schemas of their files.
    fn integrations(&self) -> Outcome {
        for (schema, file) in SCHEMAS {
            let file = file
                .strip_prefix("target/consumers/")
                .map_or(root().join(file), |rest| self.folder.join(rest));
            let file = file.display().to_string();
            let python = self.tools.join("python");
            done(self.call(&python, &["-m", "check_jsonschema", "--builtin-schema", schema, &file])?)?;
        }
        let script = root().join("xtask/src/consumers/integrations.py").display().to_string();
        let here = self.folder.display().to_string();
        let repository = root().display().to_string();
        let args = [&script, &repository, &here, "66", "base.json"];
        println!("{}", done(self.call(&self.tools.join("python"), &args)?)?);
        Ok(())
    }

    /// The tools of `warprace mcp`, called by the protocol's own client.
    fn mcp(&self) -> Outcome {
        let script = root().join("xtask/src/consumers/mcp_client.py").display().to_string();
        let kernels = root().join("tests/prove/patterns.ptx").display().to_string();
        let program = self.folder.join("build/sum").display().to_string();
        let warprace = self.warprace.display().to_string();
        let python = self.tools.join("python");
        println!("{}", done(self.call(&python, &[&script, &warprace, &program, &kernels])?)?);
        Ok(())
    }

    fn sarif(&self) -> Outcome {
        if !shell::has("npm") {
            println!("there is no npm, which has the schema of SARIF: it is not checked");
            return Ok(());
        }
        let archive = done(self.call(Path::new("npm"), &["pack", "--silent", SCHEMA.0])?)?;
        done(self.call(Path::new("tar"), &["-xzf", &archive])?)?;
        let logs = ["found.sarif", "known.sarif", "accepted.sarif", "proved.sarif"];
        let python = self.tools.join("python");
        done(self.call(&python, &[&["-c", VALIDATE, SCHEMA.1], &logs[..]].concat())?)?;
        println!("{} are valid SARIF 2.1.0", logs.join(", "));
        Ok(())
    }
}

/// Returns a command's output, if it succeeded.
fn done(output: Output) -> Outcome<String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    match output.status.success() {
        true => Ok(text(&output.stdout)),
        false => Err(format!("{}\n{}", text(&output.stdout), text(&output.stderr))),
    }
}
