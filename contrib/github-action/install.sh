#!/usr/bin/env bash
# Installs a release of Elinvar for the following steps.
# Environment: VERSION, and GITHUB_PATH and RUNNER_TEMP of GitHub.
set -euo pipefail

name=elinvar-$VERSION-$(uname -m)-unknown-linux-gnu
url=${ELINVAR_RELEASES:-https://github.com/elinvar/elinvar/releases/download}/v$VERSION

cd "$RUNNER_TEMP"
curl --fail --silent --show-error --location --remote-name "$url/$name.tar.gz"
curl --fail --silent --show-error --location --remote-name "$url/$name.tar.gz.sha256"
sha256sum --check "$name.tar.gz.sha256"
tar -xzf "$name.tar.gz"
echo "$RUNNER_TEMP/$name/bin" >>"$GITHUB_PATH"
