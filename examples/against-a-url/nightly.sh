#!/bin/sh
# Judges a deployment with checks that cost nothing, and compares the report with that of the last run.
# Exit code 1: a violation, or a row that is worse than in the last run. Arguments are passed to svc check.
set -u
svc check "$SERVICE_URL" --profile smoke --report json=smoke.json || exit $?
svc check "$SERVICE_URL" --seed 1 --report terminal,json=today.json,html=today.html "$@"
code=$?
if [ -f last.json ]; then svc diff last.json today.json || code=1; fi
mv today.json last.json
exit $code
