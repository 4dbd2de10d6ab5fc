/**
 * Recordings: videos of browsers. Each is written to a growing file, so that it stays usable after any end, becomes a
 * blob when complete, and is recovered after a crash. The engine and the standalone browsers start recordings;
 * operations and public URLs show them. Frames come through the live view, and an encoder of the browser host produces
 * VP8. Recordings must not know sessions, tasks or API versions.
 */
export { createRecordings, type Recordings, type RecordingInProgress } from './create-recordings.ts';
