import { spawnSync } from 'node:child_process';
import { versions } from '../generate/bundle.ts';

/** What redocly says of spec/ itself, where its messages name the file that somebody has to edit; empty when all is well. */
export function redoclySpecProblems(): string[] {
  const linted = spawnSync('redocly', ['lint', ...versions, '--format', 'stylish'], {
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  if (linted.error !== undefined)
    return [`redocly cannot be run: ${linted.error.message}. Run this with "npm run lint:spec"`];
  return linted.status === 0 ? [] : [`redocly:\n${linted.stdout}${linted.stderr}`];
}
