import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readHar } from '#conformance/recording/index.ts';
import { readReport } from '#conformance/runner/read-report.ts';
import type { Report } from '#conformance/core/report.ts';
import { runSvc } from '../../tools/conformance/svc-process.ts';
import { writeTarget } from '../../tools/conformance/write-target.ts';
import { makeDatabase } from '../../test/support/postgres/make-database.ts';
import type { Hosts } from '../kills/fleet.ts';
import { type Books, readBooks } from '../kills/read-books.ts';
import { type TableReader, postgresReader } from '../kills/table-reader.ts';
import { type SplitFindings, splitFindings } from './blame.ts';
import { type ScaledService, startScaledService } from './scaled-service.ts';
import { setTimeout } from 'node:timers/promises';
import { createDraw } from '../draw.ts';
import type { AccessTokens } from '#lib/vault.ts';

/** Options of one conformance run against a service of several processes. */
interface ScaleRun {
  readonly hosts: Hosts;
  /** Interval between two kills of workers in milliseconds; null for a run without kills. */
  readonly killEveryMs: number | null;
  readonly seed: number;
  /** URL of a PostgreSQL server on which a database can be created. */
  readonly server: string;
  /** Value of `--only` for `svc check`; empty to select all requirements. */
  readonly only: string;
  readonly progress: (line: string) => void;
}

/** Result of one run. */
export interface ScaleResult {
  readonly run: ScaleRun;
  readonly report: Report;
  readonly killed: Killed;
  readonly blame: SplitFindings;
  readonly books: Books;
  /** Faults, one sentence each. */
  readonly faults: readonly string[];
}

const nothingKilled: Killed = { kills: 0, lost: new Set(), clearedMs: [] };

/**
 * Starts the processes, runs `svc check` with or without kills of workers, and stops the processes. Returns the report,
 * the findings that no kill explains, and the processes that still run. Rejects if `svc check` ends with an exit code
 * above 1.
 */
export async function judgeScaled(run: ScaleRun): Promise<ScaleResult> {
  const { hosts, killEveryMs, seed, progress } = run;
  const name = `scale_${hosts}_${killEveryMs === null ? 'steady' : 'killing'}`;
  const folder = join('.svc/long', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const database = await makeDatabase(run.server, name);
  const read = postgresReader(database);
  await using owned = new AsyncDisposableStack();
  const service = await startScaledService({ hosts, database, movesClock: killEveryMs === null, logs: folder });
  owned.adopt(service, async (one) => void (await one.stop()));
  const checked = check(service, { folder, run });
  const killed =
    killEveryMs === null
      ? nothingKilled
      : await killWhile(checked, (signal) =>
          killWorkers({ service, read, everyMs: killEveryMs, seed, progress }, signal),
        );
  await checked;
  const report = readReport(readFileSync(join(folder, 'report.json'), 'utf8'), 'report.json');
  const recording = readHar(readFileSync(join(folder, 'run.har'), 'utf8'));
  const blamed = splitFindings({
    report,
    recording,
    lost: await getNames(read, service.tokens, [...killed.lost]),
    isSimulated: hosts === 'simulated',
  });
  const left = await service.stop();
  const books = await readBooks(read);
  return {
    run,
    report,
    killed,
    blame: blamed,
    books,
    faults: [...blamed.faults, ...getEnd(report), ...books.faults, ...left],
  };
}

/** Runs `kill` with a signal that aborts when the suite has ended, and returns the result. */
async function killWhile(checked: Promise<unknown>, kill: (signal: AbortSignal) => Promise<Killed>): Promise<Killed> {
  const over = new AbortController();
  const end = (): void => over.abort();
  void checked.then(end, end);
  return kill(over.signal);
}

async function check(
  service: ScaledService,
  { folder, run }: { readonly folder: string; readonly run: ScaleRun },
): Promise<void> {
  const [key, other] = service.keys;
  const target = join(folder, 'target.yaml');
  await writeTarget(target, service, key);
  const shown = ['--report', `terminal,json=${join(folder, 'report.json')},har=${join(folder, 'run.har')}`];
  const narrow = run.only === '' ? [] : ['--only', run.only];
  const plan = [
    '--profile',
    'full',
    '--spend',
    'task',
    '--max-dispatches',
    '400',
    '--rate',
    '0',
    '--seed',
    String(run.seed),
  ];
  // On a loaded machine a Chromium takes longer to start than the usual deadline.
  const deadline = run.hosts === 'local' ? ['--timeout', '120s'] : [];
  const code = await runSvc(['check', service.address, '--target', target, ...plan, ...deadline, ...shown, ...narrow], {
    SERVICE_API_KEY: key,
    SVC_OTHER_API_KEY: other,
  });
  // Violations are taken from the report, because the end of a worker explains some of them.
  if (code > 1) throw new Error(`svc check ended with exit code ${code}`);
}

function getEnd({ ended }: Report): string[] {
  return ended === 'complete' ? [] : [`the run ended early: ${ended}`];
}

/** Options of the kills. */
interface KillingOptions {
  readonly service: ScaledService;
  /** Reads the tables of the service. */
  readonly read: TableReader;
  /** Interval between two kills of workers in milliseconds. */
  readonly everyMs: number;
  /** Seed of the choice of workers. */
  readonly seed: number;
  readonly progress: (line: string) => void;
}

/** Result of the kills. */
interface Killed {
  readonly kills: number;
  /**
   * Ids of sessions and browsers that a killed worker owned at any moment from the kill until their reclaim. Includes
   * sessions and browsers that had ended up to 10 s before such a moment.
   */
  readonly lost: ReadonlySet<string>;
  /** Times from the kill of a worker until all its sessions and browsers were reclaimed, in milliseconds. */
  readonly clearedMs: readonly number[];
}

/** Interval in ms at which the resources of a killed worker are read. */
const lookMs = 100;

/**
 * Kills and restarts one worker after the other until the signal aborts. Then resolves after the current restart, when
 * the resources of each killed worker are reclaimed.
 */
async function killWorkers(options: KillingOptions, stop: AbortSignal): Promise<Killed> {
  const { service, everyMs, seed, progress } = options;
  const draw = createDraw(seed);
  const lost = new Set<string>();
  const clearedMs: number[] = [];
  for (let kills = 0; ; kills += 1) {
    if (!(await waited(everyMs, stop))) return { kills, lost, clearedMs };
    const at = draw.below(service.workers.length);
    clearedMs.push(await killOne(options, at, lost));
    progress(
      `killed worker ${at}: ${lost.size} sessions and browsers up to now, cleared up after ${Math.round(clearedMs.at(-1) ?? 0)} ms`,
    );
  }
}

/**
 * Kills and restarts a worker. Records the ids of its sessions and browsers until they are reclaimed, and returns the
 * milliseconds from the kill to that moment. Throws if no live worker is registered at the URL.
 */
async function killOne({ service, read }: KillingOptions, at: number, lost: Set<string>): Promise<number> {
  const worker = await workerAt(read, service.workers[at] ?? '');
  if (worker === null) throw new Error(`found no worker at ${service.workers[at]}`);
  const note = async (): Promise<void> => {
    for (const id of await ownedBy(read, worker)) lost.add(id);
  };
  await note();
  await service.killWorker(at);
  const begun = performance.now();
  const [clearedMs] = await Promise.all([reclaimed(), service.startWorker(at)]);
  return clearedMs;

  async function reclaimed(): Promise<number> {
    for (;;) {
      await note();
      if (await isClearedUp(read, worker ?? '')) return performance.now() - begun;
      await setTimeout(lookMs);
    }
  }
}

/** Returns true after `ms`, or false as soon as the signal aborts. */
async function waited(ms: number, stop: AbortSignal): Promise<boolean> {
  const [outcome] = await Promise.allSettled([setTimeout(ms, null, { signal: stop })]);
  return outcome.status === 'fulfilled';
}

/** Time in milliseconds after the end of a session in which the session still stores videos and files. */
const lingersMs = 10_000;

/** Returns the id of the worker that is registered at a URL and not marked as dead; null without such a worker. */
async function workerAt(read: TableReader, address: string): Promise<string | null> {
  const [row] = await read(`select id from workers where url = ${quoted(address)} and buried_at is null`);
  return row === undefined ? null : String(row['id']);
}

/** Returns true if the service has marked a process as dead, and the process owns no live session or browser. */
async function isClearedUp(read: TableReader, worker: string): Promise<boolean> {
  const id = quoted(worker);
  const rows = await read(`
    select id from workers where id = ${id} and buried_at is null
    union all select id from sessions where owner = ${id} and status in ('created', 'idle', 'running')
    union all select id from browsers where owner = ${id} and status = 'active'`);
  return rows.length === 0;
}

/**
 * Returns the ids of a process's live sessions and standalone browsers, and of those that have ended within the last
 * `lingersMs` milliseconds.
 */
async function ownedBy(read: TableReader, worker: string): Promise<string[]> {
  const since = Date.now() - lingersMs;
  const rows = await read(`
    select id from sessions where owner = ${quoted(worker)} and (status in ('created', 'idle', 'running') or updated_at > ${since})
    union all
    select id from browsers where owner = ${quoted(worker)} and (status = 'active' or finished_at > ${since})`);
  return rows.map(({ id }) => String(id));
}

/** Returns the ids of the given sessions and browsers, the ids of their runs, and the tokens in their URLs. */
async function getNames(
  read: TableReader,
  tokens: Pick<AccessTokens, 'read'>,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const list = ids.map(quoted).join(', ');
  const runs = await read(`select id from runs where session_id in (${list})`);
  const opened = async (table: 'sessions' | 'browsers', uses: readonly string[]): Promise<string[]> => {
    const rows = await read(`select id, sealed_tokens from ${table} where id in (${list}) and sealed_tokens <> ''`);
    return rows.flatMap(({ id, sealed_tokens: sealed }) =>
      uses.map((use) => tokens.read({ id: String(id), sealedTokens: String(sealed) }, use)),
    );
  };
  const [ofSessions, ofBrowsers] = [
    await opened('sessions', ['live', 'view']),
    await opened('browsers', ['cdp', 'live', 'view']),
  ];
  return [...ids, ...runs.map(({ id }) => String(id)), ...ofSessions, ...ofBrowsers];
}

/**
 * Quotes a text as an SQL string. Ids are UUIDs and URLs are generated, so escaping is not implemented: throws for a
 * text with a single quote.
 */
function quoted(text: string): string {
  if (text.includes("'")) throw new Error(`cannot ask for ${text}`);
  return `'${text}'`;
}
