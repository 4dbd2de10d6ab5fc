import { readHar, type Recording } from '../recording/index.ts';
import { createPlayback } from './create-playback.ts';
import { selectRequirements } from './select.ts';
import { countVerdicts } from './count-verdicts.ts';
import type { Report } from '../core/report.ts';
import { run } from './run.ts';

/** Options of {@link judgeRecording}. */
export interface JudgeRecordingOptions {
  /** Text of a HAR file that a run has written. */
  text: string;
  /** Name of the file, for messages. @defaultValue the recording */
  name?: string;
  /**
   * Selects the requirements that the report contains, by ids, areas or generations. An id may be retired, or belong to
   * one row of the table of a requirement (`covers`).
   * @defaultValue every requirement of the run
   */
  only?: readonly string[];
  /** Called once after the playback, with the recording that was read from `text`. */
  onRecording?: (recording: Recording) => void;
}

/** Judges a recorded run again without network access. Throws SuiteError `usage` for a file that no run has written. */
export async function judgeRecording({ text, name, only, onRecording }: JudgeRecordingOptions): Promise<Report> {
  const recording = readHar(text, name);
  const wanted = new Set(selectRequirements(only).map(({ id }): string => id));
  const report = await run(createPlayback(recording));
  onRecording?.(recording);
  const { startedAt, durationMs } = recording;
  // The whole recording is played back, because rows over all exchanges need it; only the wanted rows are shown.
  const requirements = report.requirements.filter(({ id }) => wanted.has(id));
  return { ...report, startedAt, durationMs, requirements, ...countVerdicts(requirements) };
}
