import { writeFileSync } from 'node:fs';
import { openJournal } from '../journal.ts';
import { type ClientDone, type ClientWork, brokenWork, doWork, goodWork, seedsMax } from './client-runs.ts';
import { clientsPage } from './clients-page.ts';

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
 * false alarm, a rule without a verdict, a broken client that another rule catches or its own does not, and work that is left.
 */
export async function proveClients(given: ClientsOptions): Promise<boolean> {
  const { only, minutes, fresh } = given;
  const journal = openJournal<ClientDone>('clients', fresh);
  const all = [...brokenWork(), ...goodWork(Math.min(given.seedsMax, seedsMax))];
  const chosen = all.filter(({ key }) => key.startsWith(only));
  const until = performance.now() + minutes * 60_000;
  const left = await workThrough(chosen, journal, () => performance.now() > until);
  const done = [...journal.done.values()];
  writeFileSync('docs/evidence/clients.md', clientsPage(done, journal.commit));
  const faults = done.flatMap(clientFaults);
  console.log(`${done.length} judgements, ${faults.length} faults, ${left} left: docs/evidence/clients.md`);
  return faults.length === 0 && left === 0;
}

/** Does what the journal does not have yet, one after the other: each uses the whole machine. Returns how many are left. */
async function workThrough(
  work: readonly ClientWork[],
  journal: ReturnType<typeof openJournal<ClientDone>>,
  isOver: () => boolean,
): Promise<number> {
  const rest = work.filter(({ key }) => !journal.done.has(key));
  console.log(`clients on ${journal.commit}: ${work.length} in all, ${work.length - rest.length} done before`);
  for (const [index, piece] of rest.entries()) {
    if (isOver()) return rest.length - index;
    const done = await doWork(piece);
    journal.add(done);
    const faults = clientFaults(done);
    console.log([`${done.key}: ${done.seconds.toFixed(1)} s`, ...faults].join('\n  '));
  }
  return 0;
}

/** What is wrong with one judgement; empty when nothing is. */
function clientFaults({ key, client, found, open, notes }: ClientDone): string[] {
  if (!key.startsWith('broken ')) return [...notes, ...open.map((id) => `${id} has no verdict`)];
  const missed = found.includes(client) ? [] : [`${client} does not catch it`];
  return [...missed, ...notes.filter((note) => !note.startsWith(`${client} `))];
}
