import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrokenClient } from './broken-clients.ts';

/** Folder of the good client, from which the broken clients are derived. */
export const goodClient = 'examples/check-client/fetch';

/** Files of a broken client. */
export interface BuiltClient {
  /** A temporary folder, which the caller removes. */
  readonly folder: string;
  /** Path of the client's adapter. */
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
    writeFileSync(
      path,
      text.replaceAll(findChange(text, from), () => to),
    );
  }
  return { folder, adapter: join(folder, 'adapter.mjs') };
}

/** Finds the text that a change replaces: a literal text, or the first match of a pattern. Throws without a match. */
export function findChange(text: string, from: string): string {
  const found = text.includes(from) ? from : (new RegExp(from).exec(text)?.[0] ?? '');
  if (found === '') throw new Error(`found no ${from} in a file of ${goodClient}, expected it there`);
  return found;
}
