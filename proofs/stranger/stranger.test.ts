import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { faults, type FaultId } from './faults/index.ts';
import { judge, type Case } from './judge.ts';

const common = { dialect: 'plain', spend: 'none', profile: 'documented', seed: 1, known: [], isShort: true } as const;

describe('faults of the stranger', () => {
  it('are at least 300, each with an id of its own', () => {
    const ids = faults.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThanOrEqual(300);
  });

  it('each have a place in the server', () => {
    const folder = new URL('server/', import.meta.url);
    const source = readdirSync(folder)
      .map((name) => readFileSync(new URL(name, folder), 'utf8'))
      .join('\n');
    expect(faults.filter(({ id }) => !source.includes(`'${id}'`)).map(({ id }) => id)).toEqual([]);
  });
});

describe('server of the stranger', () => {
  it('imports nothing of the project and reads none of its documents', () => {
    const folder = new URL('server/', import.meta.url);
    const imports = readdirSync(folder).flatMap((name) =>
      [...readFileSync(new URL(name, folder), 'utf8').matchAll(/from '([^']+)'/g)].map(([, from]) => from ?? ''),
    );
    const isOutside = (from: string): boolean => !/^(node:|ws$|\.\/[\w-]+\.ts$|\.\.\/faults\/)/.test(from);
    expect(imports.filter(isOutside)).toEqual([]);
  });

  it('keeps the contract in each set of legal choices', async () => {
    for (const dialect of ['plain', 'wordy', 'terse'] as const) {
      const judged = await judge({ ...common, dialect, faults: [], only: ['errors', 'authentication'] });
      expect({ dialect, violated: judged.violated, errors: judged.errors }).toEqual({
        dialect,
        violated: [],
        errors: [],
      });
    }
  });
});

describe('suite', () => {
  const sample: (readonly [FaultId, string, Partial<Case>])[] = [
    ['auth-v2-list-open', 'AUTH-01', {}],
    ['shape-loc-text', 'ERR-02', {}],
    ['msg-params-unsorted', 'ERR-14', {}],
    ['len-v3-country-gb', 'V3-ENUM-04', {}],
    ['lv2-opus45-medium', 'V2-THINK-31', {}],
    ['mp-none-grok', 'V4-PARAMS-REFUSES', {}],
    ['own-key-not-needed-gpt52', 'V3-OWN-KEY', {}],
    ['view3-total-off-by-cent', 'V3-SESSION-40', { spend: 'task' }],
  ];
  it.each(sample)('catches %s by %s', async (id, requirement, options) => {
    const judged = await judge({ ...common, ...options, faults: [id], only: [requirement] });
    expect(judged.violated).toContain(requirement);
  });
});
