import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerSchemas } from '../../core/answer-schemas.ts';
import { draw, everyUnusualWord, labels, runOptions, sessionOptions, taskOptions, unusualText } from './index.ts';

const given = { seed: 7, numRuns: 300 };

describe('options that change nothing', () => {
  it.each([
    ['v2.createTask', taskOptions()],
    ['v3.createSession', sessionOptions()],
    ['v4.createRun', runOptions()],
  ] as const)('are legal by the document of %s', (key, options) => {
    fc.assert(
      fc.property(options, (drawn) => {
        expect(answerSchemas.requestProblems(key, { task: 'Say done.', ...drawn })).toEqual([]);
      }),
      given,
    );
  });
});

describe('unusual texts', () => {
  it('fit a name of 100 characters behind a mark of ours, and do not begin or end with a blank', () => {
    fc.assert(
      fc.property(unusualText(), (text) => {
        expect([text.trim(), text.length <= 40]).toEqual([text, true]);
      }),
      given,
    );
  });

  it('fit a search of 200 characters where they hold every word', () => {
    fc.assert(
      fc.property(everyUnusualWord(), (text) => {
        expect(text.length).toBeLessThan(140);
      }),
      given,
    );
  });

  it('are at most ten labels, one of them empty', () => {
    fc.assert(
      fc.property(labels(), (pairs) => {
        expect(Object.values(pairs)).toContain('');
        expect(Object.keys(pairs).length).toBeLessThanOrEqual(10);
      }),
      given,
    );
  });
});

describe('draw', () => {
  it('gives the same for the same seed and purpose, and others for others', () => {
    const of = (seed: number, purpose: string): string => draw(fc.uuid(), { seed, purpose });
    expect(of(3, 'a')).toBe(of(3, 'a'));
    expect(new Set([of(3, 'a'), of(3, 'b'), of(4, 'a')]).size).toBe(3);
  });
});
