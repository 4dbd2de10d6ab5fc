import { createMock } from '#mock/create-mock.ts';
import { createLog } from '../create-log.ts';
import type { MockOptions, StartedMock } from './mock-flags.ts';

/** Starts a mock that answers from the documents and keeps nothing. */
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
