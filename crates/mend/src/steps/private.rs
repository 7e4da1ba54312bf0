//! A private copy: a kernel reads what its input was before the launch.

use super::tasks::words;
use super::{Made, Source};
use crate::text::Text;
use report::advice::Spot;

/// A kernel whose header is one line.
struct Kernel<'t> {
    name: &'t str,
    header: usize,
    end: usize,
    parameters: Vec<&'t str>,
}

/// Gives the kernel of a read a copy of the array that it reads, made before each launch. The read is of a
/// pointer parameter, and the text allocates the array.
pub(super) fn copy(source: Source<'_>, spots: &[Spot]) -> Option<Made> {
    let text = source.text;
    let read = spots.iter().find(|spot| spot.instruction.starts_with("ld."))?;
    let at = source.of(read)?;
    let kernel = kernel(text, at)?;
    let of_line = |p: &&str| reads(text.code(at), name(p));
    let index = kernel.parameters.iter().position(of_line)?;
    let pointer = kernel.parameters[index];
    let written = (kernel.header + 1..kernel.end).any(|i| writes(text.code(i), name(pointer)));
    let mut changed = text.clone();
    if written {
        changed = with_parameter(&changed, &kernel, index);
    }
    changed = launched(&changed, &kernel, index, written)?;
    let said = format!("`{}` reads a copy of `{}`", kernel.name, name(pointer));
    Some(Made { said, text: changed, edits: None })
}

fn kernel(text: &Text, at: usize) -> Option<Kernel<'_>> {
    let region = text.region(at)?;
    let header = text.at(region.function.start)?;
    let (_, rest) = text.code(header).split_once("__global__ void ")?;
    let (name, list) = rest.strip_suffix(") {")?.split_once('(')?;
    let plain = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let first = header == 0 || !text.code(header - 1).starts_with("template");
    (plain && first).then_some(())?;
    Some(Kernel { name, header, end: text.at(region.function.end)?, parameters: words(list) })
}

/// Returns the name of a pointer parameter.
fn name(parameter: &str) -> &str {
    parameter.rsplit(['*', ' ']).next().unwrap_or_default()
}

fn is_pointer(parameter: &str) -> bool {
    parameter.contains('*') && !name(parameter).is_empty()
}

/// Returns where a line indexes a pointer.
fn indexed(code: &str, pointer: &str) -> Vec<usize> {
    let word = format!("{pointer}[");
    let alone = |at: &usize| !code[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
    code.match_indices(&word).map(|(at, _)| at).filter(alone).collect()
}

fn reads(code: &str, pointer: &str) -> bool {
    indexed(code, pointer).into_iter().any(|at| at != 0 || !writes(code, pointer))
}

fn writes(code: &str, pointer: &str) -> bool {
    let assigned = || code.split_once("] ").is_some_and(|(_, rest)| rest.starts_with(['=', '+', '-', '|']));
    code.starts_with(&format!("{pointer}[")) && assigned()
}

/// Adds a parameter for the copy, which the kernel reads in place of the pointer.
fn with_parameter(text: &Text, kernel: &Kernel<'_>, index: usize) -> Text {
    let pointer = name(kernel.parameters[index]);
    let copy = format!("{pointer}_before");
    let kind = kernel.parameters[index].strip_suffix(pointer).unwrap_or_default();
    let constant = if kind.starts_with("const ") { "" } else { "const " };
    let old = kernel.parameters[index];
    let header = text.code(kernel.header).replacen(old, &format!("{old}, {constant}{kind}{copy}"), 1);
    let mut out = text.replace(kernel.header, &header);
    for i in kernel.header + 1..kernel.end {
        let code = text.code(i);
        let mut new = code.to_owned();
        for at in indexed(code, pointer).into_iter().rev().filter(|at| *at != 0 || !writes(code, pointer)) {
            new.replace_range(at..at + pointer.len(), &copy);
        }
        if new != code {
            out = out.replace(i, &new);
        }
    }
    out
}

/// Makes the copy before each launch of the kernel, and hands it over.
fn launched(text: &Text, kernel: &Kernel<'_>, index: usize, added: bool) -> Option<Text> {
    let parameter = kernel.parameters[index];
    is_pointer(parameter).then_some(())?;
    let kind = parameter.strip_suffix(name(parameter))?.trim();
    let begins = format!("{}<<<", kernel.name);
    let mut out = text.clone();
    let launches: Vec<usize> = (0..text.len()).filter(|&i| text.code(i).contains(&begins)).collect();
    for &i in launches.iter().rev() {
        let code = text.code(i);
        let (head, list) = code.strip_suffix(");")?.split_once(">>>(")?;
        let mut arguments: Vec<String> = words(list).into_iter().map(str::to_owned).collect();
        let array = arguments.get(index)?.clone();
        let bytes = allocated(text, &array)?;
        let copy = format!("{}_before", kernel.name);
        let handed = format!("static_cast<{kind}>({copy})");
        match added {
            true => arguments.insert(index + 1, handed),
            false => arguments[index] = handed,
        }
        let call = format!("{head}>>>({});", arguments.join(", "));
        let made = format!(
            "void *{copy}; cudaMalloc(&{copy}, {bytes}); cudaMemcpy({copy}, {array}, {bytes}, cudaMemcpyDeviceToDevice);"
        );
        out = out.replace(i, &call).insert(i, &made);
    }
    (!launches.is_empty()).then_some(out)
}

/// Returns the size with which the text allocates an array.
fn allocated<'t>(text: &'t Text, array: &str) -> Option<&'t str> {
    let word = format!("cudaMalloc(&{array}, ");
    (0..text.len()).find_map(|i| {
        let (_, rest) = text.code(i).split_once(&word)?;
        let mut depth = 1;
        let end = rest.char_indices().find_map(|(i, c)| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            (depth == 0).then_some(i)
        })?;
        Some(&rest[..end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use report::advice::Role;

    fn copied(kernel: &str, call: &str) -> String {
        let code =
            format!("{kernel}\nint main() {{\n    CHECK(cudaMalloc(&a, sizeof(int) * n));\n    {call}\n}}\n");
        let text = Text::new(&code);
        let spot = Spot {
            role: Role::First,
            file: String::new(),
            line: 2,
            branch: 0,
            instruction: "ld.global.u32 %r1, [%rd1]".into(),
        };
        let made = copy(Source { file: "", text: &text }, &[spot]).unwrap();
        made.text.to_string()
    }

    #[test]
    fn an_aliased_argument_becomes_a_copy() {
        let kernel = "__global__ void shift(const int *from, int *to, int n) {\n    int v = from[i + 1];\n    to[i] = v;\n}";
        let text = copied(kernel, "shift<<<4, 32>>>(a, a, n);");
        assert!(text.contains("cudaMemcpy(shift_before, a, sizeof(int) * n, cudaMemcpyDeviceToDevice);"));
        assert!(text.contains("shift<<<4, 32>>>(static_cast<const int *>(shift_before), a, n);"));
    }

    #[test]
    fn a_kernel_that_writes_its_input_gets_a_parameter() {
        let kernel = "__global__ void smooth(int *data, int n) {\n    int v = data[i - 1] + data[i];\n    data[i] = v;\n}";
        let text = copied(kernel, "smooth<<<4, 32>>>(a, n);");
        assert!(text.contains("void smooth(int *data, const int *data_before, int n) {"));
        assert!(text.contains("int v = data_before[i - 1] + data_before[i];\n    data[i] = v;"));
        assert!(text.contains("smooth<<<4, 32>>>(a, static_cast<int *>(smooth_before), n);"));
    }
}
