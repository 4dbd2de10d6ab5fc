import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Called } from './observations.ts';
import { type WriteRule, findRequests, writeRules } from './writes.ts';

const ids = [
  '3f0c2b8e-5d1a-4c57-9e0b-6a7d2f1c8b90',
  '2f1c8b90-4c57-9e0b-6a7d-111122223333',
  // Contains both ids above. The second id begins within the first id.
  '3f0c2b8e-5d1a-4c57-9e0b-6a7d2f1c8b90-4c57-9e0b-6a7d-111122223333',
  '3F0C2B8E-5D1A-4C57-9E0B-6A7D2F1C8B90',
  '3f0c2b8e-5d1a-4c57-9e0b-6a7d2f1c8b90/7',
  'plain',
] as const;
const run: WriteRule | undefined = writeRules.find(({ creates }) => creates.includes('v4.createRun'));

const call = fc.record({
  makes: fc.boolean(),
  made: fc.constantFrom(...ids),
  named: fc.array(fc.constantFrom(...ids), { maxLength: 2 }),
  reads: fc.boolean(),
});

function createCalled({
  makes,
  made,
  named,
  reads,
}: {
  makes: boolean;
  made: string;
  named: string[];
  reads: boolean;
}): Called {
  const request = {
    method: reads ? 'GET' : 'POST',
    url: `http://127.0.0.1:1/api/v4/runs/${named[0] ?? ''}`,
    headers: {},
  };
  return {
    operation: makes ? 'v4.createRun' : 'v4.cancelRun',
    exchange: {
      index: 0,
      generation: 'v4',
      operation: makes ? 'createRun' : 'cancelRun',
      sentBy: 'test',
      atMs: 0,
      durationMs: 1,
      request: { ...request, ...(named[1] === undefined ? {} : { body: JSON.stringify({ of: named[1] }) }) },
      status: 202,
      headers: {},
      body: '',
      json: { id: made },
    },
  };
}

it('finds what goes through all requests finds, whatever the ids look like', () => {
  if (run === undefined) throw new Error('no rule says what creates a run');
  fc.assert(
    fc.property(fc.array(call), fc.constantFrom(...ids), (given, id) => {
      const calls = given.map((one) => createCalled(one));
      const want = calls.filter(({ operation, exchange: { request, json } }, at) => {
        if (request.method === 'GET') return false;
        if (operation === 'v4.createRun') return given[at]?.made === id && json !== undefined;
        return request.url.includes(id) || (request.body ?? '').includes(id);
      });
      expect(findRequests(calls, run, id)).toEqual(want);
    }),
  );
});
