//! Gives functions of the C++ library (libstdc++) shorter bodies with the same effect, for elements that are numbers.
//!
//! The library's bodies are general, and what clang makes of them is hard to read: ends of arrays that are one of several
//! addresses, and a sort of three loops. The shorter ones keep what a program can observe.
//!
//! * `std::vector(n)` and `resize` fill by a store and a `memset`, and their end is one address.
//! * `push_back` and `emplace_back` into a vector that is full allocate twice the bytes, copy, and free, without a branch.
//! * `std::sort` of integers with `<`, `std::less` or `std::greater` becomes an external function, which keeps its name
//!   ([`sorted`]).

use super::matching;

/// The name of a new definition's second part: insertions that are not at the end.
const INSERTED: &str = ".inserted";

/// Returns the bytes of a type that is mangled as one letter, and its name in IR.
fn number(letter: &str) -> Option<(u32, &'static str)> {
    Some(match letter {
        "i" | "j" => (4, "i32"),
        "l" | "m" | "x" | "y" => (8, "i64"),
        "f" => (4, "float"),
        "d" => (8, "double"),
        _ => return None,
    })
}

/// The elements that a sort compares, and their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sorted {
    pub(crate) bytes: u32,
    pub(crate) is_signed: bool,
    /// The greatest comes first.
    pub(crate) descends: bool,
}

/// Returns what a function sorts by `<`, `std::less` or `std::greater`, if its arguments are the begin and the end of an
/// array of integers.
pub(crate) fn sorted(name: &str) -> Option<Sorted> {
    let rest = name.strip_prefix("_ZSt6__sortI")?;
    let (letter, order, ends) = match rest.strip_prefix("N9__gnu_cxx17__normal_iteratorIP") {
        Some(rest) => {
            let letter = rest.get(..1)?;
            let iterator = format!("St6vectorI{letter}SaI{letter}EEEENS0_5__ops15_Iter_");
            (letter, rest[1..].strip_prefix(&iterator)?, ["S9", "SC"])
        }
        None => {
            let rest = rest.strip_prefix('P')?;
            let letter = rest.get(..1)?;
            (letter, rest[1..].strip_prefix("N9__gnu_cxx5__ops15_Iter_")?, ["S4", "S7"])
        }
    };
    // A comparison of another type than the elements' may have another order.
    let by = |class: &str| {
        let of = |ty: &str| format!("comp_iterISt{class}I{ty}EEEEvT_{}_T0_", ends[1]);
        order == of(letter) || order == of("v")
    };
    let descends = by("7greater");
    let ascends = order == format!("less_iterEEvT_{}_T0_", ends[0]) || by("4less");
    let (bytes, ty) = number(letter)?;
    let is_signed = matches!(letter, "i" | "l" | "x");
    (ty.starts_with('i') && (ascends || descends)).then_some(Sorted { bytes, is_signed, descends })
}

/// The replacement of a definition.
pub(super) enum Instead {
    /// A text takes the place of all of it.
    Whole(String),
    /// A text comes in front of it, and its first line becomes another one.
    InFront { text: String, line: String },
}

/// Returns what takes the place of the definition that begins with a line.
pub(super) fn instead(line: &str) -> Option<Instead> {
    let (before, rest) = line.strip_prefix("define ")?.split_once('@')?;
    let (name, rest) = rest.split_once('(')?;
    let after = &rest[matching(rest)?..];
    if !before.contains("linkonce_odr") {
        return None;
    }
    if sorted(name).is_some() {
        let effects = "nounwind willreturn memory(argmem: readwrite)";
        return Some(Instead::Whole(format!("declare void @{name}(ptr nocapture, ptr nocapture) {effects}")));
    }
    let comdat = if after.contains(" comdat") { " comdat" } else { "" };
    if let Some((bytes, ty)) = zeros(name) {
        return Some(Instead::Whole(fill(name, comdat, bytes, ty)));
    }
    let (bytes, ty) = growth(name)?;
    let text = append(name, comdat, bytes, ty);
    let own = line.replacen(&format!("@{name}("), &format!("@{name}{INSERTED}("), 1);
    let own = own.replacen("linkonce_odr ", "internal ", 1).replacen("dso_local ", "", 1);
    Some(Instead::InFront { text, line: own.replacen(" comdat", "", 1) })
}

/// Functions that the new bodies call, with their declarations.
const CALLED: [(&str, &str); 4] = [
    ("@_Znwm(", "declare noalias nonnull ptr @_Znwm(i64)"),
    ("@_ZdlPvm(", "declare void @_ZdlPvm(ptr, i64)"),
    ("@llvm.memcpy.p0.p0.i64(", "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"),
    ("@llvm.memset.p0.i64(", "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"),
];

/// Returns the declarations that a module lacks.
pub(super) fn missing(ir: &str) -> String {
    let declares = |name: &str| {
        let mut lines = ir.lines().filter(|line| line.starts_with("declare ") || line.starts_with("define "));
        lines.any(|line| line.contains(name))
    };
    CALLED.iter().filter(|(name, _)| !declares(name)).map(|(_, text)| format!("{text}\n")).collect()
}

/// Returns the elements of `std::__uninitialized_default_n_1<true>::__uninit_default_n`.
fn zeros(name: &str) -> Option<(u32, &'static str)> {
    let rest = name.strip_prefix("_ZNSt27__uninitialized_default_n_1ILb1EE18__uninit_default_nIP")?;
    number(rest.strip_suffix("mEET_S3_T0_")?)
}

/// Fills so many elements, and returns their end. The first one has a store of its own, whose value clang forwards.
fn fill(name: &str, comdat: &str, bytes: u32, ty: &str) -> String {
    format!(
        "define linkonce_odr ptr @{name}(ptr %0, i64 %1){comdat} {{
  %end = getelementptr inbounds {ty}, ptr %0, i64 %1
  %none = icmp eq i64 %1, 0
  br i1 %none, label %filled, label %fill
fill:
  store {ty} zeroinitializer, ptr %0, align {bytes}
  %rest = getelementptr inbounds i8, ptr %0, i64 {bytes}
  %others = add nsw i64 %1, -1
  %bytes = mul nuw nsw i64 %others, {bytes}
  call void @llvm.memset.p0.i64(ptr align {bytes} %rest, i8 0, i64 %bytes, i1 false)
  br label %filled
filled:
  ret ptr %end
}}"
    )
}

/// Returns the elements of `std::vector<…>::_M_realloc_insert`.
fn growth(name: &str) -> Option<(u32, &'static str)> {
    let rest = name.strip_prefix("_ZNSt6vectorI")?;
    let letter = rest.get(..1)?;
    let rest = rest[1..].strip_prefix(&format!("SaI{letter}EE17_M_realloc_insertIJ"))?;
    let passed = rest.strip_suffix(&format!("EEEvN9__gnu_cxx17__normal_iteratorIP{letter}S1_EEDpOT_"))?;
    let is_one = [letter, &format!("R{letter}"), &format!("RK{letter}")].contains(&passed);
    number(letter).filter(|_| is_one)
}

/// Appends an element to a vector that is full. The element may be one of the vector's own.
fn append(name: &str, comdat: &str, bytes: u32, ty: &str) -> String {
    format!(
        "define linkonce_odr void @{name}(ptr %0, ptr %1, ptr %2){comdat} {{
  %end.at = getelementptr inbounds i8, ptr %0, i64 8
  %end = load ptr, ptr %end.at, align 8
  %appends = icmp eq ptr %1, %end
  br i1 %appends, label %append, label %insert
insert:
  call void @{name}{INSERTED}(ptr %0, ptr %1, ptr %2)
  ret void
append:
  %begin = load ptr, ptr %0, align 8
  %from = ptrtoint ptr %begin to i64
  %to = ptrtoint ptr %end to i64
  %bytes = sub i64 %to, %from
  %twice = shl i64 %bytes, 1
  %none = icmp eq i64 %bytes, 0
  %size = select i1 %none, i64 {bytes}, i64 %twice
  %value = load {ty}, ptr %2, align {bytes}
  %new = call noalias nonnull ptr @_Znwm(i64 %size)
  call void @llvm.memcpy.p0.p0.i64(ptr align {bytes} %new, ptr align {bytes} %begin, i64 %bytes, i1 false)
  %there = getelementptr inbounds i8, ptr %new, i64 %bytes
  store {ty} %value, ptr %there, align {bytes}
  call void @_ZdlPvm(ptr %begin, i64 %bytes)
  store ptr %new, ptr %0, align 8
  %next = getelementptr inbounds i8, ptr %there, i64 {bytes}
  store ptr %next, ptr %end.at, align 8
  %limit = getelementptr inbounds i8, ptr %new, i64 %size
  %limit.at = getelementptr inbounds i8, ptr %0, i64 16
  store ptr %limit, ptr %limit.at, align 8
  ret void
}}"
    )
}
