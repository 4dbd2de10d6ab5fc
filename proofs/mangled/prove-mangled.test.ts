import { describe, expect, it } from 'vitest';
import { createDraw } from '../draw.ts';
import { mangle, mangleNames } from './mangle.ts';
import { runMangled } from './prove-mangled.ts';

const id = '6b1f7c52-5a40-4c1e-9d7e-0f4f6f3d9a01';
const answer = {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ id, items: [{ id, status: 'idle' }], total: 1 }),
};

describe('an answer', () => {
  it.each(mangleNames)('is changed where %s', (name) => {
    const changed = Array.from({ length: 40 }, (_, seed) => mangle(name, answer, createDraw(seed)));
    expect(changed.some((one) => JSON.stringify(one) !== JSON.stringify(answer))).toBe(true);
  });
});

describe('the suite', () => {
  it.each([1, 2])('ends with a report and without an error of its own, seed %i', async (seed) => {
    const { mangled, problems } = await runMangled(seed, { spend: 'none', only: ['v3'] });
    expect(problems).toEqual([]);
    expect(mangled).toBeGreaterThan(0);
  });
});
