import { expect, it } from 'vitest';
import type { CheckContext } from '../../core/check.ts';
import { defaultTarget } from '../../core/default-target.ts';
import type { Exchange } from '../../core/exchange.ts';
import { jobPhase, jobTarget } from '../../core/job-target.ts';
import type { JsonObject } from '../../core/json.ts';
import { taskViewChecks } from './checks.ts';

const target = { ...defaultTarget, url: 'http://127.0.0.1:1' };
const job = jobTarget(target, 'task');
if (job === undefined) throw new Error('the default target offers no V2 tasks');

/** Returns the exchange that created the task `one`, or a fetch of the record of this task. */
function answer(operation: 'createTask' | 'getTask', json: JsonObject): Exchange {
  const method = operation === 'createTask' ? 'POST' : 'GET';
  const url = `${target.url}/api/v2/tasks${operation === 'createTask' ? '' : '/one'}`;
  const sent = { index: 0, generation: 'v2', operation, sentBy: 'test', atMs: 0, durationMs: 1 } as const;
  return { ...sent, request: { method, url, headers: {} }, status: 200, headers: {}, body: '', json };
}

/** Returns the verdict of V2-VIEW-08 on a task whose record was fetched once. */
async function judgeSteps(record: JsonObject): Promise<'pass' | 'violation' | 'nothing seen'> {
  const judged: boolean[] = [];
  const fetched = answer('getTask', record);
  const exchanges = [answer('createTask', { id: 'one' }), fetched];
  const context = {
    target,
    recorder: { all: () => exchanges },
    recording: async () => ({ after: [{ exchange: fetched, phase: jobPhase(job!, record) }] }),
    operations: { need: () => undefined },
    jobs: { task: { target: () => job } },
    expect: (holds: boolean) => void judged.push(holds),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the check uses only these members of a context
  await taskViewChecks.find(({ id }) => id === 'V2-VIEW-08')?.judge(context as unknown as CheckContext);
  if (judged.length === 0) return 'nothing seen';
  return judged.every(Boolean) ? 'pass' : 'violation';
}

const [first, second, fourth] = [1, 2, 4].map((number) => ({ number, actions: ['{}'] }));

it.each([
  { name: 'with steps in order', record: { status: 'finished', steps: [first!, second!] }, verdict: 'pass' },
  {
    name: 'with a gap between its steps',
    record: { status: 'started', steps: [first!, fourth!] },
    verdict: 'violation',
  },
  { name: 'that has ended without a step', record: { status: 'finished', steps: [] }, verdict: 'violation' },
  { name: 'that works and has no step yet', record: { status: 'started', steps: [] }, verdict: 'nothing seen' },
])('V2-VIEW-08 judges a task $name', async ({ record, verdict }) => {
  expect(await judgeSteps(record)).toBe(verdict);
});
