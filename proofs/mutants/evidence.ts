import { mkdirSync, writeFileSync } from 'node:fs';
import type { ReachedMutants } from './choose-mutants.ts';
import type { Instrumented } from './code-mutants.ts';
import type { Found } from './judge-pieces.ts';
import { type ClassifiedSurvivor, type SurvivorClass, classify, survivorClasses } from './survivors.ts';

/** Data of a completed or interrupted mutation proof. */
export interface MutantsProof {
  readonly commit: string;
  readonly seed: number;
  readonly instrumented: Instrumented;
  readonly reached: ReachedMutants;
  readonly planned: number;
  readonly found: readonly Found[];
}

type State = 'caught' | 'fatal' | 'unjudged' | 'without effect' | SurvivorClass | 'not classified';

/** Writes the number of detected mutants and every survivor to docs/evidence/mutants.md. */
export function writeMutantsEvidence(proof: MutantsProof, rows: readonly ClassifiedSurvivor[]): void {
  const stated = proof.found.map((found) => ({ ...found, state: getState(found, rows) }));
  const code = stated.filter(({ kind }) => kind === 'code');
  const documents = stated.filter(({ kind }) => kind === 'document');
  const text = [
    '# Mutants that a tool made',
    introduction(proof),
    '## Mutants of the code',
    share(code),
    table('Folder', code, ({ key }) => key.split('/').slice(0, 2).join('/')),
    table('Mutator', code, ({ key }) => /: (\w+) /.exec(key)?.[1] ?? ''),
    '## Changes of documents, and of all answers of an operation',
    share(documents),
    table('Table or generation', documents, ({ key }) => /^\w+/.exec(key)?.[0] ?? ''),
    '## Survivors',
    ...[...survivorClasses, 'not classified' as const].map((one) => survivors(one, stated, rows)),
    '## Without a verdict',
    list(stated.filter(({ state }) => state === 'unjudged').map(({ key, note }) => `${quoted(key)}: ${note}`)),
    '## Documents that the run does not reach',
    'The run saw no answer that this keyword describes.',
    list(stated.filter(({ state }) => state === 'without effect').map(({ key }) => quoted(key))),
  ].join('\n\n');
  mkdirSync('docs/evidence', { recursive: true });
  writeFileSync('docs/evidence/mutants.md', `${text}\n`);
}

type Stated = Found & { readonly state: State };

function getState({ key, result, hasChanged }: Found, rows: readonly ClassifiedSurvivor[]): State {
  if (result !== 'survived') return result;
  return hasChanged ? (classify(key, rows)?.class ?? 'not classified') : 'without effect';
}

function introduction({ commit, seed, instrumented, reached, planned, found }: MutantsProof): string {
  const seconds = Math.round(found.reduce((sum, one) => sum + one.seconds, 0));
  return [
    `Written by \`npm run long -- mutants --seed ${seed}\` on commit ${commit}, ${new Date().toISOString().slice(0, 10)}.`,
    `${found.length} of ${planned} drawn mutants were judged, in ${seconds} seconds of judging.`,
    `The instrumenter of StrykerJS made ${instrumented.mutants.length} mutants of the code that answers requests; the code of ${reached.mutants.length} of them is executed in a run.`,
    'Each was judged over HTTP with simulated browsers, by `svc check --spend task --max-failures 1` with the default settings.',
    'A mutant is *fatal* when the service does not start, ends or hangs.',
    'Survivors are classified in `docs/evidence/mutant-survivors.yaml`: *equivalent* (no behaviour differs), *invisible* (no answer differs),',
    '*outside* (the contract allows the answer) and *missed* (an answer breaks the contract and no check fails).',
  ].join('\n');
}

/**
 * Formats the numbers of caught, missed, fatal and unclassified mutants. The shares are relative to the caught and
 * missed mutants.
 */
function share(stated: readonly Stated[]): string {
  const getCount = (state: State): number => stated.filter((one) => one.state === state).length;
  const [caught, missed] = [getCount('caught'), getCount('missed')];
  const full = stated.filter((one) => one.state === 'missed' && one.full?.result === 'caught').length;
  const percent = (count: number): string => `${((100 * count) / Math.max(1, caught + missed)).toFixed(1)} %`;
  return [
    `${caught} caught and ${missed} missed: ${percent(caught)} of the visible violations are caught at default settings.`,
    `With \`--matrix full\` ${full} of the missed ones are caught: ${percent(caught + full)}.`,
    `${getCount('fatal')} more are fatal. ${getCount('not classified')} survivors are not classified yet.`,
  ].join('\n');
}

const states = ['caught', 'fatal', ...survivorClasses, 'not classified', 'without effect', 'unjudged'] as const;

function table(title: string, stated: readonly Stated[], getGroup: (one: Stated) => string): string {
  const groups = [...Map.groupBy(stated, getGroup)].toSorted(([one], [other]) => one.localeCompare(other));
  const row = (name: string, of: readonly Stated[]): string =>
    `| ${name} | ${of.length} | ${states.map((state) => of.filter((one) => one.state === state).length).join(' | ')} |`;
  return [
    `| ${title} | judged | ${states.join(' | ')} |`,
    `|---|${'---:|'.repeat(states.length + 1)}`,
    ...groups.map(([name, of]) => row(name, of)),
    row('all', stated),
  ].join('\n');
}

function survivors(state: State, stated: readonly Stated[], rows: readonly ClassifiedSurvivor[]): string {
  const lines = stated
    .filter((one) => one.state === state)
    .map(({ key, full }) => {
      const reason = classify(key, rows)?.reason;
      const more = full?.result === 'caught' ? ` Caught with \`--matrix full\` by ${full.failing.join(', ')}.` : '';
      return `${quoted(key)}${reason === undefined ? '' : `: ${reason}.`}${more}`;
    });
  return `### ${state[0]?.toUpperCase()}${state.slice(1)}\n\n${list(lines)}`;
}

function list(lines: readonly string[]): string {
  return lines.length === 0
    ? 'None.'
    : lines
        .toSorted()
        .map((line) => `- ${line}`)
        .join('\n');
}

function quoted(key: string): string {
  return `\`\` ${key} \`\``;
}
