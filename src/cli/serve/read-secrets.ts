import { hkdfSync } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { readBytes } from '#conformance/core/data-file.ts';
import { SuiteError } from '#conformance/core/suite-error.ts';
import type { ServiceSecrets } from '#store/data-folder.ts';

const bytesMin = 32;
/** Whoever else may read it, may sign. */
const othersMask = 0o077;

/**
 * The secrets that all processes of a service share, of a file that only its owner may read. Rejects with SuiteError `usage` for one
 * that cannot be used.
 */
export async function readSecrets(file: string): Promise<ServiceSecrets> {
  const bytes = readBytes(file, secretUse);
  const { mode } = await stat(file);
  if (bytes.length < bytesMin)
    throw new SuiteError('usage', { ...secretUse, found: `${bytes.length} bytes in ${file}` });
  if ((mode & othersMask) !== 0)
    throw new SuiteError('usage', {
      found: `${file} open to others`,
      expected: 'a file that only its owner may read',
      next: `chmod 600 ${file}`,
    });
  const derived = (use: string): Uint8Array =>
    new Uint8Array(hkdfSync('sha256', bytes, new Uint8Array(), `svc ${use} 1`, bytesMin));
  return { signing: derived('signing'), sealing: derived('sealing') };
}

const secretUse = {
  expected: `a file with a secret of at least ${bytesMin} bytes`,
  next: 'correct the path of --secret-file',
};
