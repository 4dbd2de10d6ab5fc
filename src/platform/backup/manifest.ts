import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isMissing } from '#lib/system-errors.ts';

/** A file of a backup. */
export interface BackedUpFile extends Content {
  /** Relative path in the backup and the data folder: a name, or a name below `blobs/` or `recordings/`. */
  readonly path: string;
}

/** Content of a backup. The manifest is written last: a folder without a manifest is incomplete. */
export interface Manifest {
  readonly format: 1;
  /** Start time of the backup, RFC 3339. */
  readonly createdAt: string;
  /** Names of the applied migrations, in the order in which they were applied. */
  readonly migrations: readonly string[];
  readonly files: readonly BackedUpFile[];
  /**
   * Address of the bucket whose blobs are listed in `bucketKeys` and not copied; null when the blobs are among the
   * files.
   */
  readonly bucket: string | null;
  readonly bucketKeys: readonly string[];
  /** Blob keys that rows refer to, but whose bytes were already missing before the backup. */
  readonly missing: readonly string[];
}

const manifestName = 'manifest.json';

/** File name of the database in a data folder and in a backup. */
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
          // Forbids paths that lead out of the target folder.
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
  await writeFile(join(folder, manifestName), text, { flag: 'wx', mode: 0o600, flush: true });
}

/** Reads the manifest of a backup. Rejects with a {@link BackupFault} if it is missing or invalid. */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readText(join(folder, manifestName));
  const manifest = parsed(text);
  if (isManifest(manifest) && manifest.files.some(({ path }) => path === databaseFile)) return manifest;
  throw new BackupFault(
    `found a ${manifestName} in ${folder} that does not describe a backup, expected format 1 with ${databaseFile}`,
  );
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new BackupFault(`found no ${path}. Expected the manifest of a complete backup`);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // Invalid JSON means an invalid manifest.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Size and hash of a file. */
export interface Content {
  /** Size of the file in bytes. */
  readonly size: number;
  /** SHA-256 hash of the file in hexadecimal digits. */
  readonly sha256: string;
}

/** A pass-through stage that computes the size and hash of bytes. */
export interface Counter {
  /** Passes the bytes on unchanged. */
  pass(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /** Returns size and hash of the bytes; may be called once. */
  content(): Content;
}

/** Creates a counter that starts without bytes. */
export function createCounter(): Counter {
  const hash = createHash('sha256');
  let size = 0;
  return {
    async *pass(pieces) {
      for await (const piece of pieces) {
        hash.update(piece);
        size += piece.length;
        yield piece;
      }
    },
    content: () => ({ size, sha256: hash.digest('hex') }),
  };
}

/** An error of a backup or a restore, with a readable message. */
export class BackupFault extends Error {
  override readonly name = 'BackupFault';
}
