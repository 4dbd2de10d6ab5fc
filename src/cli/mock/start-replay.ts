import { readFile } from 'node:fs/promises';
import { createReplay } from '#mock/replay/create-replay.ts';
import { readRecording } from '#mock/replay/read-recording.ts';
import { createLog } from '../create-log.ts';
import type { MockOptions, StartedMock } from './mock-options.ts';

/** Starts a mock that answers from a recording. Rejects with a sentence for a file that is not there or is none. */
export async function startReplay({
  replay,
  latencyMs,
  logLevel,
  port,
  host,
  ...options
}: MockOptions & { readonly replay: string }): Promise<StartedMock> {
  const text = await readFile(replay, 'utf8').catch((error: unknown) => {
    throw new Error(`found no recording that can be read at ${replay}: ${String(error)}`, { cause: error });
  });
  const calls = readRecording(text);
  const server = createReplay({ ...options, calls, latencyMs: latencyMs ?? [0, 0], log: createLog(logLevel) });
  return { address: await server.listen(port, host), controlAddress: null, close: () => server.close() };
}
