//! The value of `errno` behind a call.

/// Functions that leave `errno` as it is; any other one of a library may set it (C11 §7.5).
pub(super) const LEAVE: [&str; 15] = [
    "__errno_location",
    "strtol",
    "strtoll",
    "strtoul",
    "__isoc23_strtol",
    "__isoc23_strtoll",
    "__isoc23_strtoul",
    "strlen",
    "strcmp",
    "strncmp",
    "memcpy",
    "memmove",
    "memset",
    "_ZdlPv",
    "_ZdlPvm",
];
