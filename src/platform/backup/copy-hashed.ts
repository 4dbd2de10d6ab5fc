import { type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { isMissing } from '#browsers/launch/is-missing.ts';
import { type Content, createCounter } from './content.ts';

/**
 * Copies a file, durably and for its owner alone, and answers what was copied: of a file that grows, its bytes up to some moment. Null
 * when there is no such file; rejects when the target is there already.
 */
export async function copyHashed(source: string, target: string): Promise<Content | null> {
  await using from = await openOrNull(source);
  if (from === null) return null;
  await using to = await open(target, 'wx', 0o600);
  const counter = createCounter();
  await pipeline(from.createReadStream(), (pieces) => counter.pass(pieces), to.createWriteStream({ flush: true }));
  return counter.content();
}

async function openOrNull(path: string): Promise<FileHandle | null> {
  try {
    return await open(path);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
