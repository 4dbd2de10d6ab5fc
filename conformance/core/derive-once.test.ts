import { expect, it } from 'vitest';
import type { CheckContext } from './check.ts';
import { createRecorder } from './recorder.ts';
import { deriveOnce } from './derive-once.ts';

const seen = {
  generation: 'v3',
  operation: 'getSession',
  sentBy: 'test',
  atMs: 0,
  durationMs: 1,
  request: { method: 'GET', url: 'http://127.0.0.1:1/', headers: {} },
  status: 200,
  headers: {},
  body: '1',
  json: 1,
} as const;

it('derives once from what was seen, again when more was seen, and apart for each run', () => {
  let derivations = 0;
  const count = deriveOnce((t) => {
    derivations += 1;
    return t.recorder.all().length;
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the test uses only the recorder
  const createContext = (): CheckContext => ({ recorder: createRecorder() }) as unknown as CheckContext;
  const [one, other] = [createContext(), createContext()];
  expect([count(one), count(one), derivations]).toEqual([0, 0, 1]);
  one.recorder.add(seen);
  expect([count(one), count(other), derivations]).toEqual([1, 0, 3]);
});
