import { createClient } from './harness/client.ts';
import { succeeded } from './harness/exchange.ts';
import type { Ledger, LedgerEntry } from './harness/ledger.ts';
import { pathWithId } from './harness/path-with-id.ts';
import type { Recorder } from './harness/recorder.ts';
import type { Send } from './harness/client.ts';
import { contractSchemas as schemas } from './harness/schemas.ts';
import { createThings } from './harness/things.ts';
import { createThrottle } from './harness/throttle.ts';
import type { RunSettings } from './options.ts';

/** What is cleaned up. */
export interface CleanUpInput {
  settings: RunSettings;
  ledger: Ledger;
  recorder: Recorder;
}

/** Ends everything in the ledger that lives and removes sessions where the target can; never throws. */
export async function cleanUp({ settings, ledger, recorder }: CleanUpInput): Promise<void> {
  const { target, ratePerSecond, concurrency } = settings;
  // Its own signal: an interrupted run has to clean up all the same.
  const signal = AbortSignal.timeout(60_000);
  const client = { ...settings, schemas, recorder, throttle: createThrottle({ ratePerSecond, concurrency }), signal };
  const send = createClient(client, 'clean-up');
  const things = createThings(target, ledger, send);
  const made = ledger.entries().filter((entry) => entry.state === 'live' || entry.state === 'ended');
  await Promise.allSettled(
    made.map(async (entry) => {
      await things.end(entry);
      if (await remove(entry, settings, send)) ledger.update(entry, { state: 'ended' });
    }),
  );
}

// Deleting a session ends it too, where stopping did not work. True when it is gone.
async function remove(entry: LedgerEntry, { target }: RunSettings, send: Send): Promise<boolean> {
  const operation = target.v3?.delete ?? null;
  if (entry.kind !== 'session' || entry.id === undefined || operation === null || target.stateless) return false;
  const exchange = await send({
    generation: 'v3',
    operation: 'deleteSession',
    method: operation.method,
    path: pathWithId(operation.path, entry.id),
  });
  return succeeded(exchange);
}
