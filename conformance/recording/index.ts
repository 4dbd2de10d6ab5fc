/**
 * Recordings: everything that happened in a run, as a HAR that any viewer opens and with `_svc` members by which the run can be
 * judged again without a network. Called by the runner, which hands a recording out, and by `judgeRecording`, which plays one
 * back. It replaces secrets and keeps order; it never judges.
 */
export { readHar, recordingUse } from './read-har.ts';
export type { Recording } from './recording.ts';
export { renderHar } from './render-har.ts';
