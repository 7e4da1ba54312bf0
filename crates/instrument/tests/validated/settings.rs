//! The settings with which ptxas of CUDA 13.0 has made wrong code of texts with checks.

use super::program::{COPIES, PROGRAM, with};
use crate::toolkit::ptxas;
use std::process::Command;

/// The settings: optimisation of a lower level, with and without kernels side by side. Kernels of CUB's radix sort
/// accessed addresses that do not exist with both; `gpu` uses neither of them.
const SETTINGS: [&[&str]; 2] = [&["--Ofast-compile=mid"], &["--split-compile=0", "--Ofast-compile=mid"]];

/// What is assembled with these settings is valid, so what they make wrong is not made wrong here.
#[test]
fn texts_for_the_settings_that_ptxas_has_miscompiled_with_are_valid() {
    let Some(ptxas) = ptxas() else { return };
    let folder = std::env::temp_dir().join(format!("settings-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for original in [PROGRAM, COPIES] {
        for pass in ["guard:true:true:true", "guard,collide:balanced:true", "collide:balanced:true"] {
            let made = with(original, pass);
            made.validate().unwrap_or_else(|fault| panic!("{pass}: {fault}"));
            let (from, to) = (folder.join("made.ptx"), folder.join("made.cubin"));
            std::fs::write(&from, &made.text).unwrap();
            for settings in SETTINGS {
                let mut command = Command::new(&ptxas);
                command.args(["-arch", "sm_90", "-o"]).arg(&to).arg(&from).args(settings);
                let done = command.output().unwrap();
                assert!(done.status.success(), "{pass}: {}", String::from_utf8_lossy(&done.stderr));
            }
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
