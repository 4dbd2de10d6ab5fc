import { globSync, readFileSync } from 'node:fs';
import { type Block, readBlocks } from './read-blocks.ts';

/** A Markdown document with its commands. */
export interface Document {
  readonly file: string;
  readonly blocks: readonly Block[];
}

/** Returns every document that tells readers to run commands, except generated ones and evidence. */
export function readDocuments(): Document[] {
  const files = globSync(['*.md', 'docs/*.md', 'docs/guides/*.md', 'examples/**/*.md'])
    .filter((file) => file !== 'NOTE.md')
    .toSorted();
  return files.map((file) => ({ file, blocks: readBlocks(file, readFileSync(file, 'utf8')) }));
}
