#!/bin/sh
# Judges a deployment on a build server and leaves every face of the report in a folder. The GitHub action and the GitLab template run
# this; anything else can. What it reads:
#   SERVICE_URL       the deployment, without /api/v3
#   SERVICE_API_KEY   a key of it, and SVC_OTHER_API_KEY of another project where there is one: read by svc itself
#   JUDGE_ARGS        more flags of svc check, for example: --spend task --max-cost-usd 1
#   JUDGE_TARGET      target file; JUDGE_BASELINE file of known failures; both may be empty
#   JUDGE_REPORTS     folder for report.json, .html, .md, badge.json and junit.xml (reports)
# The exit code is that of svc check.
set -eu
reports=${JUDGE_REPORTS:-reports}
svc=${JUDGE_SVC:-npm run --silent svc --}
if [ -z "${SERVICE_URL:-}" ]; then
  echo 'judge.sh: found no SERVICE_URL. Expected the address of a deployment. Next: set it, for example https://api.example.com' >&2
  exit 2
fi
mkdir -p "$reports"
set -- "$SERVICE_URL" --report "terminal,json=$reports/report.json,html=$reports/report.html,md=$reports/report.md,junit=$reports/junit.xml,badge=$reports/badge.json"
if [ -n "${JUDGE_TARGET:-}" ]; then set -- "$@" --target "$JUDGE_TARGET"; fi
if [ -n "${JUDGE_BASELINE:-}" ]; then set -- "$@" --baseline "$JUDGE_BASELINE"; fi
# Flags are words without spaces in them: they are split here.
# shellcheck disable=SC2086
exec $svc check "$@" ${JUDGE_ARGS:-}
