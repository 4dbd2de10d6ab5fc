import type { JsonObject } from '../core/json.ts';
import type { RecordedEvent } from '../core/recorder.ts';
import type { Target } from '../core/target.ts';
import type { Totals } from '../core/report.ts';

/** Name and version of the `_svc` members of a HAR. */
export const recordingSchema = 'svc-recording/1';

/** All events of a run, and the options that are needed to plan the same run again. API keys are placeholders. */
export interface Recording {
  /** ISO 8601. */
  startedAt: string;
  durationMs: number;
  /** Options of the run by their names, but for keys, headers and what cannot be written; `unlimited` stands for no limit. */
  options: JsonObject;
  target: Target;
  /** Whether the key of another project was given. */
  withOtherKey: boolean;
  /** Headers for every request. */
  headers: Record<string, string>;
  /** Word that the names of the run were made with. */
  stamp: string;
  /** Values that the suite made up as secrets, by name. */
  secrets: Readonly<Record<string, string>>;
  happenings: readonly RecordedEvent[];
  /** Verdicts of the contract's rows, and of those beyond it. */
  totals: Totals;
  beyond: Totals;
}
