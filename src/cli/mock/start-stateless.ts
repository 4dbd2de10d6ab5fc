import { createMock } from '#mock/create-mock.ts';
import { createLog } from '../create-log.ts';
import type { MockOptions, StartedMock } from './mock-flags.ts';
import { createReplay, readRecording, RecordingFault } from '#mock/replay/create-replay.ts';
import { parseJsonFile, readTextFile } from '#conformance/core/data-file.ts';
import { SuiteError } from '#conformance/core/suite-error.ts';
import { defaultRules, getLimit } from '#contract/rule-book.ts';

/** Starts a mock that answers from the documents and stores nothing. */
export async function startStateless({
  latencyMs,
  logLevel,
  port,
  host,
  ...options
}: MockOptions & { readonly dynamic: boolean }): Promise<StartedMock> {
  const server = await createMock({
    ...options,
    ...(latencyMs === null ? {} : { latencyMs }),
    log: createLog(logLevel),
  });
  const address = await server.listen(port, host);
  return { address, controlAddress: null, close: () => server.close() };
}

/** Starts a mock that answers from a recording. Rejects with a readable message for a missing or invalid file. */
export async function startReplay({
  replay,
  latencyMs,
  logLevel,
  port,
  host,
  ...options
}: MockOptions & { readonly replay: string }): Promise<StartedMock> {
  const text = readTextFile(replay, recordingUse);
  // Parses the text only for the error message, which names the line.
  parseJsonFile(text, { ...recordingUse, name: replay });
  const calls = readCalls(text, replay);
  const server = createReplay({ ...options, calls, latencyMs: latencyMs ?? [0, 0], log: createLog(logLevel) });
  return { address: await server.listen(port, host), controlAddress: null, close: () => server.close() };
}

function readCalls(text: string, name: string): ReturnType<typeof readRecording> {
  try {
    return readRecording(text);
  } catch (error) {
    if (!(error instanceof RecordingFault)) throw error;
    const { found, expected } = error;
    throw new SuiteError('usage', { ...recordingUse, found: `${found} in ${name}`, expected });
  }
}

const recordingUse = {
  expected: 'a recording: a HAR of svc check --report har=FILE, or of a browser',
  next: 'correct the path of --replay',
  bytesMax: getLimit(defaultRules, 'suiteFile'),
};
