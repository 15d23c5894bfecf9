#!/bin/sh
# Measures the tables and figures of the papers at full limits. Each of them takes hours to days:
# stop the script whenever you like, also with kill -9, and start it again; runs that are in
# FOLDER are not repeated. FOLDER/NAME.csv has the runs, FOLDER/NAME.html the tables of the paper,
# and FOLDER/NAME.campaign the folder of a campaign for `elinvar run report`.
#
#   experiments/tables.sh FOLDER words                      Figures 6 and 8 at 10 s, three seeds
#   experiments/tables.sh FOLDER avy MODELS.csv [ROOT]      Tables 1 and 2 at 60 s
#   experiments/tables.sh FOLDER programs PROGRAMS.csv [Z3] Table 5.1 at 60 s
#
# MODELS.csv and PROGRAMS.csv are described in the chapter "Measurements" of the book. With
# JOBS=N, N runs are measured at the same time; on a machine with N idle cores, that changes
# processor times little. SAMPLE=N measures only N models, LIMIT=N changes the seconds.
set -eu
cd "$(dirname "$0")/.."

usage() {
    sed -n '7,9s/^# *//p' experiments/tables.sh >&2
    exit 2
}

[ $# -ge 2 ] || usage
mkdir -p "$1"
folder=$(cd "$1" && pwd)
name=$2
shift 2

measure() {
    experiment=$1
    shift
    cargo build --quiet --locked --release --package elinvar-cli
    exec cargo run --quiet --locked --release --package xtask -- experiment "$experiment" "$@" \
        --jobs "${JOBS-1}" --csv "$folder/$name.csv" --html "$folder/$name.html" \
        --campaign "$folder/$name.campaign"
}

case $name in
    words) measure words --figures 6,8 --seeds 3 --limit "${LIMIT-10}" ;;
    avy)
        [ $# -ge 1 ] || usage
        measure avy --models "$1" --root "${2-$(dirname "$1")}" --limit "${LIMIT-60}" ${SAMPLE+--sample "$SAMPLE"}
        ;;
    programs)
        [ $# -ge 1 ] || usage
        measure programs --programs "$1" --z3 "${2-z3}" --limit "${LIMIT-60}"
        ;;
    *) usage ;;
esac
