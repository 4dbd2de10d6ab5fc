import { globSync } from 'node:fs';
import type { Made, Tree } from './made.ts';
import { NewFault } from './new-fault.ts';

/** A generation that begins as a copy of the documents of V4, with nobody who answers its operations. */
export function newVersion(tree: Tree, version: string): Made {
  if (!/^v[5-9]$/.test(version)) throw new NewFault(`found the generation ${version}, expected one such as v5`);
  if (tree.exists(`spec/${version}/openapi.yaml`)) throw new NewFault(`found spec/${version} already`);
  const number = version.slice(1);
  const documents = globSync('spec/v4/**/*.yaml').map((file): [string, string] => [
    file.replace('spec/v4/', `spec/${version}/`),
    renumbered(tree.read(file), number),
  ]);
  return {
    files: new Map([...documents, [`src/operations/${version}/handlers.ts`, handlersOf(version)]]),
    next: [
      `take out of spec/${version} what the generation does not have, and write down what is new in it`,
      `add '${version}' to versions in tools/generate/bundle.ts and tools/generate/build.ts, and to the enumerations of spec/meta; npm run generate`,
      `npm run lint:types says which handlers are missing: write them in src/operations/${version}, and bind them in src/api/server/bind.ts`,
      "add the generation to the column versions of each requirement that carries over, and to the suite's generations (conformance/harness/target/target.ts)",
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

function handlersOf(version: string): string {
  const name = version.toUpperCase();
  return `import type { operations } from '#generated/operations.ts';
import type { AnyOperation } from '#operations/operation.ts';
import type { Caller } from '../shared/caller.ts';

type ${name}OperationId = Extract<(typeof operations)[number], { version: '${version}' }>['id'];

/** What answers each ${name} operation; a documented operation without a handler does not compile. */
export const ${version}Handlers: Record<${name}OperationId, AnyOperation<Caller>> = {
};
`;
}
