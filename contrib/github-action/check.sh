#!/usr/bin/env bash
# Runs `elinvar check` and notes its exit code, so that the reports can be uploaded before the
# job fails. Environment: FILES, OPTIONS, HTML, REPORTS, and GITHUB_OUTPUT and
# GITHUB_STEP_SUMMARY of GitHub.
set -uo pipefail

mkdir -p "$REPORTS"
reports=(--junit "$REPORTS/elinvar.xml" --sarif "$REPORTS/elinvar.sarif")
[ "$HTML" != true ] || reports+=(--html "$REPORTS/elinvar.html")

# Files and options are lists of words; patterns in them are expanded.
# shellcheck disable=SC2086
elinvar check $FILES --ci "${reports[@]}" $OPTIONS 2>&1 | tee "$REPORTS/elinvar.txt"
code=${PIPESTATUS[0]}

echo "code=$code" >>"$GITHUB_OUTPUT"
{
    echo "### Elinvar: $(head -n 1 "$REPORTS/elinvar.txt")"
    echo '```text'
    head -c 60000 "$REPORTS/elinvar.txt"
    echo '```'
} >>"$GITHUB_STEP_SUMMARY"
