import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isMissing } from '#browsers/launch/is-missing.ts';
import { BackupFault } from './backup-fault.ts';
import type { Content } from './content.ts';

/** One file of a backup. */
export interface BackedUpFile extends Content {
  /** Where it lies below the backup and below the data folder: a name, or one below `blobs/` or `recordings/`. */
  readonly path: string;
}

/** What a backup holds. It is written last: a folder without one is no backup. */
export interface Manifest {
  readonly format: 1;
  /** When the backup began, RFC 3339. */
  readonly createdAt: string;
  /** Names of the migrations that made its tables, the earliest first. */
  readonly migrations: readonly string[];
  readonly files: readonly BackedUpFile[];
  /** The bucket whose blobs are named in `bucketKeys` and not copied, or null when they are among the files. */
  readonly bucket: string | null;
  readonly bucketKeys: readonly string[];
  /** Keys that rows own whose bytes were gone already before the backup began. */
  readonly missing: readonly string[];
}

const name = 'manifest.json';

/** The name of the database below a data folder and below a backup. */
export const databaseFile = 'svc.sqlite';

const texts = { type: 'array', items: { type: 'string' } };
const isManifest = new Ajv2020().compile<Manifest>({
  type: 'object',
  additionalProperties: false,
  required: ['format', 'createdAt', 'migrations', 'files', 'bucket', 'bucketKeys', 'missing'],
  properties: {
    format: { const: 1 },
    createdAt: { type: 'string' },
    migrations: texts,
    files: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['path', 'size', 'sha256'],
        properties: {
          // Nothing that leads out of the folder that it is restored to.
          path: { type: 'string', pattern: '^(?:(?:blobs|recordings)/)?[A-Za-z0-9][A-Za-z0-9._-]*$' },
          size: { type: 'integer', minimum: 0 },
          sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' },
        },
      },
    },
    bucket: { type: ['string', 'null'] },
    bucketKeys: texts,
    missing: texts,
  },
});

/** Writes the manifest of a complete backup, durably. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  await writeFile(join(folder, name), text, { flag: 'wx', mode: 0o600, flush: true });
}

/** The manifest of a backup. Rejects with a {@link BackupFault} for a folder that is none. */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await textOf(join(folder, name));
  const manifest = parsed(text);
  if (isManifest(manifest) && manifest.files.some(({ path }) => path === databaseFile)) return manifest;
  throw new BackupFault(
    `found a ${name} in ${folder} that is none of a backup, expected format 1 with ${databaseFile}`,
  );
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new BackupFault(`found no ${path}, expected that of a backup that was finished`);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // What is no JSON is no manifest.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
