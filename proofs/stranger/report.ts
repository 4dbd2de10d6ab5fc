/** Writes docs/evidence/stranger.md. */
import { writeFileSync } from 'node:fs';
import type { Fault } from './faults/index.ts';
import type { Outcome } from './prove-stranger.ts';

/** Writes what was judged on a commit. */
export function writeEvidence(outcome: Outcome & { readonly commit: string }): void {
  writeFileSync('docs/evidence/stranger.md', renderEvidence(outcome, new Date()));
}

/** Renders what was judged as Markdown. */
function renderEvidence(outcome: Outcome & { readonly commit: string }, day: Date): string {
  const { caught, survivors, clean, alarms, commit } = outcome;
  const missed = survivors.map(({ fault }) => fault);
  return [
    '# A server that the suite has never seen',
    `Written by \`npm run long -- stranger\` on commit ${commit}, ${day.toISOString().slice(0, 10)}, seed 1.`,
    'The server of proofs/stranger was written from the contract alone. Each fault of proofs/stranger/faults is judged with the default\n' +
      'settings at the spend at which it can be seen: what breaks the contract with the profile documented, what breaks only the\n' +
      'companion with the profile full (beyond).',
    '## Unbroken servers',
    `${clean.length} runs, ${alarms.length} false alarms.`,
    ...(alarms.length === 0 ? [] : [alarms.map((alarm) => `- ${alarm}`).join('\n')]),
    '## By spend',
    table('Spend', { caught, missed, group: ({ spend }) => spend }),
    '## By area',
    table('Area', { caught, missed, group: ({ area }) => area }),
    '## Survivors',
    'A fault whose place was never reached met no request that could show it.',
    ...(['contract', 'companion'] as const).map((source) => listSurvivors(outcome, source)),
  ]
    .join('\n\n')
    .concat('\n');
}

interface Split {
  readonly caught: readonly Fault[];
  readonly missed: readonly Fault[];
  readonly group: (fault: Fault) => string;
}

function table(title: string, { caught, missed, group }: Split): string {
  const names = [...new Set([...caught, ...missed].map(group))].toSorted();
  const count = (list: readonly Fault[], name: string | null, source: Fault['source']): number =>
    list.filter((fault) => fault.source === source && (name === null || group(fault) === name)).length;
  const row = (name: string | null): string => {
    const cells = (['contract', 'companion'] as const).flatMap((source) => [
      count(caught, name, source),
      count(missed, name, source),
    ]);
    return `| ${name ?? 'all'} | ${cells.join(' | ')} |`;
  };
  return [
    `| ${title} | Contract: caught | missed | Beyond: caught | missed |`,
    '| --- | --- | --- | --- | --- |',
    ...names.map((name) => row(name)),
    row(null),
  ].join('\n');
}

function listSurvivors({ survivors }: Outcome, source: Fault['source']): string {
  const lines = survivors
    .filter(({ fault }) => fault.source === source)
    .map(({ fault, done }) => {
      const reach = done.hasChanged === false ? ' Never reached.' : '';
      const leftovers = done.left > 0 ? ` The run failed for ${done.left} things left alive.` : '';
      return `- \`${fault.id}\` (${fault.generation}, ${fault.spend}): ${fault.does}${reach}${leftovers} Breaks: ${fault.sentence}`;
    });
  const heading = source === 'contract' ? '### Of the contract' : '### Beyond the contract';
  return [heading, lines.length === 0 ? 'Every fault was caught.' : lines.join('\n')].join('\n\n');
}
