//! What `run` writes for other tools, read by such tools. Needs nvcc: `cargo xtask test` provides it.

mod toolkit;

use std::path::Path;
use std::process::Command;
use toolkit::toolkit;

#[test]
fn a_run_is_written_for_code_scanning_test_reports_and_workflow_logs() {
    let Some(toolkit) = toolkit() else { return };
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("formats");
    std::fs::create_dir_all(folder.join("examples")).unwrap();
    let source = "examples/last_block_sum.cu";
    std::fs::copy(workspace.join(source), folder.join(source)).unwrap();
    let compiled = Command::new(toolkit.join("bin/nvcc"))
        .args(["-lineinfo", "-gencode", "arch=compute_90,code=compute_90", source, "-o", "sum"])
        .current_dir(&folder)
        .output()
        .expect("nvcc can be started");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let ran = Command::new(env!("CARGO_BIN_EXE_warprace"))
        .args(["run", "--quiet", "--sarif", "sum.sarif", "--junit", "sum.xml", "--github", "--", "./sum"])
        .current_dir(&folder)
        .output()
        .expect("warprace can be started");
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

    // Python's own reader of XML stands for those of CI systems.
    let read = "import sys, xml.etree.ElementTree as t\n\
                s = t.parse(sys.argv[1]).getroot()[0]\n\
                print(s.get('tests'), s.get('failures'), s[0].get('name').split('(')[0], s[0][0].get('type'))";
    let parsed = Command::new("python3")
        .args(["-c", read, "sum.xml"])
        .current_dir(&folder)
        .output()
        .expect("python3 can be started");
    assert_eq!(String::from_utf8_lossy(&parsed.stdout).trim(), "2 1 sum race");
}
