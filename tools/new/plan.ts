import { parseArgs } from 'node:util';
import { type Made, type NewFlags, type Tree, NewFault, gap, insertBelow } from './edits.ts';
import { newCheck } from './new-check.ts';
import { newOperation } from './new-operation.ts';

const models = 'spec/rules/models.yaml';
const levels = 'spec/rules/thinking-levels.yaml';
const params = 'spec/rules/model-params.yaml';

const kinds: Readonly<Record<string, (tree: Tree, name: string, flags: NewFlags) => Made>> = {
  model: newModel,
  operation: newOperation,
  check: newCheck,
  version: newVersion,
};

const usage = `expected ${Object.keys(kinds).join(', ')} and a name, such as: npm run new -- check PURGE-02 --area purge`;

/**
 * Returns the files that `npm run new` writes for some arguments, and the next steps. Throws a {@link NewFault} for
 * invalid arguments.
 */
export function plan(words: readonly string[], tree: Tree): Made {
  const { positionals, values } = parsed(words);
  const [kind = '', name, ...rest] = positionals;
  const make = kinds[kind];
  if (make === undefined || name === undefined || rest.length > 0)
    throw new NewFault(`found "${words.join(' ')}", ${usage}`);
  return make(tree, name, values);
}

function parsed(words: readonly string[]): { positionals: readonly string[]; values: NewFlags } {
  const flag = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: { version: flag, method: flag, path: flag, area: flag },
    });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new NewFault(`${error.message}; ${usage}`, { cause: error });
  }
}

/**
 * Plans a new model: its rows in the tables of models, thinking levels and model parameters, for all generations. The
 * user removes the rows of a generation without the model.
 */
function newModel(tree: Tree, name: string): Made {
  if (!/^[a-z][a-z0-9.-]*$/.test(name))
    throw new NewFault(`found the model name ${name}, expected one such as nova-1.5`);
  const known = tree.read(models);
  if (known.includes(`name: ${name},`)) throw new NewFault(`found ${name} in ${models} already`);
  const source = gap('contract, companion or decision, with its section');
  const row = `    - { name: ${name}, provider: ${gap('as in spec/rules/providers.yaml')}, availability: ${gap('native, own-key, direct-or-cloud or cloud')}, source: ${source} }`;
  const levelRow = `  - { model: ${name}, levels: ${gap('[disabled, low, medium, high], or those of them that it takes, or []')}, family: ${gap('a row of spec/rules/reasoning-mapping.yaml; leave it out without levels')}, source: ${source} }`;
  const paramRow = `  - { model: ${name}, path: ${gap('member of modelParams; delete the row if it takes none')}, values: ${gap('[low, high]')}, source: ${source} }`;
  const versions = ['v3', 'v2', 'v4'];
  return {
    files: new Map([
      [models, versions.reduce((text, version) => insertBelow(text, [`${version}:`, '  models:'], row), known)],
      [levels, ['v3', 'v2'].reduce((text, version) => insertBelow(text, [`${version}:`], levelRow), tree.read(levels))],
      [params, insertBelow(tree.read(params), ['matrix:'], paramRow)],
    ]),
    next: [
      `fill in the rows of ${name} in the three files; delete those of a generation that does not know it`,
      'npm run generate (it names what is still to be filled in)',
      'npm test -- test/recipes.test.ts tools/generate, then npm run check',
    ],
  };
}

/** Plans a new generation: a copy of the documents of V4, and an empty table of handlers. */
function newVersion(tree: Tree, version: string): Made {
  if (!/^v[5-9]$/.test(version)) throw new NewFault(`found the generation ${version}, expected one such as v5`);
  if (tree.exists(`spec/${version}/openapi.yaml`)) throw new NewFault(`found spec/${version} already`);
  const number = version.slice(1);
  const documents = tree
    .list('spec/v4/**/*.{yaml,md}')
    .map((file): [string, string] => [
      file.replace('spec/v4/', `spec/${version}/`),
      renumbered(tree.read(file), number),
    ]);
  return {
    files: new Map([...documents, [`src/operations/${version}/handlers.ts`, getHandlers(version)]]),
    next: [
      `take out of spec/${version} what the generation does not have, and write down what is new in it`,
      `add ${version} to redocly.yaml, to versions in tools/generate/bundle.ts and tools/generate/build.ts, to the enumerations of spec/meta and to spec/rules/lifecycle.yaml; npm run generate (it names what is still missing)`,
      `npm run lint:types says which handlers are missing: write them in src/operations/${version}, and bind them in src/api/server/bind.ts`,
      "add the generation to the column versions of each requirement that carries over, and to the suite's generations (conformance/core/target.ts)",
      `write spec/sets/${version}.yaml when its requirements are frozen`,
      'npm run check, then npm run conformance',
    ],
  };
}

function renumbered(text: string, number: string): string {
  return text
    .replaceAll('/api/v4', `/api/v${number}`)
    .replaceAll(/\bV4\b/g, `V${number}`)
    .replace(/^( {2}version:) 4\.0\.0$/m, `$1 ${number}.0.0`);
}

function getHandlers(version: string): string {
  const name = version.toUpperCase();
  return `import type { operations } from '#generated/operations.ts';
import type { AnyOperation } from '#operations/operation.ts';
import type { RequestContext } from '../common/request-context.ts';

type ${name}OperationId = Extract<(typeof operations)[number], { version: '${version}' }>['id'];

/** Handlers of the ${name} operations. A documented operation without a handler does not compile. */
export const ${version}Handlers: Record<${name}OperationId, AnyOperation<RequestContext>> = {
};
`;
}
