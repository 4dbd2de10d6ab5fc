import { judgeRecording, readTextFile, recordingUse, runVerdict } from '../../../conformance/index.ts';
import { whileSaying } from '../while-saying.ts';
import { keepRecording, makeRoomForOutputs, readOutputs, writeOutputs } from './outputs.ts';
import { type Flags, strictness, text } from './read-flags.ts';

/** Runs `svc judge`; answers with the exit code. */
export async function runJudge(file: string, flags: Flags): Promise<number> {
  const outputs = readOutputs(text(flags, 'report') ?? 'terminal', flags['details'] === true);
  makeRoomForOutputs(outputs);
  const only = text(flags, 'only')
    ?.split(',')
    .map((word) => word.trim());
  const recorded = { text: readTextFile(file, recordingUse), name: file, ...(only === undefined ? {} : { only }) };
  const { report: judged, recording } = await whileSaying('judging the recording', () =>
    keepRecording((onRecording) => judgeRecording({ ...recorded, onRecording })),
  );
  const report = { ...judged, ...strictness(flags) };
  writeOutputs(report, outputs, recording);
  return runVerdict(report).exitCode;
}
