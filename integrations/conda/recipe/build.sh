#!/bin/sh
# Installs the program, which contains its libraries, with manual pages and completions.
set -eu
source=$(cd "$RECIPE_DIR/../../.." && pwd)
cp "$source/LICENSE-MIT" "$source/LICENSE-APACHE" "$SRC_DIR"
cd "$source"
cargo install --locked --no-track --profile "${WARPRACE_PROFILE:-release}" --path crates/warprace --root "$PREFIX"
mkdir -p "$PREFIX/share/man/man1" "$PREFIX/share/bash-completion/completions"
"$PREFIX/bin/warprace" man "$PREFIX/share/man/man1"
"$PREFIX/bin/warprace" completions bash > "$PREFIX/share/bash-completion/completions/warprace"
