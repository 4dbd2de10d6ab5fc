import { listRequirements } from '#conformance/index.ts';
import { mutants as fakeMutants } from '#conformance/testing/mutants.ts';
import { allMutants } from '../../test/mutants/all-mutants.ts';
import { findFaultClass, faultClasses } from '../../test/mutants/fault-classes.ts';
import { registry } from '#conformance/core/requirement.ts';
import { page, table } from './markdown.ts';

/** A broken server as shown on the page. */
interface Shown {
  readonly id: string;
  readonly breaks: string;
  readonly server: string;
  /** Ids of the requirements that the broken server violates and whose checks must fail. */
  readonly caughtBy: readonly string[];
  readonly mayAlso: readonly string[];
  readonly faultClass: string;
}

const servers: Readonly<Record<string, string>> = {
  reference: 'reference',
  mock: 'mock',
  scripted: 'reference, scripted pages',
  chromium: 'reference, real Chromium',
};

const fake = 'fake';

const shown: readonly Shown[] = [
  ...allMutants.map(({ id, breaks, server, target, mayAlso = [] }) => ({
    id,
    breaks,
    server: servers[server] ?? server,
    caughtBy: [target],
    mayAlso: mayAlso.filter((other) => other !== target),
    faultClass: findFaultClass(target),
  })),
  // For faults of the fake service, the exact set of failing ids is predicted.
  ...fakeMutants.map(({ name, fails, mayAlso }) => ({
    id: name,
    breaks: '',
    server: fake,
    caughtBy: fails,
    mayAlso,
    faultClass: findFaultClass(fails[0] ?? ''),
  })),
];

/** Returns the page with the kill matrix: for each requirement, the broken servers for which its check must fail. */
export function teethPage(): string {
  const rows = listRequirements();
  const checked = rows.filter(({ treatment }) => treatment === 'check');
  return page(
    'Teeth',
    `${shown.length} broken servers and ${checked.length} checks. Each server breaks the contract in one way. It names the requirements that have to fail, and those that may fail. \`npm test\` judges a sample, and \`npm run teeth\` all servers. A run fails for a server that is not caught, for an unnamed requirement that fails, and for a check that no server violates. [docs/evidence/teeth.md](../evidence/teeth.md) has the result of the last whole run.`,
    table(['Class of fault', 'Broken servers', 'of these in the fake service', 'Checks that catch them'], classRows()),
    '## Requirements',
    'Caught by: servers for which the requirement has to fail. May fail: servers for which it may fail. Servers in quotation marks are faults of the fake service of the suite’s own tests; others are faults of the reference or the mock.',
    ...areaBlocks(checked),
    '## Broken servers',
    ...faultClasses.flatMap((name) => mutantBlock(name)),
    '## Requirements without a check',
    table(
      ['Id', 'Reason', 'Detail'],
      registry.flatMap(({ id, excluded }) => (excluded === undefined ? [] : [[id, excluded.reason, excluded.detail]])),
    ),
  );
}

function classRows(): string[][] {
  const rows = faultClasses.map((name) => {
    const members = shown.filter(({ faultClass }) => faultClass === name);
    const catching = new Set(members.flatMap(({ caughtBy }) => caughtBy));
    const fakes = members.filter(({ server }) => server === fake);
    return [name, String(members.length), String(fakes.length), String(catching.size)];
  });
  const all = new Set(shown.flatMap(({ caughtBy }) => caughtBy));
  const fakes = shown.filter(({ server }) => server === fake);
  return [...rows, ['all', String(shown.length), String(fakes.length), String(all.size)]];
}

function areaBlocks(checked: readonly { id: string; area: string }[]): string[] {
  return [...Map.groupBy(checked, ({ area }) => area)].flatMap(([area, members]) => [
    `### ${area}`,
    table(
      ['Id', 'Caught by', 'May fail'],
      members.map(({ id }) => [
        id,
        shown
          .filter(({ caughtBy }) => caughtBy.includes(id))
          .map((one) => getName(one))
          .join(', '),
        String(shown.filter(({ mayAlso }) => mayAlso.includes(id)).length),
      ]),
    ),
  ]);
}

function mutantBlock(name: string): string[] {
  const members = shown.filter(({ faultClass }) => faultClass === name);
  if (members.length === 0) return [];
  const rows = members.map((one) => [
    getName(one),
    one.breaks,
    one.server,
    one.caughtBy.join(' '),
    one.mayAlso.join(' '),
  ]);
  return [`### Faults of ${name}`, table(['Server', 'What it breaks', 'Where', 'Caught by', 'May also fail'], rows)];
}

function getName({ id, server }: Shown): string {
  return server === fake ? `"${id}"` : `\`${id}\``;
}
