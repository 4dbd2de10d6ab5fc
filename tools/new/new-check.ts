import { gap, type Made, type NewFlags, type Tree, NewFault, camelCase, kebabCase, insertBefore } from './edits.ts';

const checks = 'conformance/areas/index.ts';
const mutants = 'test/mutants/all-mutants.ts';
const idPattern = /^[A-Z][A-Z0-9]*(-[A-Z0-9]+)*-([0-9]{2}|[A-Z]+)$/;

/**
 * Plans the files of a new requirement: its row, a check that fails at first, and a broken server that violates the
 * requirement. Throws a {@link NewFault} for an invalid id or area, and for an id that this area already has.
 */
export function newCheck(tree: Tree, id: string, { area = '' }: NewFlags): Made {
  if (!idPattern.test(id)) throw new NewFault(`found the id ${id}, expected one such as PURGE-02`);
  if (!/^[a-z][a-z0-9-]*$/.test(area)) throw new NewFault(`found --area ${area}, expected one such as --area purge`);
  const name = kebabCase(id);
  const row = `spec/requirements/${area}.yaml`;
  const check = `conformance/areas/${area}/${name}.ts`;
  const mutant = `test/mutants/table/${name}.ts`;
  const rows = tree.exists(row)
    ? tree.read(row)
    : `area: ${area}\ntitle: ${gap('what the area is about')}\nrequirements:\n`;
  if (rows.includes(`id: ${id}\n`) || tree.exists(check)) throw new NewFault(`found ${id} already: ids are permanent`);
  return {
    files: new Map([
      [row, withRow(rows, getRow(id))],
      [check, getCheck(id, name)],
      [checks, wired(tree.read(checks), `${camelCase(name)}Checks`, `./${area}/${name}.ts`)],
      [mutant, getMutant(id, name, area)],
      [mutants, wired(tree.read(mutants), `${camelCase(name)}Mutants`, `./table/${name}.ts`)],
    ]),
    next: [
      `fill in the row of ${id} in ${row}, then npm run generate (it names what is still to be filled in)`,
      `write what ${check} judges: it fails until then; what it judges comes from a scenario of conformance/areas`,
      `write what ${mutant} breaks: the mutant survives until then; an area that is new gets a class in test/mutants/fault-classes.ts`,
      `npm run long -- teeth --only ${name}, npm run conformance -- --only ${id}, then npm run check`,
    ],
  };
}

/**
 * Returns the text of a requirements file with an additional requirement, before the laws or at the end of a file
 * without laws.
 */
function withRow(text: string, row: string): string {
  return /^laws:$/m.test(text) ? insertBefore(text, /^laws:$/, row.split('\n')) : `${text.trimEnd()}\n${row}\n`;
}

function getRow(id: string): string {
  return [
    `  - id: ${id}`,
    `    level: ${gap('MUST, SHOULD or MAY')}`,
    `    text: ${gap('one sentence that holds')}`,
    `    source: ${gap('contract, companion or decision, with its section')}`,
    `    versions: ${gap('[v2, v3, v4] or some of them')}`,
    `    observable: ${gap('http, cdp, wait or hook')}`,
    `    cost: ${gap('none, storage, browser or task')}`,
    `    profile: ${gap('documented for a row of the contract, else full')}`,
  ].join('\n');
}

function getCheck(id: string, name: string): string {
  return `import { type Check, check } from '../../core/check.ts';

/** The judgement of ${id}. */
export const ${camelCase(name)}Checks: readonly Check[] = [
  check('${id}', {}, (t) => {
    t.expect(false, { message: 'the check of ${id} judges nothing yet' });
  }),
];
`;
}

function getMutant(id: string, name: string, area: string): string {
  return `import type { Mutant } from '../mutant.ts';

/** Servers that break ${id}. */
export const ${camelCase(name)}Mutants: readonly Mutant[] = [
  {
    id: '${name}-broken',
    breaks: 'Nothing yet.',
    server: 'reference',
    only: ['${area}'],
    target: '${id}',
    tamper: () => ({}),
  },
];
`;
}

/**
 * Returns the text of an index file with an additional list: its import after the other imports, and its spread at the
 * end of the exported array.
 */
function wired(text: string, list: string, file: string): string {
  const imports = text.lastIndexOf('\nimport ');
  const [head, tail] = [text.slice(0, imports), text.slice(imports + 1)];
  const imported = insertBefore(tail, /^$/, [`import { ${list} } from '${file}';`]);
  return insertBefore(`${head}\n${imported}`, /^\];$/, [`  ...${list},`]);
}
