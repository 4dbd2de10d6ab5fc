import type { ControlledClock } from '#lib/clock.ts';
import { createControlServer } from '#api/control/control-server.ts';
import type { FaultSwitch } from '#api/control/fault-switch.ts';
import type { RefusalSwitch } from '#api/control/refusal-switch.ts';
import type { RequestLog } from '#api/control/request-log.ts';
import type { Backend } from '#api/create-backend.ts';
import type { ServeOptions } from './serve-options.ts';

/** What the control address moves. */
export interface Controlled {
  readonly clock: ControlledClock;
  readonly faults: FaultSwitch;
  readonly refusals: RefusalSwitch;
  readonly backend: Backend;
  /** What it was asked. */
  readonly requests: RequestLog;
}

/** Opens the control address of a service for tests; null where none is wanted. */
export async function openControl(
  { control }: ServeOptions,
  { clock, faults, refusals, backend, requests }: Controlled,
  owned: AsyncDisposableStack,
): Promise<string | null> {
  if (control === null) return null;
  const server = createControlServer({ clock, engine: backend.engine, faults, refusals, requests });
  owned.defer(() => server.close());
  return server.listen(control);
}
