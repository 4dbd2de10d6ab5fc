/*
 * Recordings: videos of what browsers showed. One is written to a file of its own while it is made, so that it can be used however it
 * ended, becomes a blob when it is over, and is found again after a crash. Called by the engine and by the standalone browsers, who
 * know what is to be recorded, and by the operations and public addresses that show it.
 * Pictures come from a browser as any viewer gets them; an encoder of the browser host makes VP8 of them, `webm/` a file.
 * Must not know how a generation shows a recording, nor what a session or a task is.
 */
export { createRecordings, type Recordings, type RecordingInProgress } from './create-recordings.ts';
