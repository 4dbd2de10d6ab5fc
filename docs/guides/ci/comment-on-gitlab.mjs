// Comments a summary on the merge request of a GitLab pipeline: node comment-on-gitlab.mjs report.md
import { readFileSync } from 'node:fs';

const { CI_API_V4_URL, CI_PROJECT_ID, CI_MERGE_REQUEST_IID, SVC_COMMENT_TOKEN = '' } = process.env;
const answer = await fetch(`${CI_API_V4_URL}/projects/${CI_PROJECT_ID}/merge_requests/${CI_MERGE_REQUEST_IID}/notes`, {
  method: 'POST',
  headers: { 'private-token': SVC_COMMENT_TOKEN, 'content-type': 'application/json' },
  body: JSON.stringify({ body: readFileSync(process.argv[2], 'utf8') }),
});
if (!answer.ok) {
  console.error(`comment-on-gitlab: found ${answer.status}, expected 201: SVC_COMMENT_TOKEN needs the scope api`);
  process.exitCode = 1;
}
