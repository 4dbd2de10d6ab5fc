import { cleanUp } from './cleanup.ts';
import { createLedger } from '../ledger/ledger.ts';
import { type LedgerEntry, resourceKinds } from '../core/ledger.ts';
import { createRecorder } from '../core/recorder.ts';
import { type JsonValue, isJsonObject, parseJson, toText } from '../core/json.ts';
import { SuiteError } from '../core/suite-error.ts';
import { createRunEnvironment } from '../transport/run-environment.ts';
import { type Target, generations } from '../core/target.ts';
import { openNetwork } from '../transport/network/open-network.ts';
import type { NetworkOptions } from '../transport/network/route.ts';
import { settle } from './options.ts';
import { parseJsonFile } from '../core/data-file.ts';
import { reportUse } from './read-report.ts';
import { listLeftEntries } from './left-entries.ts';
import type { LeftEntry } from '../core/report.ts';

/** Options of the clean-up after a run. */
export interface CleanOptions {
  target: Target;
  apiKey: string;
  /** A proxy or certificate authorities for the connection to the target. @defaultValue a direct connection */
  network?: NetworkOptions;
  /** Key of the run's other project, for resources that were created with it. */
  otherApiKey?: string;
  /** Additional headers for every request to the target. */
  headers?: Record<string, string>;
  /** Tag of the run, which identifies resources whose response was lost. */
  stamp?: string;
  /** Entries of a report, or of the ledger file that a run writes. */
  entries: readonly LedgerEntry[];
}

/** Result of the clean-up. */
export interface Cleaned {
  /** Every entry with its final state. */
  entries: readonly LedgerEntry[];
  /** Entries of resources that are alive or may exist. */
  left: readonly LeftEntry[];
}

/**
 * Ends the remaining resources of a run, and deletes its V2 and V3 sessions if the target supports that. May be called
 * again for the same run.
 */
export async function clean({ entries, stamp, network = {}, ...options }: CleanOptions): Promise<Cleaned> {
  const ledger = createLedger();
  for (const entry of entries) ledger.update(ledger.request(entry), entry);
  // Without a tag, the run has marked no resource, so the placeholder must match no text.
  const environment = createRunEnvironment(stamp ?? 'a word that nothing carries');
  const way = openNetwork(network);
  const settings = way.carry(settle({ ...options, environment }));
  const candidates = await cleanUp({ settings, ledger, recorder: createRecorder(), wasKilled: true });
  await way.close();
  return { entries: ledger.entries(), left: listLeftEntries(ledger.entries(), options.target, candidates) };
}

/** Data of a run in a report or ledger file. */
export interface SavedRun {
  url: string;
  stamp: string | undefined;
  entries: LedgerEntry[];
}

/**
 * Reads a report, or the ledger file that a run writes beside its report; throws SuiteError `usage` for any other file.
 */
export function readEntries(text: string, name = 'the file'): SavedRun {
  const whole = parseJson(text);
  const saved = whole === undefined || !isJsonObject(whole) || !('target' in whole) ? undefined : readReport(whole);
  const found = saved ?? readLedger(text);
  if (found !== undefined) return found;
  // Reports the line of a JSON syntax error.
  parseJsonFile(text, { ...reportUse, name });
  throw new SuiteError('usage', {
    found: `${name} without target.url and created`,
    expected: 'a report of `svc check --report json=FILE`, or the ledger beside it',
    next: 'pass the file that the run has written',
  });
}

function readReport(json: JsonValue): SavedRun | undefined {
  const head = parseHead(json);
  const created = isJsonObject(json) ? json['created'] : undefined;
  return head === undefined || !Array.isArray(created)
    ? undefined
    : { ...head, entries: created.flatMap((entry) => parseEntry(entry)) };
}

// A header line, then one line for each change. The last line may be truncated if the process was killed.
function readLedger(text: string): SavedRun | undefined {
  const [first, ...lines] = text.split('\n').map(parseJson);
  const head = parseHead(first);
  if (head === undefined) return undefined;
  const byNumber = new Map<string, LedgerEntry>();
  for (const line of lines) {
    const number = isJsonObject(line) ? toText(line['n']) : '';
    const [entry] = line === undefined ? [] : parseEntry(line);
    if (entry === undefined) byNumber.delete(number);
    else byNumber.set(number, entry);
  }
  return { ...head, entries: [...byNumber.values()] };
}

function parseHead(json: JsonValue | undefined): Pick<SavedRun, 'url' | 'stamp'> | undefined {
  const target = isJsonObject(json) ? json['target'] : undefined;
  if (!isJsonObject(json) || !isJsonObject(target) || typeof target['url'] !== 'string') return undefined;
  const stamp = json['stamp'];
  return { url: target['url'], stamp: typeof stamp === 'string' ? stamp : undefined };
}

const states = ['requested', 'live', 'ended'] as const;

// An entry with the state `refused` is skipped, because its resource was not created.
function parseEntry(value: JsonValue): LedgerEntry[] {
  if (!isJsonObject(value)) return [];
  const { kind, generation, id, createdBy, name, key } = value;
  const known = resourceKinds.find((word) => word === kind);
  const version = generations.find((word) => word === generation);
  const state = states.find((word) => word === value['state']);
  if (known === undefined || version === undefined || state === undefined) return [];
  return [
    {
      kind: known,
      generation: version,
      createdBy: toText(createdBy),
      state,
      ...(typeof id === 'string' ? { id } : {}),
      ...(typeof name === 'string' ? { name } : {}),
      ...(key === 'other' ? { key } : {}),
    },
  ];
}
