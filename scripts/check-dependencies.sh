#!/usr/bin/env bash
# Licences, advisories and sources of all dependencies, by cargo-deny and `deny.toml`. It installs
# cargo-deny where it is missing. The database of advisories comes from the network; without it,
# `scripts/check-dependencies.sh --offline` checks the rest.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v cargo-deny > /dev/null || cargo install --locked cargo-deny
if [ "${1:-}" = --offline ]; then
    cargo deny --offline check bans licenses sources
else
    cargo deny check
fi
