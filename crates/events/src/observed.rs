//! Launches that a run has made, as facts for reasoning about kernels: `warprace run --facts`.

use crate::task::{AllocKind, LaunchFacts, LaunchInfo};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A launch and the memory that its kernel could reach.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObservedLaunch {
    pub info: LaunchInfo,
    pub facts: LaunchFacts,
    /// Sorted by address; disjoint.
    pub memory: Vec<ObservedMemory>,
}

/// An allocation, or a variable of a module.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ObservedMemory {
    pub base: u64,
    pub bytes: u64,
    pub kind: AllocKind,
    /// The variable's, as in PTX.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// All of its bytes before the launch; `None` of what is too large to be kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contents: Option<Bytes>,
}

impl ObservedLaunch {
    /// The memory that an address is in, by index; or that it is one past the end of.
    pub fn holder(&self, address: u64) -> Option<usize> {
        holder(&self.memory, address)
    }

    pub fn variable(&self, name: &str) -> Option<usize> {
        self.memory.iter().position(|m| m.name.as_deref() == Some(name))
    }
}

/// The place in `memory`, which is sorted by address, of the memory that an address is in, or that it is one past the end
/// of.
pub fn holder(memory: &[ObservedMemory], address: u64) -> Option<usize> {
    let at = memory.partition_point(|m| m.base <= address).checked_sub(1)?;
    (address - memory[at].base <= memory[at].bytes).then_some(at)
}

/// Bytes, in JSON as hexadecimal text in which `zN.` stands for `N` zeros.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bytes(pub Vec<u8>);

/// Fewer zeros than this are written as such.
const RUN: usize = 4;

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = String::with_capacity(self.0.len() / 2);
        let mut rest = &self.0[..];
        while let Some(&byte) = rest.first() {
            let zeros = rest.iter().take_while(|&&b| b == 0).count();
            if zeros >= RUN {
                text.push_str(&format!("z{zeros}."));
                rest = &rest[zeros..];
            } else {
                text.push_str(&format!("{byte:02x}"));
                rest = &rest[1..];
            }
        }
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        let text = String::deserialize(deserializer)?;
        decode(&text).map(Bytes).ok_or_else(|| serde::de::Error::custom("contents that cannot be read"))
    }
}

/// More than any run writes of one allocation: a damaged file is not to fill the memory.
const MOST: usize = 1 << 26;

fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    let digit = |c: u8| char::from(c).to_digit(16);
    while let Some(&c) = rest.first() {
        if c == b'z' {
            let end = rest.iter().position(|&c| c == b'.')?;
            let zeros: usize = std::str::from_utf8(&rest[1..end]).ok()?.parse().ok()?;
            let all = bytes.len().checked_add(zeros).filter(|&n| n <= MOST)?;
            bytes.resize(all, 0);
            rest = &rest[end + 1..];
        } else {
            let low = *rest.get(1)?;
            bytes.push((digit(c)? << 4 | digit(low)?) as u8);
            rest = &rest[2..];
        }
    }
    (bytes.len() <= MOST).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_come_back_as_they_were() {
        for bytes in [vec![], vec![0; 9], vec![1, 0, 0, 2], vec![0, 0, 0, 0, 255, 0, 0, 0, 0, 0, 7]] {
            let text = serde_json::to_string(&Bytes(bytes.clone())).unwrap();
            assert_eq!(serde_json::from_str::<Bytes>(&text).unwrap().0, bytes, "{text}");
        }
        for wrong in ["\"z5\"", "\"0\"", "\"xx\"", "\"z99999999999.\""] {
            assert!(serde_json::from_str::<Bytes>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_address_has_one_holder() {
        let memory =
            |base, bytes| ObservedMemory { base, bytes, kind: AllocKind::Device, name: None, contents: None };
        let launch = ObservedLaunch {
            info: LaunchInfo {
                kernel: "k".into(),
                grid: crate::Dim3::ONE,
                block: crate::Dim3::ONE,
                cluster: crate::Dim3::ONE,
                cooperative: false,
                shared_bytes: 0,
                uses: Default::default(),
            },
            facts: LaunchFacts::default(),
            memory: vec![memory(100, 10), memory(110, 10)],
        };
        let found = [99, 100, 109, 110, 120, 121].map(|a| launch.holder(a));
        assert_eq!(found, [None, Some(0), Some(0), Some(1), Some(1), None]);
    }
}
