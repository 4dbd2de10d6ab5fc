import { describe, expect, it } from 'vitest';
import { explain } from './explain.ts';
import { registry } from '../core/requirement.ts';
import { selectRequirements } from './select.ts';

const retired = registry.flatMap((row) => row.formerly ?? []);

describe('a retired id', () => {
  it('is the id of no row', () => {
    expect(registry.filter(({ id }) => retired.includes(id)).map(({ id }) => id)).toEqual([]);
  });

  it('selects the rows that have taken it over', () => {
    expect(selectRequirements(['V4-SES-10']).map(({ id }) => id)).toEqual(['PURGE-01']);
    expect(selectRequirements(['V2-SES-10']).length).toBeGreaterThan(1);
  });

  it('is explained by the row that has taken it over', () => {
    expect(explain('V2-SES-11')).toContain('V2-SES-11 is retired; taken over by: PURGE-01');
    expect(explain('PURGE-01')).not.toContain('retired');
  });
});
