import { expect, it } from 'vitest';
import type { RequestContext } from '../common/request-context.ts';
import { createTask } from './tasks.ts';

const session = { id: 'a-session', profileId: null, status: 'created' };

/**
 * Returns a context whose session refuses a task before attempt number `asked`, and the list of the attempts so far.
 */
function startingUntil(asked: number): { readonly context: RequestContext; readonly questions: string[] } {
  const questions: string[] = [];
  const answer = async (question: string): Promise<unknown> =>
    questions.push(question) >= asked ? { session, runId: 'a-run', missingFileIds: [] } : null;
  const engine = {
    profileHolder: async () => null,
    followUp: () => answer('followUp'),
    waitForStart: () => answer('waitForStart'),
    find: async () => ({ ...session, status: 'running' }),
  };
  const rules = { lifecycle: { machines: [] } };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the little of a caller that a dispatch touches
  return { context: { engine, scope: {}, rules } as unknown as RequestContext, questions };
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the test does not read it
const command = { kind: 'followUp', session, wanted: { task: 'a task', settings: {} } } as never;

it('dispatches the task to a session that becomes idle between both attempts', async () => {
  const { context, questions } = startingUntil(3);
  expect(await createTask.apply(command, context)).toMatchObject({ id: 'a-run' });
  expect(questions).toEqual(['followUp', 'waitForStart', 'followUp']);
});

it('queues the task of a session that waits for its browser', async () => {
  const { context, questions } = startingUntil(2);
  expect(await createTask.apply(command, context)).toMatchObject({ id: 'a-run' });
  expect(questions).toEqual(['followUp', 'waitForStart']);
});
