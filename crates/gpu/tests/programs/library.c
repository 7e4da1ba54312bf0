// A library that brings machine code, as cuBLAS does.
const char machine_code[64] = "\x7f" "ELF";
