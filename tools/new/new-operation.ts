import { parse } from 'yaml';
import { gap, type Made, type NewFlags, type Tree, NewFault, kebabCase, insertBefore, insertBelow } from './edits.ts';

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/**
 * Plans an operation: its document, its line in openapi.yaml, a handler that only throws, and its line in handlers.ts.
 * Throws a {@link NewFault} for invalid flags or an existing operation.
 */
export function newOperation(tree: Tree, name: string, { version = 'v4', method = '', path = '' }: NewFlags): Made {
  if (!/^[a-z]+[A-Z]\w*$/.test(name))
    throw new NewFault(`found the name ${name}, expected verb and noun such as getThing`);
  if (!methods.includes(method) || !path.startsWith('/'))
    throw new NewFault(`found --method ${method} --path ${path}, expected such as --method get --path /things/{id}`);
  const root = `spec/${version}/openapi.yaml`;
  const document = `spec/${version}/operations/${name}.yaml`;
  const handler = `src/operations/${version}/${kebabCase(name)}.ts`;
  const handlers = `src/operations/${version}/handlers.ts`;
  if (!tree.exists(root)) throw new NewFault(`found no ${root}, expected --version v2, v3 or v4`);
  if (tree.exists(document)) throw new NewFault(`found ${document} already`);
  const { paths }: { paths: Record<string, Record<string, unknown>> } = parse(tree.read(root));
  if (paths[path]?.[method] !== undefined) throw new NewFault(`found ${method} ${path} already in ${root}`);
  return {
    files: new Map([
      [document, getDocument(name, method)],
      [root, withPath(tree.read(root), path, `    ${method}:\n      $ref: ./operations/${name}.yaml`)],
      [handler, getHandler(name, `${method.toUpperCase()} ${path}`)],
      [handlers, withHandler(tree.read(handlers), name, version)],
    ]),
    next: [
      `fill in ${document}, then npm run generate (it names what is still to be filled in)`,
      `write decide, apply and render in ${handler}`,
      `add a call to the script of its resource in test/generated-client/${version}`,
      'npm run new -- check ID --area AREA for each sentence that holds of it',
      'npm run check, then npm run conformance: it fails while no scenario exercises the operation',
    ],
  };
}

function getDocument(name: string, method: string): string {
  const status = method === 'post' ? '201' : '200';
  return [
    `operationId: ${name}`,
    `summary: ${gap('a few words')}`,
    `description: ${gap('whole sentences')}`,
    `x-source: ${gap('contract, companion or decision, with its section')}`,
    `tags: [${gap('a tag of openapi.yaml')}]`,
    'responses:',
    `  "${status}":`,
    `    description: ${gap('what is answered')}`,
    `    x-source: ${gap('contract, companion or decision, with its section')}`,
    '    content:',
    '      application/json:',
    '        schema:',
    `          $ref: ${gap('../schemas/Thing.yaml')}`,
    '  "401": { $ref: ../../shared/responses/Unauthorized.yaml }',
    '  "422": { $ref: ../../shared/responses/UnprocessableContent.yaml }',
    '',
  ].join('\n');
}

/**
 * Returns the text of openapi.yaml with an additional operation, below its path if that exists, otherwise below a new
 * path at the end of the paths.
 */
function withPath(text: string, path: string, lines: string): string {
  if (text.split('\n').includes(`  ${path}:`)) return insertBelow(text, ['paths:', `  ${path}:`], lines);
  const [head = '', tail = ''] = text.split(/^(?=paths:$)/m);
  const closed = /^[a-z]\w*:/m.test(tail.slice('paths:'.length));
  if (!closed) return `${text.trimEnd()}\n  ${path}:\n${lines}\n`;
  const [first = '', ...rest] = tail.split('\n');
  return [head + first, insertBefore(rest.join('\n'), /^[a-z]\w*:/, [`  ${path}:`, ...lines.split('\n')])].join('\n');
}

function getHandler(name: string, line: string): string {
  return `import type { Operation } from '#operations/operation.ts';
import type { RequestContext } from '../common/request-context.ts';

/** ${line}. */
export const ${name}: Operation<RequestContext, never, never> = {
  decide: () => {
    throw new Error('${name} decides nothing yet');
  },
  apply: (found) => Promise.resolve(found),
  render: () => ({ status: 500, body: null }),
};
`;
}

function withHandler(text: string, name: string, version: string): string {
  const imported = insertBefore(text, new RegExp(`^type V\\d+OperationId|^type ${version.toUpperCase()}OperationId`), [
    `import { ${name} } from './${kebabCase(name)}.ts';`,
    '',
  ]).replace(`\n\nimport { ${name} }`, `\nimport { ${name} }`);
  return insertBefore(imported, /^\};$/, [`  ${name},`]);
}
