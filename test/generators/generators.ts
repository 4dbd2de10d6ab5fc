import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Listed, type Version, starts } from './start-operations.ts';

const run = promisify(execFile);

/** A published program that generates a client from an OpenAPI document. */
export interface Generator {
  /**
   * Returns the words of the command line: the name of the program, then its arguments. `out` is an empty folder, into
   * which the program writes.
   */
  readonly command: (document: string, out: string) => readonly string[];
  /**
   * Returns the source of a module that names every operation and makes one valid and one invalid call. The module is
   * beside the folder `out`.
   */
  readonly use: (version: Version, operations: readonly Listed[]) => string;
}

/** Generators by name. No npm package contains a Python generator that works offline. */
export const generators: Readonly<Record<'hey-api' | 'orval' | 'openapi-typescript', Generator>> = {
  'hey-api': {
    command: (document, out) => ['openapi-ts', '--no-log-file', '-i', document, '-o', out],
    use: (version, operations) => {
      const { id, body, invalid } = starts[version];
      return `import * as client from './client';
${named(operations)}
const { data } = await client.${id}({ body: ${body} });
data?.id satisfies string | undefined;
// @ts-expect-error An id is a string.
data?.id satisfies number | undefined;
// @ts-expect-error The body is invalid.
await client.${id}({ body: ${invalid} });
`;
    },
  },
  orval: {
    command: (document, out) => [
      'orval',
      '--fail-on-warnings',
      '--client',
      'fetch',
      '-i',
      document,
      '-o',
      join(out, 'index.ts'),
    ],
    use: (version, operations) => {
      const { id, body, invalid, status } = starts[version];
      return `import * as client from './client';
${named(operations)}
const answer = await client.${id}(${body});
if (answer.status === ${status}) answer.data.id satisfies string;
// @ts-expect-error An id is a string.
if (answer.status === ${status}) answer.data.id satisfies number;
// @ts-expect-error The body is invalid.
await client.${id}(${invalid});
`;
    },
  },
  'openapi-typescript': {
    // Without the option, a member with a default is required in a request as well.
    command: (document, out) => [
      'openapi-typescript',
      '--default-non-nullable=false',
      document,
      '-o',
      join(out, 'index.ts'),
    ],
    use: (version, operations) => {
      const { path, body, invalid } = starts[version];
      const types = operations.map(
        (one) => `  ${one.id}: paths['${one.path}']['${one.method}']['responses'][${one.successStatus}];`,
      );
      return `import createClient from 'openapi-fetch';
import type { paths } from './client';
export interface Answers {
${types.join('\n')}
}
const client = createClient<paths>({ baseUrl: 'http://127.0.0.1:1' });
const { data } = await client.POST('${path}', { body: ${body} });
data?.id satisfies string | undefined;
// @ts-expect-error An id is a string.
data?.id satisfies number | undefined;
// @ts-expect-error The body is invalid.
await client.POST('${path}', { body: ${invalid} });
`;
    },
  },
};

/**
 * Generates a client of a document into a new folder by running the generator's command line. Resolves to the output of
 * the generator.
 */
export async function generate({ command }: Generator, document: string, out: string): Promise<string> {
  mkdirSync(out, { recursive: true });
  const [program = '', ...words] = command(resolve(document), out);
  // A generator looks for configuration in its working directory.
  const { stdout, stderr } = await run(process.execPath, [resolve('node_modules/.bin', program), ...words], {
    cwd: out,
  });
  return `${stdout}${stderr}`;
}

function named(operations: readonly Listed[]): string {
  return `export const operations = [${operations.map(({ id }) => `client.${id}`).join(', ')}];`;
}
