//! `cargo xtask browser-test`: the HTML report in a real browser, headless Chromium.
//!
//! A script that uses the page as a person does (`browser/drive.js`) is put at its end; what it saw comes back in the
//! page itself. `cargo xtask browser-test shots` also leaves screenshots under `target/browser`, for people to look at.

mod many;

use crate::cuda;
use crate::shell::{self, Outcome, root, target};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

const HOSTILE: usize = 200;
/// From when it is asked for until it can be used. Ten thousand findings take a second on a machine with nothing else to do; what
/// this is to find is work that grows with the square of them.
const MOST_MILLISECONDS: u64 = 10_000;

/// Until a key is answered, as above.
const MOST_BUSY: u64 = 2000;

const BUSY: &str = include_str!("browser/busy.js");
const DRIVE: &str = include_str!("browser/drive.js");

pub(crate) fn run(args: &[&str]) -> Outcome {
    let shots = match args {
        [] => false,
        ["shots"] => true,
        _ => return Err("usage: cargo xtask browser-test [shots]".to_owned()),
    };
    let browser = browser()?;
    let toolkit = cuda::ensure()?;
    let warprace = shell::build_release()?;
    let folder = target().join("browser");
    shell::make_dir(&folder)?;
    let report = |name: &str, source: &Path| -> Outcome<String> {
        let program = folder.join(name);
        // Device code as PTX alone, which is all that is looked at.
        let ptx = ["-gencode", "arch=compute_90,code=compute_90", "-lineinfo"];
        shell::run(toolkit.nvcc().args(ptx).arg(source).arg("-o").arg(&program).current_dir(root()))?;
        let page = folder.join("report.html");
        let mut run = Command::new(&warprace);
        run.args(["run", "--quiet", "--print-limit", "1", "--html"]).arg(&page).arg("--").arg(&program);
        let status = run.current_dir(root()).output().map_err(|e| e.to_string())?.status;
        if status.code() != Some(66) {
            return Err(format!("warprace should have found races in {name}, not ended with {status}"));
        }
        std::fs::read_to_string(page).map_err(|e| e.to_string())
    };
    let one = report("last_block_sum", &root().join("examples/last_block_sum.cu"))?;
    let ring = report("ring", &root().join("tests/ui/pipeline/read-before-wait.race.cu"))?;
    shell::step("a program with ten thousand findings");
    let many = report("stages", &many::write(&folder)?)?;
    let hostile = hostile(&one)?;
    for (name, page) in [("one", &one), ("ring", &ring), ("many", &many), ("hostile", &hostile)] {
        let seen = drive(&browser, &folder.join(format!("{name}-driven.html")), page)?;
        println!("{name}: {seen}");
        let wrong: Vec<&Value> = seen["failed"].as_array().into_iter().flatten().collect();
        if name == "many" && seen["findings"].as_u64().unwrap_or(0) < many::FINDINGS as u64 {
            return Err(format!("the page `many` should have {} findings", many::FINDINGS));
        }
        if !wrong.is_empty() || seen["checks"].as_u64().unwrap_or(0) < 12 {
            return Err(format!("the page `{name}` does not do what it should: {wrong:?}"));
        }
        let plain = folder.join(format!("{name}.html"));
        std::fs::write(&plain, page).map_err(|e| e.to_string())?;
        let ready = told(&browser, &plain, "ready", MOST_MILLISECONDS)?;
        println!("{name}: ready after {ready} ms, {} bytes", page.len());
        if ready > MOST_MILLISECONDS {
            return Err(format!("the page `{name}` is not ready soon enough"));
        }
        let busy = busy(&browser, &folder.join(format!("{name}-busy.html")), page)?;
        println!("{name}: at most {busy} ms for a key, a letter in the search, a filter");
        if busy > MOST_BUSY {
            return Err(format!("the page `{name}` answers too late"));
        }
        if shots {
            screenshots(&browser, &folder, name, &plain, page)?;
        }
    }
    Ok(())
}

pub(crate) fn browser() -> Outcome<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let folders: Vec<PathBuf> =
        std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
    let all = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    all.into_iter()
        .find(|path| path.is_file())
        .ok_or_else(|| "there is no Chromium in PATH (Debian: `apt-get install chromium`)".to_owned())
}

/// The page with [`HOSTILE`] findings that have the same identities, and names that would be markup.
fn hostile(page: &str) -> Outcome<String> {
    let mark = "id=\"data\">";
    let start = page.find(mark).ok_or("the page has no data")? + mark.len();
    let end = start + page[start..].find("</script>").ok_or("the page's data do not end")?;
    let mut data: Value = serde_json::from_str(&page[start..end]).map_err(|e| e.to_string())?;
    let model = data["findings"][0].clone();
    let texts = data["texts"].as_array().map_or(0, Vec::len);
    // A name that would be markup, if it were ever taken for it.
    let title = model["title"].as_u64().ok_or("a finding has no title")? as usize;
    data["texts"][title] = json!("</script><img src=x onerror=\"wrong.push('markup')\"> `<b>`");
    for n in 0..200 {
        data["texts"].as_array_mut().ok_or("no texts")?.push(json!(format!("src/part{}/file{n}.cu", n % 7)));
    }
    let findings = (0..HOSTILE).map(|n| {
        let mut finding = model.clone();
        // Two of each identity, as two programs may have: each has an address all the same.
        finding["id"] = json!(format!("{:016x}", n % (HOSTILE / 2)));
        finding["class"] = json!(["missing-fence", "inter-block", "missing-barrier"][n % 3]);
        for side in 0..2 {
            finding["accesses"][side]["file"] = json!(texts + n % 200);
            finding["accesses"][side]["line"] = json!(n / 200 + 1 + side);
        }
        finding
    });
    data["findings"] = findings.collect();
    for class in ["inter-block", "missing-barrier"] {
        data["rules"][class] = data["rules"]["missing-fence"].clone();
    }
    let data = data.to_string().replace('<', "\\u003c");
    Ok(format!("{}{data}{}", &page[..start], &page[end..]))
}

/// Returns the identity of the page's first finding.
fn identity(page: &str) -> Outcome<&str> {
    let id = page.split_once("\"id\":\"").and_then(|(_, rest)| rest.split_once('"'));
    id.map(|(id, _)| id).ok_or_else(|| "the page's findings have no identities".to_owned())
}

/// Returns the driver's observations.
fn drive(browser: &Path, file: &Path, page: &str) -> Outcome<Value> {
    // Errors are to be seen from the first line of the page's script on.
    let watch = "<script>window.wrong = []; addEventListener('error', (e) => wrong.push(e.message)); \
                 addEventListener('securitypolicyviolation', (e) => wrong.push(e.violatedDirective));</script>";
    let page = page.replacen("<body", &format!("{watch}<body"), 1);
    let end = page.rfind("</body>").ok_or("the page has no end")?;
    let page = format!("{}<script>{DRIVE}</script>{}", &page[..end], &page[end..]);
    std::fs::write(file, page).map_err(|e| e.to_string())?;
    let out =
        chromium(browser, file, &["--window-size=1400,1000", "--virtual-time-budget=20000", "--dump-dom"])?;
    let start = out.rfind("<pre id=\"seen\">").ok_or("the driver did not come to its end")? + 15;
    let end = start + out[start..].find("</pre>").ok_or("the driver's result does not end")?;
    serde_json::from_str(&out[start..end].replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&"))
        .map_err(|e| format!("{e}: {}", &out[start..end]))
}

/// The most milliseconds for which the page does not answer, of all that `browser/busy.js` does. The clock
/// stands still where a driver waits for nothing but timers, so this is another run.
fn busy(browser: &Path, file: &Path, page: &str) -> Outcome<u64> {
    let end = page.rfind("</body>").ok_or("the page has no end")?;
    let page = format!("{}<script>{BUSY}</script>{}", &page[..end], &page[end..]);
    std::fs::write(file, page).map_err(|e| e.to_string())?;
    told(browser, file, "busy", MOST_BUSY)
}

/// Returns what the page says of itself, in milliseconds. If that is more than `most`, the least of three: others use the machine,
/// too.
fn told(browser: &Path, page: &Path, name: &str, most: u64) -> Outcome<u64> {
    let mark = format!("data-{name}=\"");
    let mut best = u64::MAX;
    for _ in 0..3 {
        let out = chromium(browser, page, &["--window-size=1400,1000", "--dump-dom"])?;
        let told = out.split_once(&mark).and_then(|(_, rest)| rest.split_once('"'));
        let time = told.and_then(|(time, _)| time.parse().ok()).ok_or("the page is never ready")?;
        best = best.min(time);
        if best <= most {
            break;
        }
    }
    Ok(best)
}

/// Leaves pictures of a page in light and dark, on a wide window and as on a phone.
fn screenshots(browser: &Path, folder: &Path, name: &str, plain: &Path, page: &str) -> Outcome {
    // Windows are not as narrow as phones: there the page is in a frame.
    let framed = |what: &str, to: &str, height: u32| -> Outcome<PathBuf> {
        let file = folder.join(format!("{name}-{what}.html"));
        let frame =
            format!("<body style='margin:0'><iframe style='border:0' width=390 height={height} src='{to}'>");
        std::fs::write(&file, frame).map_err(|e| e.to_string()).map(|()| file)
    };
    let first = format!("{name}.html#{}", identity(page)?);
    let wide = folder.join(format!("{name}-wide.html"));
    let frame =
        format!("<body style='margin:0'><iframe style='border:0' width=1400 height=2000 src='{first}'>");
    std::fs::write(&wide, frame).map_err(|e| e.to_string())?;
    let (phone, tall) = (framed("phone", &format!("{name}.html"), 1100)?, framed("tall", &first, 2600)?);
    for (shot, page, size, dark) in [
        ("light", plain, "1400,1000", false),
        ("dark", plain, "1400,1000", true),
        ("phone", &phone, "500,1100", false),
        ("phone-dark", &phone, "500,1100", true),
        ("finding-light", &wide, "1400,2000", false),
        ("finding-dark", &wide, "1400,2000", true),
        ("finding-phone", &tall, "500,2600", false),
        ("finding-phone-dark", &tall, "500,2600", true),
    ] {
        let image = folder.join(format!("{name}-{shot}.png"));
        screenshot(browser, page, &image, size, dark)?;
        println!("{}", image.display());
    }
    Ok(())
}

fn screenshot(browser: &Path, page: &Path, image: &Path, size: &str, dark: bool) -> Outcome {
    let _ = std::fs::remove_file(image);
    let shot = format!("--screenshot={}", image.display());
    let size = format!("--window-size={size}");
    // 0 is dark.
    let scheme = if dark {
        "--blink-settings=preferredColorScheme=0"
    } else {
        "--blink-settings=preferredColorScheme=1"
    };
    chromium(browser, page, &[&shot, &size, scheme, "--hide-scrollbars", "--virtual-time-budget=2000"])?;
    match image.exists() {
        true => Ok(()),
        false => Err(format!("the browser made no {}", image.display())),
    }
}

fn chromium(browser: &Path, page: &Path, args: &[&str]) -> Outcome<String> {
    let mut command = Command::new("timeout");
    command.arg("120").arg(browser).args(["--headless", "--no-sandbox", "--disable-gpu"]).args(args);
    command.arg(format!("file://{}", page.display()));
    let done = command.output().map_err(|e| format!("cannot run {}: {e}", browser.display()))?;
    match done.status.success() {
        true => Ok(String::from_utf8_lossy(&done.stdout).into_owned()),
        false => Err(format!("{} failed: {}", browser.display(), String::from_utf8_lossy(&done.stderr))),
    }
}
