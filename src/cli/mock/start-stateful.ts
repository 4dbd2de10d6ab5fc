import { createControlServer } from '#api/control/control-server.ts';
import { createUsualLog } from '#mock/request-log/index.ts';
import { createLog } from '../create-log.ts';
import type { StartedMock, StatefulOptions } from './mock-options.ts';
import { openStateful } from './open-stateful.ts';

/** Starts a mock whose sessions really move, with its control address where one is wanted. */
export async function startStateful(options: StatefulOptions): Promise<StartedMock> {
  const beside = { log: createLog(options.logLevel), ...createUsualLog(options.apiKey) };
  let current = await openStateful(options, beside);
  const { address } = current;
  let turn: Promise<void> = Promise.resolve();
  const again = async (): Promise<void> => {
    await current[Symbol.asyncDispose]();
    current = await openStateful({ ...options, port: Number(new URL(address).port) }, beside);
  };
  /** At the same address, with the same seed: everything that was made is gone, and the first thing has the first name again. One at a time. */
  const restart = (): Promise<void> => {
    turn = turn.then(again, again);
    return turn;
  };
  const control = createControlServer({
    get clock() {
      return current.clock;
    },
    get engine() {
      return current.backend.engine;
    },
    get faults() {
      return current.faults;
    },
    get refusals() {
      return current.refusals;
    },
    requests: beside.calls,
    restart,
  });
  const close = async (): Promise<void> => {
    await control.close();
    // Whoever asked for it was told when it failed.
    await Promise.allSettled([turn]);
    await current[Symbol.asyncDispose]();
  };
  try {
    return { address, controlAddress: options.control === null ? null : await control.listen(options.control), close };
  } catch (error) {
    await close();
    throw error;
  }
}
