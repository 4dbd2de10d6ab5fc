import { hkdfSync } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { ServiceSecrets } from '#backend/public/signing-secret.ts';

const bytesMin = 32;
/** Whoever else may read it, may sign. */
const othersMask = 0o077;

/**
 * The secrets that all processes of a service share, of a file that only its owner may read. Throws an Error that begins with `found` for
 * one that cannot be used.
 */
export async function readSecrets(file: string): Promise<ServiceSecrets> {
  const { bytes, mode } = await contentOf(file);
  if (bytes.length < bytesMin)
    throw new Error(`found ${bytes.length} bytes in ${file}, expected a secret of at least ${bytesMin}`);
  if ((mode & othersMask) !== 0)
    throw new Error(`found ${file} open to others, expected a file that only its owner may read: chmod 600 ${file}`);
  const derived = (use: string): Uint8Array =>
    new Uint8Array(hkdfSync('sha256', bytes, new Uint8Array(), `svc ${use} 1`, bytesMin));
  return { signing: derived('signing'), sealing: derived('sealing') };
}

async function contentOf(file: string): Promise<{ readonly bytes: Uint8Array; readonly mode: number }> {
  try {
    return { bytes: await readFile(file), mode: (await stat(file)).mode };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new Error(`found no file of secrets at ${file} (${String(error.code)})`, { cause: error });
  }
}
