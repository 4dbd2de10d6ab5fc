import { expect, it } from 'vitest';
import type { CheckContext } from '../../core/check.ts';
import { defaultTarget } from '../../core/default-target.ts';
import { NotTestable } from '../../core/outcome.ts';
import { watchedJobChecks } from './checks-course.ts';

const ownSlowTask = 'Wait until you are stopped.';

/** Returns the verdict of V4-RUN-34 on a run that was read in these phases, with this slow task in the target file. */
async function judgeReads(phases: readonly string[], slow: string): Promise<'pass' | 'violation' | 'not testable'> {
  const judged: boolean[] = [];
  const reads = phases.map((phase) => ({ phase, status: phase, exchange: { json: {} } }));
  const context = {
    target: { ...defaultTarget, tasks: { ...defaultTarget.tasks, slow } },
    recording: async () => ({ interrupted: () => ({ reads }) }),
    expect: (holds: boolean) => void judged.push(holds),
    notTestable: (reason: string) => {
      throw new NotTestable(reason);
    },
  };
  try {
    const check = watchedJobChecks.find(({ id }) => id === 'V4-RUN-34');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the check uses only these members of a context
    await check?.judge(context as unknown as CheckContext);
  } catch (error) {
    if (error instanceof NotTestable) return 'not testable';
    throw error;
  }
  return judged.every(Boolean) ? 'pass' : 'violation';
}

const suiteTask = defaultTarget.tasks.slow ?? '';

it.each([
  { name: 'goes on', phases: ['pending', 'pending'], slow: ownSlowTask, verdict: 'pass' },
  { name: 'of the suite goes on', phases: ['pending', 'pending'], slow: suiteTask, verdict: 'pass' },
  { name: 'that only a stop ends has ended', phases: ['pending', 'ended'], slow: ownSlowTask, verdict: 'violation' },
  { name: 'of the suite has ended', phases: ['pending', 'ended'], slow: suiteTask, verdict: 'not testable' },
  { name: 'had ended before', phases: ['ended', 'ended'], slow: ownSlowTask, verdict: 'not testable' },
])('V4-RUN-34 judges reads of a run whose task $name', async ({ phases, slow, verdict }) => {
  expect(await judgeReads(phases, slow)).toBe(verdict);
});
