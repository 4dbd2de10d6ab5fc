import { createControlServer } from '#backend/control/control-server.ts';
import { createRequestLog } from '#backend/control/request-log.ts';
import { createLog } from '../create-log.ts';
import type { StartedMock, StatefulOptions } from './mock-options.ts';
import { openStateful } from './open-stateful.ts';

/** Starts a mock whose sessions really move, with its control address where one is wanted. */
export async function startStateful(options: StatefulOptions): Promise<StartedMock> {
  const log = createLog(options.logLevel);
  let current = await openStateful(options, log);
  const { address } = current;
  const requests = createRequestLog();
  /** At the same address, with the same seed: everything that was made is gone, and the first thing has the first name again. */
  const restart = async (): Promise<void> => {
    await current[Symbol.asyncDispose]();
    current = await openStateful({ ...options, port: Number(new URL(address).port) }, log);
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
    requests,
    restart,
  });
  const close = async (): Promise<void> => {
    await control.close();
    await current[Symbol.asyncDispose]();
  };
  try {
    return { address, controlAddress: options.control === null ? null : await control.listen(options.control), close };
  } catch (error) {
    await close();
    throw error;
  }
}
