import { listRequirements } from '../../conformance/index.ts';
import { mutants as fakeMutants } from '../../conformance/testing/mutants.ts';
import { allMutants } from '../../test/mutants/all-mutants.ts';
import { prove } from './prove.ts';
import { writeTeethEvidence } from './teeth-evidence.ts';
import type { Done, LongOptions, Work } from './work.ts';

const seed = 1;

/** Judges every broken server and writes docs/evidence/teeth.md; false when one survives or a check kills nothing. */
export async function proveTeeth(options: LongOptions): Promise<boolean> {
  const work: Work[] = [
    ...allMutants.map(({ id }) => ({ key: id, what: 'mutant' as const, server: id, seed })),
    ...fakeMutants.map(({ name }) => ({ key: `fake: ${name}`, what: 'fake' as const, server: name, seed })),
  ].filter(({ key }) => key.includes(options.only));
  const proved = await prove({ name: 'teeth', work, problemsOf: predictedWrong }, options);
  const isWhole = proved.done.length === work.length;
  // Only all of them together show what no one makes fail.
  const idle = isWhole && options.only === '' ? idleChecks(proved.done) : [];
  for (const id of idle) console.log(`  ${id}: its check kills nothing`);
  writeTeethEvidence({ ...proved, idle });
  console.log(
    `${proved.done.length} mutants, ${proved.problems.length + idle.length} problems: docs/evidence/teeth.md`,
  );
  return isWhole && proved.problems.length + idle.length === 0;
}

/** A survivor, or what was not named before. */
function predictedWrong({ key, server, failing, errors, notes }: Done): string[] {
  const faults = errors.map((id) => `error ${id} ${notes.find((note) => note.startsWith(`${id}:`)) ?? ''}`);
  const [must, may] = predictionOf(key, server);
  return [
    ...faults,
    ...must.filter((id) => !failing.includes(id)).map((id) => `not caught by ${id}`),
    ...failing
      .filter((id) => !must.includes(id) && !may.includes(id))
      .map((id) => `also caught by ${id}, which it does not name`),
  ];
}

function predictionOf(key: string, server: string): readonly [must: readonly string[], may: readonly string[]] {
  if (key.startsWith('fake: ')) return [fakeMutants.find(({ name }) => name === server)?.fails ?? [], []];
  const mutant = allMutants.find(({ id }) => id === server);
  return mutant === undefined ? [[], []] : [[mutant.target], mutant.mayAlso ?? []];
}

/** Checks that no broken server has made fail. */
function idleChecks(done: readonly Done[]): string[] {
  const killers = new Set(done.flatMap(({ failing }) => failing));
  const checked = listRequirements().filter(({ treatment }) => treatment === 'check');
  return checked.map(({ id }) => id).filter((id) => !killers.has(id));
}
