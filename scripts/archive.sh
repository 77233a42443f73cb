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
# Not the profile `dist`: rustc makes code for a plain executable when it optimises all crates at
# once, and the command is linked as a shared object.
cargo build --release --locked -p warpsim-cli
version=$(target/release/warpsim --version | cut -d' ' -f2)
name=warpsim-$version-$target
mkdir -p "$folder"
staged=$(mktemp -d)
trap 'rm -rf "$staged"' EXIT
mkdir "$staged/$name"
strip -o "$staged/$name/warpsim" target/release/warpsim
cp LICENSE-APACHE LICENSE-MIT README.md CHANGELOG.md "$staged/$name"
tar -C "$staged" --owner=0 --group=0 --sort=name -czf "$folder/$name.tar.gz" "$name"
(cd "$folder" && sha256sum "$name.tar.gz" > "$name.tar.gz.sha256")
echo "$folder/$name.tar.gz: $(stat -c %s "$folder/$name.tar.gz") bytes"
