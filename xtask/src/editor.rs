//! `cargo xtask editor`: the extension for VS Code as a package, and `editor test`: that package in a real editor.
//!
//! The editor is VS Code's own server, as the npm package code-server contains it, with headless Chromium as its window. The
//! suite (`integrations/vscode/test/suite.js`) runs in the editor's extension host, against a program that nvcc has just made.
//!
//! Needs npm, Node 20 with its headers, unzip and Chromium. The editor is installed under `target/editor` once (300 MB).

use crate::browser;
use crate::cuda;
use crate::shell::{self, Outcome, root, target};
use serde_json::{Value, json};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const VSCE: &str = "@vscode/vsce@4.1.0";
/// VS Code 1.99.
const HOST: &str = "code-server@4.99.4";
/// Parts of the host that are compiled, and what shows that they are.
const COMPILED: [(&str, &str); 3] = [
    ("node-pty", "build/Release/pty.node"),
    ("@vscode/spdlog", "build/Release/spdlog.node"),
    ("native-watchdog", "build/Release/watchdog.node"),
];
/// The longest time that the suite may take.
const MOST: Duration = Duration::from_secs(300);

pub(crate) fn run(args: &[&str]) -> Outcome {
    let package = package()?;
    println!("{}", package.display());
    match args.first().copied() {
        None => Ok(()),
        Some("test") => test(&package),
        Some(other) => Err(format!("`editor {other}`: only `editor` and `editor test`")),
    }
}

fn npm(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new("npm");
    command.args(args).args(["--no-audit", "--no-fund"]).current_dir(folder);
    // Where a distribution keeps Node's headers: npm would download them.
    if Path::new("/usr/include/node/node.h").is_file() {
        command.env("npm_config_nodedir", "/usr");
    }
    command
}

/// Makes the package under `target/packages`.
fn package() -> Outcome<PathBuf> {
    let (tools, packages) = (target().join("editor/tools"), target().join("packages"));
    shell::make_dir(&tools)?;
    shell::make_dir(&packages)?;
    if !tools.join("node_modules/.bin/vsce").exists() {
        shell::step("installing vsce under target/editor");
        shell::run(npm(&tools, &["install", "--quiet", "--ignore-scripts", "--prefix", "."]).arg(VSCE))?;
    }
    // The licences are the project's.
    let sources = target().join("editor/sources");
    let _ = std::fs::remove_dir_all(&sources);
    shell::run(Command::new("cp").arg("-r").arg(root().join("integrations/vscode")).arg(&sources))?;
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        shell::run(Command::new("cp").arg(root().join(licence)).arg(&sources))?;
    }
    let file = packages.join(format!("warprace-{}.vsix", env!("CARGO_PKG_VERSION")));
    let mut vsce = Command::new(tools.join("node_modules/.bin/vsce"));
    vsce.args(["package", "--no-dependencies", "--allow-missing-repository", "--skip-license", "--out"]);
    shell::run(
        vsce.arg(&file).arg(env!("CARGO_PKG_VERSION")).args(["--no-git-tag-version"]).current_dir(&sources),
    )?;
    Ok(file)
}

/// Installs the editor, if it is not there, and returns its folder.
fn host() -> Outcome<PathBuf> {
    let folder = target().join("editor/host");
    let editor = folder.join("node_modules/code-server/lib/vscode");
    let stamp = folder.join("installed.txt");
    if std::fs::read_to_string(&stamp).is_ok_and(|have| have == HOST) {
        return Ok(editor);
    }
    shell::step("installing VS Code's server under target/editor (about 300 MB)");
    shell::make_dir(&folder)?;
    // Scripts of packages download what tests do not need.
    shell::run(npm(&folder, &["install", "--quiet", "--ignore-scripts", "--prefix", "."]).arg(HOST))?;
    let install = ["install", "--quiet", "--omit=dev", "--ignore-scripts", "--legacy-peer-deps"];
    shell::run(&mut npm(&editor, &install))?;
    for (module, made) in COMPILED {
        let rebuilt = npm(&editor, &["rebuild", module]).output().map_err(|e| e.to_string())?;
        // The script of one does more than that, and fails at it.
        if !editor.join("node_modules").join(module).join(made).is_file() {
            return Err(format!("{module} was not built: {}", String::from_utf8_lossy(&rebuilt.stderr)));
        }
    }
    std::fs::write(&stamp, HOST).map_err(|e| e.to_string())?;
    Ok(editor)
}

/// A process that ends with its owner.
pub(crate) struct Ends(Child);

impl Drop for Ends {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn test(package: &Path) -> Outcome {
    let (browser, toolkit, warprace) = (browser::browser()?, cuda::ensure()?, shell::build_release()?);
    let editor = host()?;
    let folder = target().join("editor/test");
    let _ = std::fs::remove_dir_all(&folder);
    let (workspace, unpacked) = (folder.join("workspace"), folder.join("unpacked"));
    let extension = unpacked.join("extension");
    shell::make_dir(&workspace.join(".vscode"))?;
    shell::run(Command::new("unzip").arg("-q").arg(package).arg("-d").arg(&unpacked))?;
    shell::run(Command::new("cp").arg("-r").arg(root().join("integrations/vscode/test")).arg(&extension))?;

    let put = |name: &str, value: Value| {
        std::fs::write(workspace.join(name), value.to_string()).map_err(|e| format!("{name}: {e}"))
    };
    shell::run(Command::new("cp").arg(extension.join("test/reverse.cu")).arg(&workspace))?;
    let nvcc = &mut toolkit.nvcc();
    shell::run(nvcc.args(["-lineinfo", "reverse.cu", "-o", "reverse"]).current_dir(&workspace))?;
    let warprace = warprace.canonicalize().map_err(|e| e.to_string())?;
    put(".vscode/settings.json", json!({ "warprace.path": warprace, "warprace.report": "followed.json" }))?;
    let task = json!({ "type": "warprace", "label": "reverse under warprace", "command": ["./reverse"] });
    put(".vscode/tasks.json", json!({ "version": "2.0.0", "tasks": [task] }))?;
    let mut saved = Command::new(&warprace);
    saved.args(["run", "--quiet", "--json", "saved.json", "--", "./reverse"]).current_dir(&workspace);
    saved.output().map_err(|e| e.to_string())?;

    let result = folder.join("result.json");
    shell::step("the extension in the editor");
    let port = free_port()?;
    let mut server = Command::new("node");
    server.arg(editor.join("out/server-main.js")).args(["--host", "127.0.0.1", "--port", &port.to_string()]);
    server.args(["--without-connection-token", "--accept-server-license-terms", "--disable-telemetry"]);
    server.args(["--disable-workspace-trust", "--server-data-dir"]).arg(folder.join("data"));
    let _server = started(server.env("WARPRACE_EDITOR_RESULT", &result), &folder.join("server.log"))?;
    let begun = Instant::now();
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        wait(begun, "the editor's server does not answer")?;
    }
    let mut window = Command::new(browser);
    window.args(["--headless", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000"]);
    window.args(["--remote-debugging-port=0", "--enable-logging=stderr"]);
    window.arg(format!("--user-data-dir={}", folder.join("profile").display()));
    window.arg(address(port, &workspace, &extension));
    let _window = started(&mut window, &folder.join("window.log"))?;
    while !result.is_file() {
        wait(begun, "the suite gives no answer")?;
    }
    judge(&shell::read(&result)?)
}

fn wait(begun: Instant, what: &str) -> Outcome {
    std::thread::sleep(Duration::from_millis(200));
    if begun.elapsed() < MOST { Ok(()) } else { Err(format!("{what}: see the logs in target/editor/test")) }
}

pub(crate) fn started(command: &mut Command, log: &Path) -> Outcome<Ends> {
    let file = std::fs::File::create(log).map_err(|e| format!("{}: {e}", log.display()))?;
    let other = file.try_clone().map_err(|e| e.to_string())?;
    command.stdin(Stdio::null()).stdout(file).stderr(other);
    command.spawn().map(Ends).map_err(|e| format!("cannot start {}: {e}", shell::display(command)))
}

pub(crate) fn free_port() -> Outcome<u16> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(|e| e.to_string())?;
    Ok(listener.local_addr().map_err(|e| e.to_string())?.port())
}

/// The editor's address with a folder, an extension under development and the suite that is to run.
fn address(port: u16, workspace: &Path, extension: &Path) -> String {
    let remote = |path: &Path| format!("vscode-remote://127.0.0.1:{port}{}", path.display());
    let payload = json!([
        ["extensionDevelopmentPath", remote(extension)],
        ["extensionTestsPath", remote(&extension.join("test/suite.js"))]
    ]);
    let escaped = |text: &str| -> String {
        text.bytes()
            .map(|b| match b {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' => {
                    char::from(b).to_string()
                }
                b => format!("%{b:02X}"),
            })
            .collect()
    };
    let folder = escaped(&workspace.display().to_string());
    format!("http://127.0.0.1:{port}/?folder={folder}&payload={}", escaped(&payload.to_string()))
}

/// Prints what the suite answered, and fails if a step failed.
fn judge(text: &str) -> Outcome {
    let answer: Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
    println!("VS Code {} ({})", answer["version"], answer["host"]);
    let steps = answer["results"].as_array().map_or(&[][..], Vec::as_slice);
    for step in steps {
        let failed = step["error"].as_str();
        let name = step["name"].as_str().unwrap_or_default();
        println!("{} {name} ({} ms)", if failed.is_some() { "FAILED" } else { "ok    " }, step["ms"]);
        if let Some(error) = failed {
            println!("       {error}");
        }
    }
    let failed = steps.iter().filter(|step| !step["error"].is_null()).count();
    match (steps.len(), failed) {
        (0, _) => Err("the suite ran no step".into()),
        (_, 0) => Ok(()),
        (all, failed) => Err(format!("{failed} of {all} steps failed")),
    }
}
