#!/bin/sh
# Judges a deployment at no cost and says what has got worse since the last time. Exit code 1: a violation, or something worse. What
# stands behind it are more flags of svc check.
set -u
svc check "$SERVICE_URL" --profile smoke --report json=smoke.json || exit $?
svc check "$SERVICE_URL" --seed 1 --report terminal,json=today.json,html=today.html "$@"
code=$?
if [ -f last.json ]; then svc diff last.json today.json || code=1; fi
mv today.json last.json
exit $code
