/**
 * Recordings: videos of browsers. Each recording is written to a growing file, which stays usable after an interruption
 * and is recovered after a crash. A complete recording becomes a blob. The engine and the standalone browsers start
 * recordings; operations and public URLs show them. Frames come through the live view, and an encoder of the browser
 * host produces VP8. Recordings must not know sessions, tasks or API versions.
 */
export { createRecordings, type Recordings, type RecordingInProgress } from './create-recordings.ts';
