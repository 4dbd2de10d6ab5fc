import { type GoodServer, goodServers } from './good-servers.ts';
import { prove } from './prove.ts';
import { writeSeedsPage } from './seeds-page.ts';
import type { Done, LongOptions } from './work.ts';

/** Judges good and legal servers at many seeds and writes docs/evidence/seeds.md; false when there was an alarm. */
export async function proveSeeds(options: LongOptions): Promise<boolean> {
  const servers = goodServers.filter(({ id }) => id.includes(options.only));
  const counts = new Map(servers.map(({ id, seeds }) => [id, Math.min(seeds, options.seedsMax)]));
  const rounds = Math.max(0, ...counts.values());
  // Every server at seed 1, then every one at seed 2: whoever ends early has seen something of each.
  const work = Array.from({ length: rounds }, (_, index) => index + 1).flatMap((seed) =>
    servers
      .filter(({ id }) => seed <= (counts.get(id) ?? 0))
      .map(({ id }) => ({ key: `${id} ${seed}`, what: 'seed' as const, server: id, seed })),
  );
  const proved = await prove({ name: 'seeds', work, problemsOf: (done) => alarmsOf(servers, done) }, options);
  writeSeedsPage(servers, proved);
  console.log(`${proved.done.length} runs, ${proved.problems.length} alarms: docs/evidence/seeds.md`);
  return proved.done.length === proved.planned && proved.problems.length === 0;
}

/** What a run has found that is no fault. */
function alarmsOf(servers: readonly GoodServer[], { server, failing, errors, left, notes }: Done): string[] {
  const promises = servers.find(({ id }) => id === server)?.promises ?? [];
  const told = (id: string): string => notes.find((note) => note.startsWith(`${id}:`)) ?? id;
  return [
    ...failing.filter((id) => !promises.includes(id)).map((id) => `alarm ${told(id)}`),
    ...errors.map((id) => `error ${told(id)}`),
    ...(left === 0 ? [] : [`left ${left} things alive`]),
  ];
}
