//! Finds the source line of an instruction in LLVM IR that was compiled with `-gline-tables-only`.

/// Returns the location as `file.cu:12`, in the innermost function of the program itself: for code that was
/// inlined from system or CUDA headers, the line of the call.
pub(super) fn line(ir: &str, instruction: &str) -> Option<String> {
    let mut at = instruction.split_once("!dbg ")?.1;
    let mut outermost = None;
    // The nesting of inlined functions is finite; the limit guards against cycles.
    for _ in 0..64 {
        let location = node(ir, at)?;
        let number = field(location, "line: ")?;
        let file = file(ir, field(location, "scope: ")?)?;
        let short = file.rsplit('/').next().unwrap_or(file);
        let told = format!("{short}:{number}");
        if number != "0" && !is_a_system_s(file) {
            return Some(told);
        }
        outermost = Some(told);
        match field(location, "inlinedAt: ") {
            Some(caller) => at = caller,
            None => break,
        }
    }
    outermost.filter(|told| !told.ends_with(":0"))
}

fn is_a_system_s(file: &str) -> bool {
    file.starts_with("/usr/") || file.contains("/include/") || file.contains("/bits/")
}

/// Returns the text after `!12 = `, for the metadata name at the start of `text`.
fn node<'a>(ir: &'a str, text: &str) -> Option<&'a str> {
    let digits = text.strip_prefix('!')?;
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let head = format!("\n!{} = ", &digits[..end]);
    let start = ir.find(&head)? + head.len();
    ir[start..].lines().next()
}

fn field<'a>(node: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = node.split_once(name)?;
    Some(&rest[..rest.find([',', ')']).unwrap_or(rest.len())])
}

/// Returns the file of a scope.
fn file<'a>(ir: &'a str, scope: &str) -> Option<&'a str> {
    let file = node(ir, field(node(ir, scope)?, "file: ")?)?;
    file.split_once("filename: \"")?.1.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::line;

    const IR: &str = r#"
!1 = !DIFile(filename: "/a/app.cu", directory: "/b")
!2 = !DIFile(filename: "/usr/include/c++/12/bits/vector.h", directory: "")
!3 = distinct !DISubprogram(name: "main", scope: !1, file: !1, line: 3, unit: !0)
!4 = distinct !DISubprogram(name: "push", scope: !2, file: !2, line: 9, unit: !0)
!5 = distinct !DILexicalBlock(scope: !3, file: !1, line: 10, column: 2)
!6 = !DILocation(line: 12, column: 5, scope: !5)
!7 = !DILocation(line: 99, column: 5, scope: !4, inlinedAt: !6)
!8 = !DILocation(line: 0, scope: !3)
"#;

    #[test]
    fn lines_are_the_program_s_own() {
        let of = |text: &str| line(IR, text);
        assert_eq!(of("call void @f(), !dbg !6").as_deref(), Some("app.cu:12"));
        assert_eq!(of("call void @f(), !dbg !7, !tbaa !2").as_deref(), Some("app.cu:12"));
        assert_eq!(of("call void @f(), !dbg !8"), None);
        assert_eq!(of("call void @f()"), None);
    }
}
