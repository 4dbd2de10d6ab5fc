import { judgeRecording } from '#conformance/index.ts';
import { whileSaying } from '../while-saying.ts';
import { exitCodeOf } from './exit-code-of.ts';
import { exitForError } from './exit-for-error.ts';
import { keepRecording } from './keep-recording.ts';
import { makeRoomForOutputs, readOutputs, writeOutputs } from './outputs.ts';
import { type Flags, readText, text } from './read-flags.ts';

/** Runs `svc judge`; answers with the exit code. */
export async function runJudge(file: string, flags: Flags): Promise<number> {
  try {
    const outputs = readOutputs(text(flags, 'report') ?? 'terminal');
    makeRoomForOutputs(outputs);
    const only = text(flags, 'only')
      ?.split(',')
      .map((word) => word.trim());
    const recorded = { text: readText(file), ...(only === undefined ? {} : { only }) };
    const { report, recording } = await whileSaying('judging the recording', () =>
      keepRecording((onRecording) => judgeRecording({ ...recorded, onRecording })),
    );
    writeOutputs(report, outputs, recording);
    return exitCodeOf(report, flags['strict'] === true);
  } catch (error) {
    return exitForError(error);
  }
}
