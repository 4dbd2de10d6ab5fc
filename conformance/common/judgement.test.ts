import { describe, expect, it } from 'vitest';
import type { CheckContext } from '../core/check.ts';
import type { JsonObject } from '../core/json.ts';
import { createAnswer } from '../testing/judge-requirement.ts';
import { judged, unchanged } from './judgement.ts';

/** Returns what a function judges: one value for each call of `expect`. */
function collect(judge: (t: CheckContext) => void): boolean[] {
  const seen: boolean[] = [];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the functions use only this member of a context
  judge({ expect: (holds: boolean) => void seen.push(holds) } as unknown as CheckContext);
  return seen;
}

describe('an answer without success', () => {
  const failed = createAnswer(503);

  it('does not show that a member is null, or that a list is empty', () => {
    expect(collect((t) => judged(t, failed, 'a record').member('finishedAt', null))).toEqual([]);
    expect(collect((t) => judged(t, failed, 'a list').ids({ shown: [], want: [] }))).toEqual([]);
  });

  it('does not show a value that is expected', () => {
    expect(collect((t) => judged(t, failed, 'a record').member('status', 'stopped'))).toEqual([false]);
    expect(collect((t) => judged(t, failed, 'a list').ids({ shown: [], want: ['a'] }))).toEqual([false]);
  });
});

describe('a record that must not change', () => {
  const record = (url: string, status = 'stopped'): JsonObject => ({ status, recordingUrl: url });
  const before = createAnswer(200, record('https://files.example/a?sign=1'));

  it.each([
    ['with an address that is signed anew', createAnswer(200, record('https://files.example/a?sign=2')), [true]],
    ['with another status', createAnswer(200, record('https://files.example/a?sign=1', 'active')), [false]],
    ['that cannot be read', createAnswer(503), []],
  ])('is judged %s', (_name, after, want) => {
    expect(collect((t) => unchanged(t, { before, after, what: 'a browser' }))).toEqual(want);
  });
});
