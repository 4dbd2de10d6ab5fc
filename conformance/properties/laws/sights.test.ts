import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Sight, firstBefore, isAfter } from './sights.ts';

const exchange: Sight['exchange'] = {
  index: 0,
  generation: 'v3',
  operation: 'getSession',
  sentBy: 'test',
  atMs: 0,
  durationMs: 0,
  request: { method: 'GET', url: 'http://127.0.0.1:1/', headers: {} },
  status: 200,
  headers: {},
  body: '{}',
  json: {},
};
const sight = fc
  .record({ from: fc.nat(20), took: fc.nat(5) })
  .map(({ from, took }): Sight => ({ operation: 'v3.getSession', exchange, record: {}, from, to: from + took }));

it('finds the look that going through all of them finds', () => {
  fc.assert(
    fc.property(fc.array(sight), fc.array(sight), (looks, others) => {
      const before = firstBefore(looks, (look) => look);
      for (const one of [...looks, ...others])
        expect(before(one)).toBe(looks.find((look) => look !== one && isAfter(one, look)));
    }),
  );
});
