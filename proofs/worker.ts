import type { Report } from '#conformance/index.ts';
import { judgeFake } from '#conformance/testing/judge-fake.ts';
import { mutants as fakeMutants } from '#conformance/testing/mutants.ts';
import { allMutants } from '../test/mutants/all-mutants.ts';
import { judge } from '../test/mutants/run-mutant.ts';
import { goodServers } from './good-servers.ts';
import type { Done, Work } from './work.ts';

/** Child process of `prove.ts`: judges each server that it receives, until the parent process disconnects. */
process.on('message', (work: Work) => {
  void done(work).then((found) => process.send?.(found));
});
process.on('disconnect', () => process.exit(0));

async function done(work: Work): Promise<Done> {
  const { key, server, seed } = work;
  const from = performance.now();
  const found = await getReport(work).catch((error: unknown) => String(error));
  const seconds = Math.round((performance.now() - from) / 100) / 10;
  if (typeof found === 'string')
    return { key, server, seed, failing: [], errors: [found], left: 0, requests: 0, seconds, notes: [] };
  const rows = (...verdicts: string[]): Report['requirements'] =>
    found.requirements.filter(({ verdict }) => verdicts.includes(verdict));
  const { hasChanged } = found;
  const failing = rows('violation', 'warning', 'note');
  const errors = rows('error');
  const notes = [
    ...failing.map(({ id, failures }) => `${id}: ${failures[0]?.message ?? ''}`),
    ...errors.map(({ id, reason }) => `${id}: ${reason ?? ''}`),
  ];
  return {
    key,
    server,
    seed,
    failing: failing.map(({ id }) => id),
    errors: errors.map(({ id }) => id),
    hasChanged,
    left: found.left.length,
    requests: found.exchangeCount,
    seconds,
    notes: notes.slice(0, 12).map((note) => note.slice(0, 400)),
  };
}

async function getReport({ what, server, seed }: Work): Promise<Report & { readonly hasChanged: boolean }> {
  if (what === 'fake')
    return { ...(await judgeFake(named(fakeMutants, server, ({ name }) => name))), hasChanged: true };
  if (what === 'seed') {
    const { judged, profile } = named(goodServers, server, ({ id }) => id);
    const { report } = await judge(judged, { seed, ...(profile === undefined ? {} : { profile }) });
    return { ...report, hasChanged: true };
  }
  const mutant = named(allMutants, server, ({ id }) => id);
  const { rules: _rules, tamper: _tamper, ...unbroken } = mutant;
  const { report, hasChanged } = await (what === 'mutant'
    ? judge(mutant, { seed })
    : judge(unbroken, { seed, only: [mutant.target] }));
  return { ...report, hasChanged };
}

function named<T>(list: readonly T[], name: string, getName: (item: T) => string): T {
  const found = list.find((item) => getName(item) === name);
  if (found === undefined) throw new Error(`found no server of the name ${name}`);
  return found;
}
