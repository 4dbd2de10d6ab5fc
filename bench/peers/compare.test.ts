import { describe, expect, it } from 'vitest';
import { compare } from './compare.ts';
import type { Measured } from './peer.ts';
import { type Generation, type Sampled, drawSample } from './sample.ts';

const blank = { seconds: 1, cutShort: false, requests: 10, created: 2, leftAlive: 1 };

function run(mutant: string | null, signatures: readonly string[], generation: Generation = 'v3'): Measured {
  return { ...blank, peer: 'tool', mutant, generation, signatures };
}

function sampled(id: string, kind: string): Sampled {
  return { id, kind, breaks: 'Something.', generation: 'v3' };
}

describe('the comparison of tools', () => {
  it('counts a complaint as a kill only where no run against the good server has it', () => {
    const runs = [run(null, ['a']), run(null, ['b']), run('one', ['a', 'b']), run('two', ['a', 'c'])];
    const column = compare('tool', runs, [sampled('one', 'shape'), sampled('two', 'shape')]);
    expect(column.killed).toEqual(['two']);
    expect(column.kills).toEqual({ shape: 1 });
    expect(column).toMatchObject({ falseAlarms: 2, unsteady: 2, runs: 4 });
  });

  it('compares with good servers of the same generation', () => {
    const runs = [run(null, ['a'], 'v4'), run(null, []), run('one', ['a'])];
    expect(compare('tool', runs, [sampled('one', 'shape')]).killed).toEqual(['one']);
  });

  it('takes the mean of the two middle values as the median of an even number of runs', () => {
    const runs = [run(null, []), { ...run('one', []), requests: 20 }];
    expect(compare('tool', runs, [sampled('one', 'shape')])).toMatchObject({ requests: 15, seconds: 1 });
  });

  it('takes no notice of other tools', () => {
    const runs = [run(null, []), { ...run('one', ['a']), peer: 'other' }, run('one', [])];
    expect(compare('tool', runs, [sampled('one', 'shape')])).toMatchObject({ killed: [], runs: 2 });
  });
});

describe('the sample', () => {
  it('has the same number of each class, one of each before a second of any', () => {
    const sample = drawSample(5);
    const kinds = [...new Set(sample.map(({ kind }) => kind))];
    expect(sample).toHaveLength(kinds.length * 5);
    expect(new Set(sample.map(({ id }) => id)).size).toBe(sample.length);
    expect(new Set(sample.slice(0, kinds.length).map(({ kind }) => kind)).size).toBe(kinds.length);
  });

  it('finds the generation that a mutant breaks', () => {
    const found = Object.fromEntries(drawSample(100).map(({ id, generation }) => [id, generation]));
    expect(found).toMatchObject({
      'tenancy-task-status': 'v2',
      'tenancy-session-read': 'v3',
      'tenancy-run-list': 'v4',
      'event-pages-skip': 'v4',
      'v2-metadata-cut': 'v2',
    });
  });
});
