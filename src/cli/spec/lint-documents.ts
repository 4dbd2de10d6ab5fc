import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { compileErrors, validate } from '@readme/openapi-parser';
import { documentPath, documentVersions } from './documents.ts';

/** Problems of the bundled documents, one text each; empty when both validators accept all three. */
export async function lintDocuments(): Promise<string[]> {
  return [...redoclyProblems(), ...(await parserProblems())];
}

/** The first judge: redocly with the rules of redocly.yaml. */
function redoclyProblems(): string[] {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const command = redocly();
  if (command === null)
    return ['redocly is not installed here: it comes with the development dependencies, run "npm ci" in a checkout'];
  const files = documentVersions.map(documentPath);
  const linted = spawnSync(
    process.execPath,
    [command, 'lint', ...files, '--config', `${root}/redocly.yaml`, '--format', 'stylish'],
    {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    },
  );
  return linted.status === 0 ? [] : [`redocly:\n${linted.stdout}${linted.stderr}`];
}

function redocly(): string | null {
  try {
    return createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}

/** The second judge, which shares no code with the first. */
async function parserProblems(): Promise<string[]> {
  const results = await Promise.all(
    documentVersions.map(async (version) => {
      const result = await validate(documentPath(version));
      return result.valid ? [] : [`openapi-parser: generated/openapi/${version}.json\n${compileErrors(result)}`];
    }),
  );
  return results.flat();
}
