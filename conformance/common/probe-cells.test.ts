import { describe, expect, it } from 'vitest';
import type { Exchange } from '../core/exchange.ts';
import { probeCells } from './probe-cells.ts';

const exchange: Exchange = {
  index: 0,
  generation: 'v3',
  operation: 'createSession',
  sentBy: 'test',
  atMs: 0,
  durationMs: 1,
  request: { method: 'POST', url: 'http://127.0.0.1/api/v3/sessions', headers: {} },
  status: 200,
  headers: {},
  body: '',
  json: undefined,
};

describe('the probes of one requirement', () => {
  it.each([0, 200, 303, 500])(
    'stop after three answers with status %i, which may have created resources',
    async (status) => {
      const { probes, unsent } = await probeCells([1, 2, 3, 4, 5], () => Promise.resolve({ ...exchange, status }));
      expect([probes.length, unsent]).toEqual([3, [4, 5]]);
    },
  );

  it('are all sent while each is refused', async () => {
    const { probes } = await probeCells([1, 2, 3, 4, 5], () => Promise.resolve({ ...exchange, status: 422 }));
    expect(probes).toHaveLength(5);
  });
});
