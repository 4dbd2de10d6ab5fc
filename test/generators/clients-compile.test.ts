import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '#generated/operations.ts';
import { quickFolder } from '../support/quick-folder.ts';
import { generate, generators } from './generators.ts';
import type { Version } from './start-operations.ts';

const run = promisify(execFile);
const versions: readonly Version[] = ['v2', 'v3', 'v4'];

const compilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  skipLibCheck: false,
  noEmit: true,
  target: 'es2022',
  module: 'esnext',
  moduleResolution: 'bundler',
  lib: ['es2022', 'dom', 'dom.iterable'],
  types: [],
  paths: { 'openapi-*': [resolve('node_modules/openapi-*')] },
};

/** Compiles a folder; resolves to the output of the compiler, which is empty without errors. */
async function compile(folder: string): Promise<string> {
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }));
  const tsc = resolve('node_modules/.bin/tsc');
  const { stdout } = await run(tsc, ['-p', folder, '--checkers', '1']).catch(
    (error: unknown) => error as { stdout: string },
  );
  return stdout;
}

describe.each(Object.entries(generators))('the clients that %s generates', (name, generator) => {
  let folder: string;
  beforeAll(async () => {
    folder = quickFolder(`svc-${name}-`);
    await Promise.all(
      versions.map(async (version) => {
        mkdirSync(join(folder, version));
        await generate(generator, `generated/openapi/${version}.json`, join(folder, version, 'client'));
      }),
    );
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('have every operation, compile in strict mode and reject an invalid call', async () => {
    for (const version of versions) {
      const listed = operations.filter((operation) => operation.version === version);
      writeFileSync(join(folder, version, 'use.ts'), generator.use(version, listed));
    }
    expect(await compile(folder)).toBe('');
  });

  it('do not compile with an operation that the document does not have', async () => {
    const [first] = operations;
    const unknown = { ...first, id: 'unknownOperation', path: '/unknown' } as unknown as typeof first;
    writeFileSync(join(folder, 'v2', 'use.ts'), generator.use('v2', [unknown]));
    expect(await compile(folder)).toMatch(/use\.ts\(.*unknown/);
  });
});
