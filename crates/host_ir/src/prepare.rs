//! Changes a module's text before clang optimises it.
//!
//! Stubs of kernels become external functions: their calls keep the arguments, and the functions around them
//! may be inlined. Some CUDA functions are declared to write only through their arguments, so that the values
//! of variables remain known after the calls. Some functions of the C++ library get shorter bodies ([`library`]).

mod library;

pub(crate) use library::{Sorted, sorted};

use super::ir::parts;
use library::Instead;
use std::borrow::Cow;

/// These functions write to the memory that they are given, retain no address of it, and change nothing else
/// that the host reads.
const WRITE_ONLY_THERE: [&str; 22] = [
    "cudaMalloc",
    "cudaMallocManaged",
    "cudaMallocHost",
    "cudaHostAlloc",
    "cudaMallocPitch",
    "cudaMallocAsync",
    "cudaMalloc3D",
    "cudaMallocArray",
    "cudaEventCreate",
    "cudaEventCreateWithFlags",
    "cudaEventElapsedTime",
    "cudaStreamCreate",
    "cudaStreamCreateWithFlags",
    "cudaStreamCreateWithPriority",
    "cudaGetDevice",
    "cudaGetDeviceCount",
    "cudaGetDeviceProperties",
    "cudaGetDeviceProperties_v2",
    "cudaDeviceGetAttribute",
    "cudaMemGetInfo",
    "cudaSetDevice",
    "__cudaPushCallConfiguration",
];

/// Returns the text to optimise, for a module that clang has not optimised.
pub fn prepared(ir: &str) -> String {
    let mut out = String::with_capacity(ir.len());
    let mut lines = ir.lines();
    let mut is_changed = false;
    while let Some(line) = lines.next() {
        let instead = if line.starts_with("define ") { library::instead(line) } else { None };
        is_changed |= instead.is_some();
        match instead {
            Some(Instead::Whole(text)) => {
                out.push_str(&text);
                out.push('\n');
                lines.by_ref().take_while(|l| *l != "}").for_each(drop);
                continue;
            }
            Some(Instead::InFront { text, line }) => {
                out.push_str(&format!("{text}\n{line}\n"));
                continue;
            }
            None => {}
        }
        let stub = line.starts_with("define ") && line.contains("__device_stub__");
        let declared = if stub { declaration(line) } else { known(line) };
        match declared {
            Some(text) => {
                out.push_str(&text);
                if stub {
                    lines.by_ref().take_while(|l| *l != "}").for_each(drop);
                }
            }
            None => out.push_str(line),
        }
        out.push('\n');
    }
    if is_changed {
        out.push_str(&library::missing(&out));
    }
    out
}

/// Removes the quotation marks around symbols. Clang quotes symbols with a dollar sign, for example those in
/// lambdas. Other characters that plain symbols cannot contain become numbers. Quoted texts stay unchanged.
pub(super) fn unquoted(ir: &str) -> Cow<'_, str> {
    if !ir.contains("@\"") {
        return Cow::Borrowed(ir);
    }
    let mut out = String::with_capacity(ir.len());
    for line in ir.split_inclusive('\n') {
        let mut rest = line;
        while let Some((before, quoted)) = rest.split_once('"') {
            let Some((text, after)) = quoted.split_once('"') else { break };
            out.push_str(before);
            if before.ends_with('@') {
                for c in text.chars() {
                    match c.is_ascii_alphanumeric() || "_.$".contains(c) {
                        true => out.push(c),
                        false => out.push_str(&format!(".{:x}.", u32::from(c))),
                    }
                }
            } else {
                out.push('"');
                out.push_str(text);
                out.push('"');
            }
            rest = after;
        }
        out.push_str(rest);
    }
    Cow::Owned(out)
}

/// Turns a definition like `define internal void @stub(ptr noundef %0, i32 noundef %1) #5 {` into a
/// declaration.
fn declaration(line: &str) -> Option<String> {
    let (before, rest) = line.split_once('@')?;
    let (name, rest) = rest.split_once('(')?;
    let returns = before.trim_end().rsplit(' ').next()?;
    let arguments = &rest[..matching(rest)?];
    let unnamed: Vec<&str> = parts(arguments)
        .into_iter()
        .map(|a| match a.rsplit_once(' ') {
            Some((ty, name)) if name.starts_with('%') && !name.ends_with(')') => ty,
            _ => a,
        })
        .collect();
    Some(format!("declare {returns} @{name}({})", unnamed.join(", ")))
}

/// Returns a known function's declaration with the attributes of its arguments.
fn known(line: &str) -> Option<String> {
    let rest = line.strip_prefix("declare ")?;
    let (before, rest) = rest.split_once('@')?;
    let (name, rest) = rest.split_once('(')?;
    if !WRITE_ONLY_THERE.contains(&name) {
        return None;
    }
    let arguments = &rest[..matching(rest)?];
    let arguments = arguments.replace("ptr noundef", "ptr nocapture noundef");
    let effects = "nounwind memory(argmem: readwrite, inaccessiblemem: readwrite)";
    Some(format!("declare {before}@{name}({arguments}) {effects}"))
}

/// Returns the position of the closing parenthesis that matches one before the text.
fn matching(text: &str) -> Option<usize> {
    let mut depth = 1;
    text.char_indices().find_map(|(i, c)| {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        (depth == 0).then_some(i)
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn stubs_lose_their_bodies_and_allocations_are_told() {
        let ir = "\
define internal void @_ZL18__device_stub__rowPiN1SE(ptr noundef %0, ptr noundef byval(%struct.S) align 8 %1) #5 {
  ret void
}
declare i32 @cudaMalloc(ptr noundef, i64 noundef) #1
declare i32 @other(ptr noundef) #1
";
        let expected = "\
declare void @_ZL18__device_stub__rowPiN1SE(ptr noundef, ptr noundef byval(%struct.S) align 8)
declare i32 @cudaMalloc(ptr nocapture noundef, i64 noundef) nounwind memory(argmem: readwrite, inaccessiblemem: readwrite)
declare i32 @other(ptr noundef) #1
";
        assert_eq!(super::prepared(ir), expected);
    }

    #[test]
    fn symbols_lose_their_quotation_marks_and_texts_keep_them() {
        let ir = "@0 = constant [4 x i8] c\"a@\\00\"\n  call void @\"f$_0<a>\"(ptr @\"g\", ptr @h) ; \"\n@1 = c\"@\", align 1";
        let expected = "@0 = constant [4 x i8] c\"a@\\00\"\n  call void @f$_0.3c.a.3e.(ptr @g, ptr @h) ; \"\n@1 = c\"@\", align 1";
        assert_eq!(super::unquoted(ir), expected);
        assert!(matches!(super::unquoted("@a = c\"b\""), std::borrow::Cow::Borrowed(_)));
    }

    #[test]
    fn sorts_are_known_by_their_names() {
        let of = |letter: &str, what: &str| {
            super::sorted(&format!(
                "_ZSt6__sortIN9__gnu_cxx17__normal_iteratorIP{letter}St6vectorI{letter}SaI{letter}EEEENS0_5__ops15_Iter_{what}_iterEEvT_S9_T0_"
            ))
        };
        let sorted = |bytes, is_signed| Some(super::Sorted { bytes, is_signed, descends: false });
        assert_eq!(of("i", "less"), sorted(4, true));
        assert_eq!(of("m", "less"), sorted(8, false));
        assert_eq!(
            super::sorted("_ZSt6__sortIPlN9__gnu_cxx5__ops15_Iter_less_iterEEvT_S4_T0_"),
            sorted(8, true)
        );
        for other in [of("f", "less"), of("i", "comp"), of("s", "less"), super::sorted("_ZSt4sortIPiEvT_S1_")]
        {
            assert_eq!(other, None);
        }
    }

    /// Comparisons of the elements' own type are understood, and no others.
    #[test]
    fn sorts_by_other_comparisons_are_known_by_their_names() {
        let of = |letter: &str, by: &str| {
            super::sorted(&format!(
                "_ZSt6__sortIN9__gnu_cxx17__normal_iteratorIP{letter}St6vectorI{letter}SaI{letter}EEEENS0_5__ops15_Iter_comp_iterISt{by}EEEEvT_SC_T0_"
            ))
        };
        let sorted = |bytes, is_signed, descends| Some(super::Sorted { bytes, is_signed, descends });
        assert_eq!(of("i", "7greaterIi"), sorted(4, true, true));
        assert_eq!(of("j", "7greaterIv"), sorted(4, false, true));
        assert_eq!(of("l", "4lessIl"), sorted(8, true, false));
        assert_eq!(
            super::sorted("_ZSt6__sortIPiN9__gnu_cxx5__ops15_Iter_comp_iterISt7greaterIiEEEEvT_S7_T0_"),
            sorted(4, true, true)
        );
        for (letter, by) in [("i", "7greaterIj"), ("i", "4lessIf"), ("f", "7greaterIf"), ("i", "8equal_toIi")]
        {
            assert_eq!(of(letter, by), None);
        }
    }

    /// A vector that is full grows by a body of its own; insertions elsewhere keep the library's.
    #[test]
    fn growth_of_vectors_is_written_anew() {
        let name =
            "_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_EEDpOT_";
        let ir = format!(
            "define linkonce_odr dso_local void @{name}(ptr %0, ptr %1, ptr %2) #0 comdat align 2 {{\n  ret void\n}}\ndeclare void @_ZdlPvm(ptr, i64)\n"
        );
        let out = super::prepared(&ir);
        assert!(out.contains(&format!(
            "define internal void @{name}.inserted(ptr %0, ptr %1, ptr %2) #0 align 2 {{"
        )));
        assert!(out.contains(&format!("define linkonce_odr void @{name}(ptr %0, ptr %1, ptr %2) comdat {{")));
        assert_eq!(out.matches("declare void @_ZdlPvm").count(), 1);
        assert_eq!(out.matches("declare noalias nonnull ptr @_Znwm").count(), 1);
        // Elements with constructors keep it.
        let other = ir.replace("vectorIi", "vectorI1S");
        assert_eq!(super::prepared(&other), other);
    }
}
