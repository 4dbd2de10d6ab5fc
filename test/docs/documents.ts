import { globSync, readFileSync } from 'node:fs';
import { type Block, readBlocks } from './read-blocks.ts';

/** A text for people, with what it tells them to type. */
export interface Document {
  readonly file: string;
  readonly blocks: readonly Block[];
}

/** Everything that tells a reader what to type. Not among them: what is generated, and evidence that a run has written. */
export function readDocuments(): Document[] {
  const files = globSync(['*.md', 'docs/*.md', 'docs/guides/*.md', 'examples/**/*.md'])
    .filter((file) => file !== 'NOTE.md')
    .toSorted();
  return files.map((file) => ({ file, blocks: readBlocks(file, readFileSync(file, 'utf8')) }));
}
