import type { RecordingRow } from '#store/recordings.ts';
import type { Addresses } from './addresses.ts';

/** New presigned addresses of the recordings that can be seen, oldest first. */
export function recordingAddresses(
  recordings: readonly RecordingRow[],
  addresses: Pick<Addresses, 'recording'>,
): string[] {
  return recordings.filter(({ status }) => status === 'ready').map(({ id }) => addresses.recording(id));
}
