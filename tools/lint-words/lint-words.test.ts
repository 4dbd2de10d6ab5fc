import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { countHits, judgeCounts, lowerCounts, readPassages } from './read-passages.ts';
import { type Passage, phraseFinder, readPhrases } from './phrases.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-words-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const find = phraseFinder(readPhrases());
const passage = (text: string, isName = false): Passage => ({ file: 'a.ts', line: 5, text, isName });

describe('the finder of phrases', () => {
  it('finds a phrase in any case, across a line break of a comment, with its line and a replacement', () => {
    expect(find(passage('/** Answers. Nobody\n * waits where there is\n * none. */'))).toEqual([
      { file: 'a.ts', line: 5, phrase: 'nobody', use: 'no client, no caller' },
      { file: 'a.ts', line: 6, phrase: 'is none', use: 'no X exists, without X' },
    ]);
  });

  it('matches whole words only', () => {
    expect(find(passage('The whole theorem is nonetheless reimbursed to pursers.'))).toEqual([]);
    expect(find(passage('Ends the one-shot run.'))).toEqual([]);
  });

  it('finds private vocabulary in names, and other phrases in prose only', () => {
    expect(find(passage('open purse', true)).map(({ phrase }) => phrase)).toEqual(['purse']);
    expect(find(passage('nobody', true))).toEqual([]);
  });
});

describe('the reader of passages', () => {
  it('reads comments, sentences and names of code, and no code spans or single words', () => {
    const file = join(folder, 'code.ts');
    const lines = [
      '/** Has a `purse` and says whoever. */',
      'export const keptPurse = "purse";',
      'const text = `all of ${keptPurse} // is none`; // that one',
    ];
    writeFileSync(file, `${lines.join('\n')}\n`);
    const found = readPassages(file).flatMap(find);
    expect(found.map(({ line, phrase }) => `${line} ${phrase}`).toSorted()).toEqual([
      '1 whoever',
      '2 purse',
      '3 is none',
      '3 that one',
    ]);
  });

  it('reads Markdown without its code, and keeps the numbers of its lines', () => {
    const file = join(folder, 'text.md');
    writeFileSync(file, 'Use `nobody`.\n\n```sh\nwhoever\n```\n\nFor somebody.\n');
    expect(readPassages(file).flatMap(find)).toMatchObject([{ line: 7, phrase: 'somebody' }]);
  });

  it('reads the sentences of helpers and tables of tests', () => {
    mkdirSync(join(folder, 'test'), { recursive: true });
    const file = join(folder, 'test', 'rows.ts');
    writeFileSync(file, "export const row = { breaks: 'A cursor that nobody has.' };\n");
    expect(readPassages(file).flatMap(find)).toMatchObject([{ line: 1, phrase: 'nobody' }]);
  });

  it('reads only the titles of a test', () => {
    const file = join(folder, 'some.test.ts');
    writeFileSync(
      file,
      "it('answers nobody', () => send('to whoever asks'));\nit.each(['to somebody'])('is %s', f);\n",
    );
    expect(readPassages(file).flatMap(find)).toMatchObject([{ line: 1, phrase: 'nobody' }]);
  });
});

describe('the counts per folder', () => {
  const hits = ['src/a.ts', 'src/b/c.ts', 'README.md'].map((file) => ({ file, line: 1, phrase: 'whoever', use: '' }));

  it('rejects a folder with more phrases than it may have, and names the next step', () => {
    const found = countHits(hits);
    expect(found).toEqual({ '.': 1, src: 2 });
    expect(judgeCounts(found, { src: 2, '.': 3 })).toEqual([]);
    expect(judgeCounts(found, { src: 1 })).toEqual([
      expect.stringMatching(/^\.: found 1 phrases to avoid, expected at most 0\. Next: npm run lint:words/),
      expect.stringMatching(/^src: found 2 phrases to avoid, expected at most 1\. Next: npm run lint:words/),
    ]);
  });

  it('lowers what a folder may have and never raises it', () => {
    expect(lowerCounts({ src: 5, docs: 1 }, { src: 4, docs: 3, test: 2 })).toEqual({ src: 4, docs: 1 });
  });
});
