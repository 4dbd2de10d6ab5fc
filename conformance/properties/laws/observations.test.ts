import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Observation, firstBefore, isAfter } from './observations.ts';

const exchange: Observation['exchange'] = {
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
const observation = fc
  .record({ from: fc.nat(20), took: fc.nat(5) })
  .map(({ from, took }): Observation => ({ operation: 'v3.getSession', exchange, record: {}, from, to: from + took }));

it('finds the look that going through all of them finds', () => {
  fc.assert(
    fc.property(fc.array(observation), fc.array(observation), (looks, others) => {
      const before = firstBefore(looks, (look) => look);
      for (const one of [...looks, ...others])
        expect(before(one)).toBe(looks.find((look) => look !== one && isAfter(one, look)));
    }),
  );
});
