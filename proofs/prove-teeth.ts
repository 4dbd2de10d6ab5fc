import { listRequirements } from '#conformance/index.ts';
import { stubFaults } from '#conformance/testing/judge-with-stub.ts';
import { mutants as fakeMutants } from '#conformance/testing/mutants.ts';
import { allMutants } from '../test/mutants/all-mutants.ts';
import { prove, type Proved } from './prove.ts';
import { choose, type Done, type LongOptions, type Work } from './work.ts';
import { mkdirSync, writeFileSync } from 'node:fs';

const seed = 1;

/**
 * Judges broken servers. Returns false when a check that should detect a broken server does not, or an unexpected check
 * does. Also returns false for an error of the suite, a broken server without a change, a check that detects no server,
 * and work that remains. A complete run writes docs/evidence/teeth.md. With `only`, the proof first judges the unbroken
 * server for each target and writes no evidence.
 */
export async function proveTeeth(options: LongOptions): Promise<boolean> {
  const isWhole = options.only === '';
  const mutants = allMutants.filter(({ id }) => id.includes(options.only));
  const all: Work[] = [
    // A check that also fails on the unbroken server detects nothing. `npm run teeth` excludes such checks by judging
    // the good servers.
    ...(isWhole
      ? []
      : mutants.map(({ id }) => ({ key: `unbroken: ${id}`, what: 'unbroken' as const, server: id, seed }))),
    ...mutants.map(({ id }) => ({ key: id, what: 'mutant' as const, server: id, seed })),
    ...fakeMutants.map(({ name }) => ({ key: `fake: ${name}`, what: 'fake' as const, server: name, seed })),
  ];
  const work = choose(all, options.only, ({ key }) => key);
  const proved = await prove({ name: 'teeth', work, findProblems: predictedWrong }, options);
  const isDone = proved.done.length === work.length;
  // Only the complete set shows the checks that detect no server.
  const idle = isDone && isWhole ? idleChecks(proved.done) : [];
  for (const id of idle) console.log(`  ${id}: its check kills nothing`);
  if (isWhole) writeTeethEvidence({ ...proved, idle });
  const where = isWhole ? 'docs/evidence/teeth.md' : 'docs/evidence is left as it is, as only some were judged';
  console.log(`${proved.done.length} servers, ${proved.problems.length + idle.length} problems: ${where}`);
  return isDone && proved.problems.length + idle.length === 0;
}

/**
 * Returns the differences from the prediction: errors of the suite, a mutant without a change, requirements that should
 * fail and do not, and requirements that fail unexpectedly. For an unbroken server, returns the errors and every
 * requirement that fails.
 */
export function predictedWrong({ key, server, failing, errors, notes, hasChanged = true }: Done): string[] {
  const faults = errors.map((id) => `error ${id} ${notes.find((note) => note.startsWith(`${id}:`)) ?? ''}`);
  if (key.startsWith('unbroken: '))
    return [
      ...faults,
      ...failing.map((id) => `${id} fails on the server that nothing has broken, and so catches nothing`),
    ];
  const [must, may] = getPrediction(key, server);
  return [
    ...faults,
    ...(hasChanged
      ? []
      : ['the mutant changed nothing: neither a rule, nor a request or an answer that the suite sent or got']),
    ...must.filter((id) => !failing.includes(id)).map((id) => `not caught by ${id}`),
    ...failing
      .filter((id) => !must.includes(id) && !may.includes(id))
      .map((id) => `also caught by ${id}, which it does not name`),
  ];
}

function getPrediction(key: string, server: string): readonly [must: readonly string[], may: readonly string[]] {
  const fake = key.startsWith('fake: ') ? fakeMutants.find(({ name }) => name === server) : undefined;
  if (fake !== undefined) return [fake.fails, fake.mayAlso];
  const mutant = allMutants.find(({ id }) => id === server);
  return mutant === undefined ? [[], []] : [[mutant.target], mutant.mayAlso ?? []];
}

/**
 * Returns the checks that fail for no broken server and for no broken provider stub. The checks of broken stubs are
 * proved by conformance/provider-stub/provider-rows.test.ts, which `npm run teeth` runs before.
 */
function idleChecks(done: readonly Done[]): string[] {
  const killers = new Set([
    ...done.flatMap(({ failing }) => failing),
    ...stubFaults.flatMap(([, , fails]) => fails.split(' ')),
  ]);
  const checked = listRequirements().filter(({ treatment }) => treatment === 'check');
  return checked.map(({ id }) => id).filter((id) => !killers.has(id));
}

/** Writes docs/evidence/teeth.md: the number of detected broken servers, and every problem. */
function writeTeethEvidence({ commit, planned, done, problems, idle }: Proved & { idle: readonly string[] }): void {
  const killed = done.filter(({ failing }) => failing.length > 0).length;
  const seconds = Math.round(done.reduce((sum, one) => sum + one.seconds, 0));
  const faults = [...problems, ...idle.map((id) => `${id}: its check kills nothing`)];
  const text = [
    '# Teeth',
    `Written by \`npm run teeth\` on commit ${commit}, ${new Date().toISOString().slice(0, 10)}, seed 1. [Teeth](../reference/teeth.md) lists the requirement that each mutant (broken server) violates.`,
    `${killed} of ${done.length} mutants were caught (${planned} are planned), in ${seconds} seconds of judging. ${problems.length} were not caught by the expected requirements, ${idle.length} checks catch no mutant.`,
    ...(faults.length === 0 ? [] : [faults.map((fault) => `- ${fault}`).join('\n')]),
  ].join('\n\n');
  mkdirSync('docs/evidence', { recursive: true });
  writeFileSync('docs/evidence/teeth.md', `${text}\n`);
}
