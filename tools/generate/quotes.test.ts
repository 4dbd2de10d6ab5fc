import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { JsonValue } from '#lib/json.ts';
import { expectObject } from './parse.ts';
import { contractFile, joinExcerpts, quoteProblems } from './quotes.ts';

const contract = readFileSync(contractFile, 'utf8');

/** Returns the problems of a file with one requirement, given the members of the requirement. */
function getProblems(row: Readonly<Record<string, JsonValue>>): string[] {
  const file = { requirements: [{ id: 'ERR-15', source: 'contract 7 Errors', ...row }] };
  return quoteProblems(file, contract).map(({ path, text }) => `${path.join('.')}: ${text}`);
}

describe('a quote of the contract', () => {
  it.each([
    [
      'a sentence',
      'The session lifecycle (V3) runs through these states in this general order: created, idle, running',
    ],
    ['a table row', 'task | string | the goal to accomplish'],
    ['a text with other line breaks', 'Events: not shown.\nV4 runs are observable by polling\n  an ordered event list'],
    ['a text without its emphasis', 'V3 `thinkingLevel` (request field, optional, nullable).'],
    ['several excerpts', ['Purpose: create an agent run.', 'the goal; required']],
  ])('may be %s', (_kind, quote) => {
    expect(getProblems({ quote })).toEqual([]);
  });

  it('is refused with the nearest sentence when a word differs', () => {
    const quote = ['Purpose: create an agent run.', 'Rule: an unsupported model and level pair returns HTTP 400.'];
    expect(getProblems({ quote })).toEqual([
      `requirements.0.quote.1: ERR-15 quotes "${quote[1]}", which fixtures/contract/contract.md does not contain; expected a literal excerpt, nearest is "an unsupported V2/V3 model and level pair returns HTTP 422 before any task is dispatched."`,
    ]);
  });

  it('is refused when it begins or ends inside a word', () => {
    expect(getProblems({ quote: 'urpose: create an agent run.' })[0]).toContain('does not contain');
    expect(getProblems({ quote: 'Purpose: create an agent ru' })[0]).toContain('does not contain');
  });

  it('is required of a requirement whose source is the contract', () => {
    expect(getProblems({})).toEqual([
      'requirements.0: ERR-15 has no quote, expected the sentence of fixtures/contract/contract.md that states the rule, below text',
    ]);
    expect(getProblems({ source: 'companion 3.1' })).toEqual([]);
  });

  it('is refused beside another source', () => {
    expect(getProblems({ source: 'companion 3.1', quote: 'Purpose: create an agent run.' })).toEqual([
      'requirements.0.quote: ERR-15 has a quote and the source "companion 3.1", expected a quote only beside a source in the contract',
    ]);
  });

  it('is read from laws as well', () => {
    const file = expectObject(parse('laws: [{ id: V3-ALIASES, source: contract 2 Resources, quote: No. }]'), 'a file');
    expect(quoteProblems(file, contract).map(({ path }) => path)).toEqual([['laws', 0, 'quote']]);
  });

  it('is one text with an ellipsis between its excerpts', () => {
    expect(joinExcerpts(['The first.', 'The second.'])).toBe('The first. … The second.');
    expect(joinExcerpts('The only one.')).toBe('The only one.');
  });
});
