import { cleanUp } from './cleanup.ts';
import { type Ledger, type LedgerEntry, createLedger, thingKinds } from './harness/ledger.ts';
import { createRecorder } from './harness/recorder.ts';
import { type JsonValue, isJsonObject, textOf } from './harness/json.ts';
import { SuiteError } from './harness/suite-error.ts';
import { type Target, generations } from './harness/target/target.ts';
import { type NetworkOptions, openNetwork } from './network/index.ts';
import { settle } from './options.ts';

/** What is cleaned up after a run. */
export interface CleanOptions {
  target: Target;
  apiKey: string;
  /** A proxy, or authorities of certificates, on the way to the target. @defaultValue the plain network */
  network?: NetworkOptions;
  /** Entries of a report or of the ledger beside it. */
  entries: readonly LedgerEntry[];
}

/** Ends what a run has left behind; returns every entry with its state afterwards. */
export async function clean({ target, apiKey, entries, network = {} }: CleanOptions): Promise<readonly LedgerEntry[]> {
  const ledger: Ledger = createLedger();
  for (const entry of entries) ledger.update(ledger.request(entry), entry);
  const way = openNetwork(network);
  const settings = way.carry(settle({ target, apiKey }));
  await cleanUp({ settings, ledger, recorder: createRecorder() });
  await way.close();
  return ledger.entries();
}

/** The entries and the address in a report or ledger file; throws SuiteError `usage` for anything else. */
export function readEntries(json: JsonValue | undefined): { url: string; entries: LedgerEntry[] } {
  const target = isJsonObject(json) ? json['target'] : undefined;
  const created = isJsonObject(json) ? json['created'] : undefined;
  if (isJsonObject(target) && typeof target['url'] === 'string' && Array.isArray(created)) {
    return { url: target['url'], entries: created.flatMap((entry) => entryOf(entry)) };
  }
  throw new SuiteError('usage', {
    found: 'a file without target.url and created',
    expected: 'a report of `svc check --report json=FILE`, or the ledger beside it',
    next: 'pass the file that the run has written',
  });
}

function entryOf(value: JsonValue): LedgerEntry[] {
  if (!isJsonObject(value)) return [];
  const { kind, generation, id, createdBy } = value;
  const known = thingKinds.find((name) => name === kind);
  const version = generations.find((name) => name === generation);
  if (known === undefined || version === undefined || typeof id !== 'string') return [];
  // Whatever the file says, the thing may still live: stopping twice does no harm.
  return [{ kind: known, generation: version, id, createdBy: textOf(createdBy), state: 'live' }];
}
