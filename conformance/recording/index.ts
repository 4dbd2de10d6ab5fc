/**
 * Recordings: the requests, answers and random values of a run as a HAR file that any viewer opens. Members with the
 * prefix `_svc` let `judgeRecording` repeat the judgement without a network. The runner writes a recording;
 * `judgeRecording` plays it back. A recording has placeholders instead of secrets and keeps the order of events. This
 * folder judges nothing.
 */
export { readHar, recordingUse } from './read-har.ts';
export type { Recording } from './recording.ts';
export { renderHar } from './render-har.ts';
