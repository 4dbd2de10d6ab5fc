import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrokenClient } from './broken-clients.ts';

const goodClient = 'examples/check-client/fetch';

/** Files of a broken client. */
export interface BuiltClient {
  /** A temporary folder, which the caller removes. */
  readonly folder: string;
  /** Path of its adapter. */
  readonly adapter: string;
}

/**
 * Copies the good client to a temporary folder and applies the changes. Throws for a text that the good client does not
 * contain.
 */
export function buildBrokenClient({ changes }: BrokenClient): BuiltClient {
  const folder = mkdtempSync(join(tmpdir(), 'svc-broken-'));
  cpSync(goodClient, folder, { recursive: true });
  for (const [file, from, to] of changes) {
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8');
    const found = text.includes(from) ? from : (new RegExp(from).exec(text)?.[0] ?? '');
    if (found === '') throw new Error(`found no ${from} in ${file} of ${goodClient}, expected it there`);
    writeFileSync(
      path,
      text.replaceAll(found, () => to),
    );
  }
  return { folder, adapter: join(folder, 'adapter.mjs') };
}
