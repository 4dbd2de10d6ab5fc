import { createClient } from './harness/client.ts';
import { succeeded } from './harness/exchange.ts';
import type { Ledger, LedgerEntry } from './harness/ledger.ts';
import { placeOf } from './harness/operations.ts';
import { pathWithId } from './harness/path-with-id.ts';
import type { Recorder } from './harness/recorder.ts';
import type { Send } from './harness/client.ts';
import { contractSchemas as schemas } from './harness/schemas.ts';
import { createHide } from './harness/hide.ts';
import { createThings } from './harness/things.ts';
import { createSeen } from './harness/seen.ts';
import { createThrottle } from './harness/throttle.ts';
import { type RunSettings, paceOf } from './options.ts';

/** What is cleaned up. */
export interface CleanUpInput {
  settings: RunSettings;
  ledger: Ledger;
  recorder: Recorder;
}

/** Ends everything in the ledger that lives and removes sessions where the target can; never throws. */
export async function cleanUp({ settings, ledger, recorder }: CleanUpInput): Promise<void> {
  const { target, surroundings } = settings;
  // Its own signal: an interrupted run has to clean up all the same.
  const signal = AbortSignal.timeout(60_000);
  const { elapsedMs, wait } = surroundings;
  const seen = createSeen(recorder);
  const throttle = createThrottle(paceOf(settings));
  const client = { ...settings, schemas, recorder, throttle, signal, hide: createHide(settings), elapsedMs };
  const send = seen.through(createClient(client, 'clean-up'));
  const pause = seen.paused((ms) => wait(ms, signal));
  const things = createThings({ target, ledger, send, pause, nowMs: seen.nowMs });
  const made = ledger.entries().filter((entry) => entry.state === 'live' || entry.state === 'ended');
  const finish = async (entry: LedgerEntry): Promise<boolean> => {
    const [ended, removed] = [await outcomeOf(things.end(entry)), await outcomeOf(remove(entry, settings, send))];
    if (removed === true) ledger.update(entry, { state: 'ended' });
    return entry.state === 'ended' || (ended !== 'limited' && removed !== 'limited');
  };
  let unfinished = made;
  for (const waitMs of backOffMs) {
    if (unfinished.length === 0 || signal.aborted) return;
    await wait(waitMs);
    const finished = await Promise.all(unfinished.map(finish));
    unfinished = unfinished.filter((_entry, index) => finished[index] === false);
  }
}

/** Waits between tries where the target limits the rate: clean-up is when it is most likely to do so. In ms. */
const backOffMs = [0, 1_000, 2_000, 5_000, 10_000, 20_000];

/** What a step came to; `limited` when it was refused with 429 or cut off, and is worth another try. */
async function outcomeOf(step: Promise<boolean>): Promise<boolean | 'limited'> {
  const [outcome] = await Promise.allSettled([step]);
  return outcome?.status === 'fulfilled' ? outcome.value : 'limited';
}

// Deleting a session ends it too, where stopping did not work. True when it is gone.
async function remove(entry: LedgerEntry, { target }: RunSettings, send: Send): Promise<boolean> {
  const operation = entry.generation === 'v2' ? placeOf(target, 'v2.deleteSession') : (target.v3?.delete ?? null);
  if (entry.kind !== 'session' || entry.id === undefined || operation === null || target.stateless) return false;
  const exchange = await send({
    generation: entry.generation,
    operation: 'deleteSession',
    method: operation.method,
    path: pathWithId(operation.path, entry.id),
  });
  return succeeded(exchange);
}
