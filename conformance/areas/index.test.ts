import { describe, expect, it } from 'vitest';
import { registry } from '../core/requirement.ts';
import { checks } from './index.ts';

const checked = checks.map(({ id }): string => id);

describe('the registry', () => {
  it('has a check or an exclusion for every requirement, never both', () => {
    const wrong = registry.filter((row) => checked.includes(row.id) === (row.excluded !== undefined));
    expect(wrong.map(({ id }) => id)).toEqual([]);
  });

  it('knows the id of every check', () => {
    expect(checked.filter((id) => !registry.some((row) => row.id === id))).toEqual([]);
  });

  it('has no more than one check for an id', () => {
    expect(checked.filter((id, index) => checked.indexOf(id) !== index)).toEqual([]);
  });
});
