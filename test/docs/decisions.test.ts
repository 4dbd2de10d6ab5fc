import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/**
 * This file tests the decision records: their form, their numbers, and that each reference leads to the intended
 * record.
 */

const read = (file: string): string => readFileSync(file, 'utf8');
const files = globSync('docs/decisions/[0-9]*.md').toSorted();
const records = new Map(files.map((file) => [Number(/\d+/.exec(file.slice(file.lastIndexOf('/')))?.[0]), read(file)]));

const notWritten = /^(?:docs\/(?:evidence|reference)|generated|fixtures)\/|\.(?:png|gz|har)$|^package-lock/;
const references = execFileSync('git', ['grep', '-nIE', '[Dd]ecision [0-9]+'], {
  encoding: 'utf8',
  maxBuffer: 1 << 26,
})
  .split('\n')
  .filter((line) => line !== '' && !notWritten.test(line))
  .flatMap((line) =>
    [...line.matchAll(/\bdecision\s0*(\d+)/gi)].map(([, number]) => ({ line, number: Number(number) })),
  );

/** References to a topic of a decision record in the sources of facts: `source: "decision 12 logs; companion 5.3"`. */
const topics = execFileSync('git', ['grep', '-hoE', 'decision [0-9]+ [a-zA-Z0-9][a-zA-Z0-9 -]*', '--', 'spec'], {
  encoding: 'utf8',
  maxBuffer: 1 << 26,
})
  .split('\n')
  .map((text) => /^decision (?<number>\d+) (?<topic>.*?)(?: and .*)?$/.exec(text.trim())?.groups)
  .filter((groups) => groups !== undefined)
  .map(({ number = '', topic = '' }) => ({ number: Number(number), topic: topic.trim() }));

describe('the records of decisions', () => {
  it('are at most 25, of at most 40 lines each and 8,000 words together', () => {
    expect(records.size).toBeLessThanOrEqual(25);
    const long = [...records].filter(([, text]) => text.split('\n').length - 1 > 40).map(([number]) => number);
    expect(long).toEqual([]);
    const words = [...records.values()].flatMap((text) => text.split(/\s+/).filter((word) => word !== ''));
    expect(words.length).toBeLessThanOrEqual(8000);
  });

  it.each([...records])('%i states context, decision, consequences and status', (number, text) => {
    expect(text).toMatch(new RegExp(`^# ${number}\\. \\S`));
    const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(['Context', 'Decision', 'Consequences', 'Status']);
  });

  it('are listed in an index with their status', () => {
    const index = read('docs/decisions/README.md');
    const missing = files.filter((file) => !index.includes(`(${file.slice(file.lastIndexOf('/') + 1)}) | Accepted |`));
    expect(missing).toEqual([]);
  });

  it('exist wherever a text refers to one', () => {
    expect(references.length).toBeGreaterThan(300);
    expect(references.filter(({ number }) => !records.has(number)).map(({ line }) => line)).toEqual([]);
  });

  it('contain each point that a fact of spec/ gives as its source', () => {
    expect(topics.length).toBeGreaterThan(300);
    const missing = topics.filter(({ number, topic }) => {
      const text = records.get(number)?.toLowerCase().replaceAll(/\s+/g, ' ') ?? '';
      return !text.includes(topic.toLowerCase());
    });
    expect([...new Set(missing.map(({ number, topic }) => `decision ${number} ${topic}`))]).toEqual([]);
  });
});
