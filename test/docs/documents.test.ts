import { existsSync, globSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readDocuments } from './documents.ts';

const files = readDocuments().map(({ file }) => file);

/** Links into this tree, each with the file that contains it, the target file and the anchor of the heading. */
const links = files.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([\w-]+))?\)/g)].map(
    ([, target = '', anchor]) => ({ file, target: target === '' ? file : join(dirname(file), target), anchor }),
  ),
);

/** Returns the anchors of the headings of a file, as Markdown viewers make them. */
const listAnchors = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .trim()
      .replaceAll(' ', '-'),
  );

describe('texts for people', () => {
  it('lead to places that exist', () => {
    expect(links.length).toBeGreaterThan(80);
    const broken = links.filter(({ target, anchor }) => {
      if (!existsSync(target)) return true;
      return anchor !== undefined && statSync(target).isFile() && !listAnchors(target).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  it('has an index that names every guide', () => {
    const named = links.filter(({ file }) => file === 'docs/guides/README.md').map(({ target }) => target);
    expect(
      globSync('docs/guides/*.md').filter((file) => file !== 'docs/guides/README.md' && !named.includes(file)),
    ).toEqual([]);
  });

  it('keeps each example to a screen of text and a program of at most 60 lines', () => {
    const examples = readdirSync('examples').filter((name) => name !== 'targets' && name !== 'README.md');
    expect(examples.length).toBeGreaterThan(8);
    const countLines = (file: string): number => readFileSync(file, 'utf8').split('\n').length - 1;
    const long = examples.flatMap((name) =>
      globSync(`examples/${name}/**/*.*`).filter((file) => countLines(file) > (file.endsWith('.md') ? 45 : 60)),
    );
    expect(long).toEqual([]);
    expect(examples.filter((name) => !existsSync(`examples/${name}/README.md`))).toEqual([]);
  });
});
