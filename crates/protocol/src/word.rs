//! Words of command lines and paths in JSON: they need not be UTF-8.

use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// A string where it is text, an array of bytes where it is not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Word {
    Text(String),
    Bytes(Vec<u8>),
}

impl From<&OsStr> for Word {
    fn from(word: &OsStr) -> Self {
        match word.to_str() {
            Some(text) => Word::Text(text.to_owned()),
            None => Word::Bytes(word.as_bytes().to_vec()),
        }
    }
}

impl From<Word> for OsString {
    fn from(word: Word) -> Self {
        match word {
            Word::Text(text) => text.into(),
            Word::Bytes(bytes) => OsString::from_vec(bytes),
        }
    }
}

/// For serde: a path as a [`Word`].
pub(crate) mod as_path {
    use super::Word;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::ffi::OsString;
    use std::path::{Path, PathBuf};

    pub(crate) fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        Word::from(path.as_os_str()).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
        Ok(OsString::from(Word::deserialize(deserializer)?).into())
    }

    pub(crate) mod optional {
        use super::*;

        pub(crate) fn serialize<S: Serializer>(
            path: &Option<PathBuf>,
            serializer: S,
        ) -> Result<S::Ok, S::Error> {
            path.as_ref().map(|path| Word::from(path.as_os_str())).serialize(serializer)
        }

        pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
            deserializer: D,
        ) -> Result<Option<PathBuf>, D::Error> {
            let word = Option::<Word>::deserialize(deserializer)?;
            Ok(word.map(|word| OsString::from(word).into()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_json() {
        for word in [OsStr::new("./app \"x\""), OsStr::from_bytes(b"caf\xe9")] {
            let json = serde_json::to_string(&Word::from(word)).unwrap();
            let back: Word = serde_json::from_str(&json).unwrap();
            assert_eq!(OsString::from(back), word, "{json}");
        }
    }
}
