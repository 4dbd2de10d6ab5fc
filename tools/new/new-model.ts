import { gap } from './gap.ts';
import { insertBelow } from './insert-below.ts';
import type { Made, Tree } from './made.ts';
import { NewFault } from './new-fault.ts';

const models = 'spec/rules/models.yaml';
const levels = 'spec/rules/thinking-levels.yaml';
const params = 'spec/rules/model-params.yaml';

/** A model that all three generations know: rows of data and nothing else. A generation that does not know it loses its rows again. */
export function newModel(tree: Tree, name: string): Made {
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
      'npm test -- test/new-model.test.ts tools/generate, then npm run check',
    ],
  };
}
