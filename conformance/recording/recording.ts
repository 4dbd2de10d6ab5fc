import type { JsonObject } from '../core/json.ts';
import type { RecordedEvent } from '../core/recorder.ts';
import type { KeyForms } from '../core/scenario.ts';
import type { Target } from '../core/target.ts';
import type { Totals } from '../core/report.ts';

/** Name and version of the `_svc` members of a HAR. */
export const recordingSchema = 'svc-recording/1';

/** All events of a run, and the options that are needed to plan the same run again. API keys are placeholders. */
export interface Recording {
  /** Start time of the run, ISO 8601. */
  startedAt: string;
  durationMs: number;
  /**
   * Options of the run by name, without keys, headers and values that JSON cannot represent; `unlimited` means no
   * limit.
   */
  options: JsonObject;
  target: Target;
  /** Whether the key of another project was given. */
  withOtherKey: boolean;
  /** The forms of the run's keys; absent if the target file names no `keyPrefix`. */
  keyForms?: KeyForms;
  /** Additional headers of the run's requests to the target, with placeholders for secret values. */
  headers: Record<string, string>;
  /** Tag of the run in the names of its resources. */
  stamp: string;
  /** Secret values that the suite generated, by name. */
  secrets: Readonly<Record<string, string>>;
  happenings: readonly RecordedEvent[];
  /** Verdict totals of the rows of the contract. `beyond` has the totals of the rows beyond the contract. */
  totals: Totals;
  beyond: Totals;
}
