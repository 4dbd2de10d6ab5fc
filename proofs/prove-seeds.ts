import { type GoodServer, goodServers } from './good-servers.ts';
import { currentCommit } from './journal.ts';
import { prove } from './prove.ts';
import { keepSeedParts, readSeedParts, seedPart, shownSeeds } from './seed-parts.ts';
import { writeSeedsPage } from './seeds-page.ts';
import type { Done, LongOptions, Work } from './work.ts';

/** Judges good and legal servers at many seeds and writes docs/evidence/seeds.md; false when there was an alarm. */
export async function proveSeeds(options: LongOptions): Promise<boolean> {
  const servers = goodServers.filter(({ id }) => id.includes(options.only));
  const work = workOf(servers, options);
  const proved = await prove({ name: 'seeds', work, problemsOf: (done) => alarmsOf(servers, done) }, options);
  const parts = servers.flatMap(({ id: server }) => {
    const runs = proved.done.filter((done) => done.server === server);
    const alarms = proved.problems.filter((problem) => problem.startsWith(`${server} `));
    return seedPart({ commit: proved.commit, server }, runs, alarms) ?? [];
  });
  writeSeedsPage(goodServers, keepSeedParts(proved.commit, parts));
  console.log(`${proved.done.length} runs, ${proved.problems.length} alarms: docs/evidence/seeds.md`);
  return proved.done.length === proved.planned && proved.problems.length === 0;
}

/** Every server at seed 1, then every one at seed 2: whoever ends early has seen something of each. */
function workOf(servers: readonly GoodServer[], { seedsMax, fresh }: LongOptions): Work[] {
  const shown = fresh ? [] : readSeedParts();
  const wanted = servers.map(({ id, seeds }) => {
    const before = shownSeeds(shown, id, currentCommit());
    return { id, seeds: upTo(Math.min(seeds, seedsMax)).filter((seed) => !before.has(seed)) };
  });
  const rounds = Math.max(0, ...wanted.map(({ seeds }) => seeds.length));
  return upTo(rounds).flatMap((round) =>
    wanted.flatMap(({ id, seeds }): Work[] => {
      const seed = seeds[round - 1];
      return seed === undefined ? [] : [{ key: `${id} ${seed}`, what: 'seed', server: id, seed }];
    }),
  );
}

/** 1 to a number. */
function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
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
