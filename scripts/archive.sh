#!/usr/bin/env bash
# An archive of the command for a release, with its checksum.
#
#     scripts/archive.sh TARGET FOLDER
#
# TARGET is the triple of this machine (`rustc -vV`). FOLDER gets warpsim-VERSION-TARGET.tar.gz, which
# holds the command, its licences and its README, and the file's SHA-256 beside it.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${1:?"usage: scripts/archive.sh TARGET FOLDER"}
folder=${2:?"usage: scripts/archive.sh TARGET FOLDER"}
host=$(rustc -vV | sed -n 's/^host: //p')
if [ "$target" != "$host" ]; then
    echo "scripts/archive.sh: this machine builds for $host, not for $target" >&2
    exit 2
fi
# The command is linked as a shared object. The second crate type keeps rustc from code that only an
# executable can have (thread-locals at fixed places), which it makes when it optimises all crates at
# once.
cargo rustc --profile dist --locked -p warpsim-cli --bin warpsim -- --crate-type cdylib
version=$(target/dist/warpsim --version | cut -d' ' -f2)
name=warpsim-$version-$target
mkdir -p "$folder"
staged=$(mktemp -d)
trap 'rm -rf "$staged"' EXIT
mkdir "$staged/$name"
cp target/dist/warpsim "$staged/$name/warpsim"
cp LICENSE-APACHE LICENSE-MIT README.md CHANGELOG.md "$staged/$name"
tar -C "$staged" --owner=0 --group=0 --sort=name -czf "$folder/$name.tar.gz" "$name"
(cd "$folder" && sha256sum "$name.tar.gz" > "$name.tar.gz.sha256")
echo "$folder/$name.tar.gz: $(stat -c %s "$folder/$name.tar.gz") bytes"
