//! Inputs of a program, and the results of functions that read them.

use super::memory::{self, Byte, Fill, Id, Place};
use super::state::State;
use super::{Machine, Value};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The input of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Input {
    /// Without the program's name.
    pub arguments: Vec<String>,
    /// Variables of its environment.
    pub variables: BTreeMap<String, String>,
    /// Numbers that its standard input holds, or the file that it opens.
    pub typed: Vec<i64>,
    /// The file that it opens, if the numbers are there.
    pub file: Option<File>,
}

/// A file that a program reads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct File {
    pub name: String,
    /// The numbers are no text, but stored as the machine does.
    pub binary: bool,
}

/// In words.
impl std::fmt::Display for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.arguments.is_empty() {
            true => f.write_str("without arguments")?,
            false => write!(f, "with the arguments `{}`", self.arguments.join(" "))?,
        }
        for (n, (name, value)) in self.variables.iter().enumerate() {
            write!(f, "{}{name}={value}", if n == 0 { " and with " } else { " " })?;
        }
        if !self.typed.is_empty() {
            let typed: Vec<String> = self.typed.iter().map(ToString::to_string).collect();
            match &self.file {
                Some(File { name, binary: false }) => {
                    write!(f, ", and reads `{}` from the file `{name}`", typed.join(" "))?;
                }
                Some(File { name, binary: true }) => {
                    write!(f, ", and reads the numbers {} from the binary file `{name}`", typed.join(", "))?;
                }
                None => write!(f, ", and reads `{}`", typed.join(" "))?,
            }
        }
        Ok(())
    }
}

/// Bytes of a text.
const MOST_TEXT: i64 = 4096;
/// Numbers that one call reads from a file.
const MOST_READ: i64 = 8;

/// A stream that is open.
pub(super) struct Stream {
    at: i64,
    pub(super) file: File,
}

/// Compares a `std::string` with a text.
pub(crate) const STRING_COMPARES: &str = "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7compareEPKc";

/// Opens the buffer of a stream, which is so many bytes behind the beginning of a `std::ifstream`: it is passed the buffer, a
/// name, and a mode with this bit for reading. Constructors of streams, and `open`, are inlined.
const BUFFER_OPENS: &str = "_ZNSt13basic_filebufIcSt11char_traitsIcEE4openEPKcSt13_Ios_Openmode";
const BUFFER_OFFSET: i64 = 16;
const READS: i64 = 8;

/// Functions that read numbers from the standard input: they are passed a stream, and where the number goes.
const STREAM_READS: [(&str, u32); 4] =
    [("_ZNSirsERi", 4), ("_ZNSirsERj", 4), ("_ZNSirsERl", 8), ("_ZNSirsERm", 8)];

impl<'a> Machine<'_, 'a> {
    /// The program's name and its arguments, as `main` gets them: how many there are, and where they are.
    pub(super) fn arguments(&mut self, state: &mut State<'a>, input: &Input) -> (i64, Id) {
        let count = input.arguments.len() as u64 + 1;
        let list = self.allocate(state, Some(8 * (count + 1)), Place::Host, Fill::Byte(0));
        for n in 0..count {
            let address = match n.checked_sub(1) {
                Some(n) => self.text_of(state, &input.arguments[n as usize]),
                None => memory::base(self.allocate(state, Some(4096), Place::Host, Fill::Unknown)) as i64,
            };
            if let Some(o) = state.objects.get_mut(&list) {
                Rc::make_mut(o).write(8 * n, 8, &Value::Number(address));
            }
        }
        (count as i64, list)
    }

    /// The address of a text that is new in memory.
    fn text_of(&mut self, state: &mut State<'a>, text: &str) -> i64 {
        let id = self.allocate(state, Some(text.len() as u64 + 1), Place::Host, Fill::Byte(0));
        if let Some(o) = state.objects.get_mut(&id) {
            for (n, byte) in text.bytes().enumerate() {
                Rc::make_mut(o).put(n as u64, Byte::Known(byte));
            }
        }
        memory::base(id) as i64
    }

    /// The text that an address leads to, if all of it is known.
    fn text(state: &State<'a>, at: &Value) -> Option<String> {
        let (id, offset) = memory::object(at.number()? as u64)?;
        let object = state.objects.get(&id)?;
        let mut text = Vec::new();
        for n in 0..MOST_TEXT {
            if !object.holds(offset + n, 1) {
                return None;
            }
            match object.byte(u64::try_from(offset + n).ok()?) {
                Byte::Known(0) => return String::from_utf8(text).ok(),
                Byte::Known(b) => text.push(b),
                _ => return None,
            }
        }
        None
    }

    /// The result of a function that looks at what the program is given; `None` if it does not, or if that is not known.
    pub(super) fn of_input(
        &mut self,
        state: &mut State<'a>,
        name: &str,
        arguments: &[Value],
    ) -> Option<Value> {
        self.input.as_ref()?;
        let unknown = Value::Unknown;
        // A number that is too large has no value that is known here.
        let first = arguments.first().and_then(|a| Self::text(state, a));
        self.wrapped |=
            (name.contains("ato") || name.contains("strto")) && first.is_none_or(|t| leading(&t).is_none());
        let a = |n: usize| arguments.get(n).unwrap_or(&unknown);
        if let Some((_, bytes)) = STREAM_READS.iter().find(|(n, _)| *n == name) {
            self.reads_from(a(0))?;
            self.typed(state, a(1), *bytes)?;
            return Some(a(0).clone());
        }
        if name == BUFFER_OPENS {
            let (text, buffer) = (Self::text(state, a(1))?, a(0).number()?);
            if a(2).number()? & READS == 0 || self.input.as_ref()?.typed.is_empty() {
                return None;
            }
            // The stream itself is as unknown as after any function.
            self.anything(state, arguments).ok()?;
            self.open(text, buffer - BUFFER_OFFSET);
            return Some(a(0).clone());
        }
        Some(match name {
            "atoi" => Value::Number(i64::from(leading(&Self::text(state, a(0))?)?.0 as i32)),
            "atol" | "atoll" => Value::Number(leading(&Self::text(state, a(0))?)?.0),
            "strtol" | "strtoll" | "__isoc23_strtol" | "__isoc23_strtoll" | "strtoul"
            | "__isoc23_strtoul"
                if matches!(a(2), Value::Number(10 | 0)) =>
            {
                let text = Self::text(state, a(0))?;
                let (number, read) = leading(&text)?;
                // Octal numbers, and those below zero without a sign, are not read here.
                if *a(2) == Value::Number(0) && text.trim_start().starts_with('0')
                    || name.contains("toul") && number < 0
                {
                    return None;
                }
                match a(1) {
                    Value::Number(0) => {}
                    Value::Number(end) => {
                        let behind = Value::Number(a(0).number()? + read);
                        state.write(*end, 8, &behind)?;
                    }
                    _ => return None,
                }
                Value::Number(number)
            }
            "getenv" | "secure_getenv" => {
                let name = Self::text(state, a(0))?;
                match self.input.as_ref()?.variables.get(&name).cloned() {
                    Some(text) => Value::Number(self.text_of(state, &text)),
                    None => Value::Number(0),
                }
            }
            "strlen" => Value::Number(Self::text(state, a(0))?.len() as i64),
            "strcmp" => compared(&Self::text(state, a(0))?, &Self::text(state, a(1))?),
            STRING_COMPARES => {
                let (text, length) = (a(0).number()?, state.read(a(0).number()? + 8, 8).number()?);
                let text = Self::text(state, &state.read(text, 8))?;
                if text.len() as i64 != length {
                    return None;
                }
                compared(&text, &Self::text(state, a(1))?)
            }
            "strncmp" => {
                let count = usize::try_from(a(2).number()?).ok()?;
                let first = |text: String| text.get(..count.min(text.len())).map(str::to_owned);
                compared(&first(Self::text(state, a(0))?)?, &first(Self::text(state, a(1))?)?)
            }
            "scanf" | "__isoc99_scanf" | "__isoc23_scanf" => {
                if self.stream.is_some() {
                    return None;
                }
                self.scan(state, arguments)?
            }
            "fopen" | "fopen64" => {
                if !Self::text(state, a(1))?.starts_with('r') || self.input.as_ref()?.typed.is_empty() {
                    return None;
                }
                let name = Self::text(state, a(0))?;
                let stream = self.unknown_memory(state);
                self.open(name, stream.number()?);
                stream
            }
            "fscanf" | "__isoc99_fscanf" | "__isoc23_fscanf" => {
                self.reads_from(a(0))?;
                if self.stream.as_ref()?.file.binary {
                    return None;
                }
                self.scan(state, arguments.get(1..)?)?
            }
            "fread" => {
                self.reads_from(a(3))?;
                let (bytes, count) = (a(1).number()?, a(2).number()?);
                if !matches!(bytes, 4 | 8) || !(1..=MOST_READ).contains(&count) {
                    return None;
                }
                let read = self.read;
                let file = &mut self.stream.as_mut()?.file;
                if read > 0 && !file.binary {
                    return None;
                }
                file.binary = true;
                for n in 0..count {
                    self.typed(state, &Value::Number(a(0).number()? + n * bytes), bytes as u32)?;
                }
                Value::Number(count)
            }
            _ => return None,
        })
    }

    /// Reads the numbers that a format asks for; the places for them follow it.
    fn scan(&mut self, state: &mut State<'a>, arguments: &[Value]) -> Option<Value> {
        let sizes = conversions(&Self::text(state, arguments.first()?)?)?;
        let mut read = 0;
        for (to, bytes) in arguments.get(1..)?.iter().zip(sizes) {
            self.typed(state, to, bytes)?;
            read += 1;
        }
        Some(Value::Number(read))
    }

    /// The program opens a file. The input has the contents of one.
    fn open(&mut self, name: String, stream: i64) {
        let first = self.stream.is_none() && self.read == 0;
        self.mixed |= !first;
        if first {
            self.stream = Some(Stream { at: stream, file: File { name, binary: false } });
        }
    }

    /// Returns something if the input's numbers are what a stream holds: the file that is open, or the standard input.
    fn reads_from(&mut self, stream: &Value) -> Option<()> {
        let at = stream.number()?;
        let known = match &self.stream {
            Some(open) => open.at == at,
            None => self.shared.get("_ZSt3cin").is_some_and(|&cin| cin as i64 == at),
        };
        self.mixed |= !known;
        (known && !self.mixed).then_some(())
    }

    /// The next number of the standard input goes there.
    fn typed(&mut self, state: &mut State<'a>, to: &Value, bytes: u32) -> Option<()> {
        let number = self.input.as_ref()?.typed.get(self.read).copied()?;
        self.read += 1;
        state.write(to.number()?, bytes, &Value::Number(number))
    }
}

fn compared(a: &str, b: &str) -> Value {
    Value::Number(match a.cmp(b) {
        std::cmp::Ordering::Less => -1,
        std::cmp::Ordering::Equal => 0,
        std::cmp::Ordering::Greater => 1,
    })
}

/// The number that a text begins with, zero if with none, and how many bytes were read; `None` of one that is too large.
fn leading(text: &str) -> Option<(i64, i64)> {
    let trimmed = text.trim_start();
    let (sign, digits) = match trimmed.strip_prefix(['-', '+']) {
        Some(rest) => (1, rest),
        None => (0, trimmed),
    };
    let count = digits.bytes().take_while(u8::is_ascii_digit).count();
    if count == 0 {
        return Some((0, 0));
    }
    let number: i64 = trimmed[..sign + count].parse().ok()?;
    let before = text.len() - trimmed.len();
    (number.abs() < 1 << 31).then_some((number, (before + sign + count) as i64))
}

/// Bytes of the numbers that a format asks for; `None` if it asks for anything else.
fn conversions(format: &str) -> Option<Vec<u32>> {
    let mut found = Vec::new();
    for part in format.split('%').skip(1) {
        let (length, rest) = match part {
            p if p.starts_with("ll") => (8, &p[2..]),
            p if p.starts_with(['l', 'z']) => (8, &p[1..]),
            p => (4, p),
        };
        if !rest.starts_with(['d', 'u']) {
            return None;
        }
        found.push(length);
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_as_c_reads_them() {
        assert_eq!(leading(" -12x"), Some((-12, 4)));
        assert_eq!(leading("x"), Some((0, 0)));
        assert_eq!(leading("99999999999"), None);
        assert_eq!(conversions("%d, %lu"), Some(vec![4, 8]));
        assert_eq!(conversions("%s"), None);
        let input = Input { arguments: vec!["63".into()], typed: vec![2], ..Input::default() };
        assert_eq!(input.to_string(), "with the arguments `63`, and reads `2`");
        let file = Some(File { name: "63".into(), binary: false });
        let input = Input { file, ..input };
        assert_eq!(input.to_string(), "with the arguments `63`, and reads `2` from the file `63`");
    }
}
