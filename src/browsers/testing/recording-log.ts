import type { HostLog } from '../host-log.ts';

/** A log for tests that keeps its messages. */
export interface RecordingLog extends HostLog {
  readonly infos: readonly string[];
  readonly warnings: readonly string[];
}

/** Creates a log that keeps messages in two lists. */
export function createRecordingLog(): RecordingLog {
  const infos: string[] = [];
  const warnings: string[] = [];
  return {
    infos,
    warnings,
    info: (_fields, message) => void infos.push(message),
    warn: (_fields, message) => void warnings.push(message),
  };
}
