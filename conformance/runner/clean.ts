import { cleanUp } from './cleanup.ts';
import { createLedger } from '../ledger/ledger.ts';
import { type LedgerEntry, resourceKinds } from '../core/ledger.ts';
import { createRecorder } from '../core/recorder.ts';
import { type JsonValue, isJsonObject, parseJson, textOf } from '../core/json.ts';
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

/** What is cleaned up after a run. */
export interface CleanOptions {
  target: Target;
  apiKey: string;
  /** A proxy, or authorities of certificates, on the way to the target. @defaultValue the plain network */
  network?: NetworkOptions;
  /** Key of the other project of the run, for what was made with it. */
  otherApiKey?: string;
  /** Headers for every request. */
  headers?: Record<string, string>;
  /** Word of the run, by which things are found whose answer was lost. */
  stamp?: string;
  /** Entries of a report or of the ledger beside it. */
  entries: readonly LedgerEntry[];
}

/** What has become of the things of a run. */
export interface Cleaned {
  /** Every entry with its state afterwards. */
  entries: readonly LedgerEntry[];
  /** What lives on or may exist. */
  left: readonly LeftEntry[];
}

/** Ends what a run has left behind. May be called again: what has ended stays as it is. */
export async function clean({ entries, stamp, network = {}, ...options }: CleanOptions): Promise<Cleaned> {
  const ledger = createLedger();
  for (const entry of entries) ledger.update(ledger.request(entry), entry);
  // Without a word of its own a run has marked nothing, and no text may match.
  const environment = createRunEnvironment(stamp ?? 'a word that nothing carries');
  const way = openNetwork(network);
  const settings = way.carry(settle({ ...options, environment }));
  const candidates = await cleanUp({ settings, ledger, recorder: createRecorder(), wasKilled: true });
  await way.close();
  return { entries: ledger.entries(), left: listLeftEntries(ledger.entries(), options.target, candidates) };
}

/** What a report or ledger file says of a run. */
export interface SavedRun {
  url: string;
  stamp: string | undefined;
  entries: LedgerEntry[];
}

/** Reads a report, or the ledger beside it; throws SuiteError `usage` for anything else. */
export function readEntries(text: string, name = 'the file'): SavedRun {
  const whole = parseJson(text);
  const saved = whole === undefined || !isJsonObject(whole) || !('target' in whole) ? undefined : readReport(whole);
  const found = saved ?? readLedger(text);
  if (found !== undefined) return found;
  // Names the line of text that is not JSON.
  parseJsonFile(text, { ...reportUse, name });
  throw new SuiteError('usage', {
    found: `${name} without target.url and created`,
    expected: 'a report of `svc check --report json=FILE`, or the ledger beside it',
    next: 'pass the file that the run has written',
  });
}

function readReport(json: JsonValue): SavedRun | undefined {
  const head = headOf(json);
  const created = isJsonObject(json) ? json['created'] : undefined;
  return head === undefined || !Array.isArray(created)
    ? undefined
    : { ...head, entries: created.flatMap((entry) => entryOf(entry)) };
}

// A head line, then one line for each booking. The last line of a process that was killed may be cut.
function readLedger(text: string): SavedRun | undefined {
  const [first, ...lines] = text.split('\n').map(parseJson);
  const head = headOf(first);
  if (head === undefined) return undefined;
  const byNumber = new Map<string, LedgerEntry>();
  for (const line of lines) {
    const number = isJsonObject(line) ? textOf(line['n']) : '';
    const [entry] = line === undefined ? [] : entryOf(line);
    if (entry === undefined) byNumber.delete(number);
    else byNumber.set(number, entry);
  }
  return { ...head, entries: [...byNumber.values()] };
}

function headOf(json: JsonValue | undefined): Pick<SavedRun, 'url' | 'stamp'> | undefined {
  const target = isJsonObject(json) ? json['target'] : undefined;
  if (!isJsonObject(json) || !isJsonObject(target) || typeof target['url'] !== 'string') return undefined;
  const stamp = json['stamp'];
  return { url: target['url'], stamp: typeof stamp === 'string' ? stamp : undefined };
}

const states = ['requested', 'live', 'ended'] as const;

// What was refused was never made.
function entryOf(value: JsonValue): LedgerEntry[] {
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
      createdBy: textOf(createdBy),
      state,
      ...(typeof id === 'string' ? { id } : {}),
      ...(typeof name === 'string' ? { name } : {}),
      ...(key === 'other' ? { key } : {}),
    },
  ];
}
