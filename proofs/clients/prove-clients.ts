import { writeFileSync } from 'node:fs';
import { openJournal } from '../journal.ts';
import { type ClientDone, type ClientWork, brokenWork, doWork, goodWork, seedsMax } from './client-runs.ts';
import { clientsPage } from './clients-page.ts';
import { measureReachedTrials } from './reached-trials.ts';

/** What the proof is made with. */
export interface ClientsOptions {
  /** Part of the keys to take: an adapter, `broken`, a rule. All when empty. */
  readonly only: string;
  readonly seedsMax: number;
  /** Nothing is begun after this time. */
  readonly minutes: number;
  readonly fresh: boolean;
}

/**
 * Judges the good clients at many seeds and every broken client by all rules, and writes docs/evidence/clients.md. Returns false for a
 * false alarm, a rule without a verdict at the first seed, a broken client that another rule catches or its own does not, and work that
 * is left.
 */
export async function proveClients(given: ClientsOptions): Promise<boolean> {
  const { only, minutes, fresh } = given;
  const journal = openJournal<ClientDone>('clients', fresh);
  const until = performance.now() + minutes * 60_000;
  const all = goodWork(Math.min(given.seedsMax, seedsMax));
  if ('broken'.startsWith(only) || only.startsWith('broken')) all.push(...brokenWork(await measureReachedTrials()));
  const chosen = all.filter(({ key }) => key.startsWith(only));
  const left = await workThrough(chosen, journal, () => performance.now() > until);
  const done = [...journal.done.values()];
  writeFileSync('docs/evidence/clients.md', clientsPage(done, all));
  const faults = done.flatMap(clientFaults);
  console.log(`${done.length} judgements, ${faults.length} faults, ${left} left: docs/evidence/clients.md`);
  return faults.length === 0 && left === 0;
}

/** Judgements that run at the same time: programs wait most of their time. */
const judgementsAtOnce = 3;

/** Does what the journal does not have yet. Returns how many judgements are left. */
async function workThrough(
  work: readonly ClientWork[],
  journal: ReturnType<typeof openJournal<ClientDone>>,
  isOver: () => boolean,
): Promise<number> {
  const rest = work.filter(({ key }) => !journal.done.has(key));
  console.log(`clients on ${journal.commit}: ${work.length} in all, ${work.length - rest.length} done before`);
  const takeNext = async (): Promise<void> => {
    for (let piece = rest.shift(); piece !== undefined; piece = rest.shift()) {
      const done = await doWork(piece, journal.commit);
      journal.add(done);
      console.log([`${done.key}: ${done.seconds.toFixed(1)} s`, ...clientFaults(done)].join('\n  '));
      if (isOver()) return;
    }
  };
  await Promise.all(Array.from({ length: judgementsAtOnce }, takeNext));
  return rest.length;
}

/** What is wrong with one judgement; empty when nothing is. */
function clientFaults({ key, client, seed, found, open, notes }: ClientDone): string[] {
  // A later seed runs some trials only.
  if (!key.startsWith('broken ')) return [...notes, ...(seed === 1 ? open.map((id) => `${id} has no verdict`) : [])];
  const missed = found.includes(client) ? [] : [`${client} does not catch it`];
  return [...missed, ...notes.filter((note) => !note.startsWith(`${client} `))];
}
