import { readHar, type Recording } from '../recording/index.ts';
import { createPlayback } from './create-playback.ts';
import { selectRequirements } from './select.ts';
import { countVerdicts } from './count-verdicts.ts';
import type { Report } from '../core/report.ts';
import { run } from './run.ts';

/** What is judged again. */
export interface JudgeRecordingOptions {
  /** Text of a HAR that a run has written. */
  text: string;
  /** Name of its file, for messages. @defaultValue the recording */
  name?: string;
  /** Requirement ids, covered ids, areas or generations; every row of the run when absent. */
  only?: readonly string[];
  /** Is given what was played back. */
  onRecording?: (recording: Recording) => void;
}

/** Judges a recorded run again, with no network. Throws SuiteError `usage` for a file that no run has written. */
export async function judgeRecording({ text, name, only, onRecording }: JudgeRecordingOptions): Promise<Report> {
  const recording = readHar(text, name);
  const wanted = new Set(selectRequirements(only).map(({ id }): string => id));
  const report = await run(createPlayback(recording));
  onRecording?.(recording);
  const { startedAt, durationMs } = recording;
  // Everything is played back, because rows that judge all that was seen need it; fewer are shown.
  const requirements = report.requirements.filter(({ id }) => wanted.has(id));
  return { ...report, startedAt, durationMs, requirements, ...countVerdicts(requirements) };
}
