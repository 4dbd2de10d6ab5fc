import type { ControlledClock } from '#backend/clock/clock.ts';
import { createControlServer } from '#backend/control/control-server.ts';
import type { FaultSwitch } from '#backend/control/fault-switch.ts';
import type { RefusalSwitch } from '#backend/control/refusal-switch.ts';
import { createRequestLog } from '#backend/control/request-log.ts';
import type { Backend } from '#backend/create-backend.ts';
import { shownPath } from '#http/shown-path.ts';
import type { ServeOptions } from './serve-options.ts';

/** What the control address moves. */
export interface Controlled {
  readonly clock: ControlledClock;
  readonly faults: FaultSwitch;
  readonly refusals: RefusalSwitch;
  readonly backend: Backend;
}

/** Opens the control address of a service for tests; null where none is wanted. */
export async function openControl(
  { control }: ServeOptions,
  { clock, faults, refusals, backend }: Controlled,
  owned: AsyncDisposableStack,
): Promise<string | null> {
  if (control === null) return null;
  const requests = createRequestLog();
  const server = createControlServer({ clock, engine: backend.engine, faults, refusals, requests });
  owned.defer(() => server.close());
  backend.app.addHook('onResponse', async (request, reply) => {
    const at = new Date(clock.now()).toISOString();
    requests.add({ at, method: request.method, path: shownPath(request.url), status: reply.statusCode });
  });
  return server.listen(control);
}
