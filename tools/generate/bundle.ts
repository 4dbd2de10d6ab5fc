import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { JsonObject } from '#lib/json.ts';
import { parseJsonObject } from './parse.ts';
import { refuseRenamed } from './refuse-mistakes.ts';

/** Generations with a document below spec/. */
export const versions = ['v2', 'v3', 'v4'] as const;

/** One API generation. */
export type Version = (typeof versions)[number];

/**
 * Bundles spec/<version>/openapi.yaml with all referenced files into one document with named components. Rejects if two
 * files declare a component of one name.
 */
export async function bundle(version: Version): Promise<JsonObject> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bundle-'));
  const file = join(folder, `${version}.json`);
  try {
    await promisify(execFile)('redocly', ['bundle', version, '--output', file], {
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    });
    const document = parseJsonObject(readFileSync(file, 'utf8'), file);
    refuseRenamed(document, version);
    return document;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
