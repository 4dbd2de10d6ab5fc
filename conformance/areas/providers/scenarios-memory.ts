import { unwatchableReason } from '../../core/job-target.ts';
import type { Exchange } from '../../core/exchange.ts';
import { notOffered } from '../../core/operations.ts';
import { NotTestable } from '../../core/outcome.ts';
import type { ProviderCall } from '../../core/provider-call.ts';
import type { Scenario, ScenarioContext } from '../../core/scenario.ts';
import type { Target } from '../../core/target.ts';
import { runToEnd } from '../../common/observed-job.ts';
import { runTask } from '../../common/observed-session.ts';
import { openTaskSession } from '../../common/open-task-session.ts';
import { sessionProbe } from '../../common/probe-bodies.ts';
import { markFor, noStub } from '../../provider-stub/index.ts';
import { possibleCells } from './scenarios.ts';

/** Two consecutive V2 tasks of one session, and the provider requests that contain the text of each task. */
export interface RememberedTasks {
  persistMemory: boolean;
  /** Response of the stub that lists the requests of `second`. */
  record: Exchange;
  /** Requests that contain the marker of the first task. */
  first: readonly ProviderCall[];
  /** Requests that contain the marker of the second task. */
  second: readonly ProviderCall[];
}

/** V2 sessions with and without memory. */
export interface ProviderMemory {
  sessions: RememberedTasks[];
}

const operations = ['v2.createSession', 'v2.createTask'] as const;

/**
 * Creates two V2 sessions, of which only the first has a memory. Records the requests of their tasks to model
 * providers.
 */
export const providerMemory: Scenario<ProviderMemory> = {
  name: 'provider-memory',
  creates: 'two V2 sessions with two tasks each, one after the other until their end',
  spend: 'task',
  dispatches: 4,
  stateful: true,
  unavailable: (target) => unseen(target) ?? notOffered(target, operations) ?? unwatchableReason(target, 'task'),
  run: (context) =>
    context.live(async () => ({
      sessions: [await remember(context, true), await remember(context, false)],
    })),
};

function unseen(target: Target): string | undefined {
  return target.providerStub === null ? noStub : undefined;
}

/**
 * Numbers in the markers of the tasks of this file, and in the secret value. They are larger than the numbers of other
 * scenarios, so that each marker is unique.
 */
const tags = { memory: 7000, noMemory: 7002, secretTask: 7004, secretValue: 7005 } as const;

async function remember(context: ScenarioContext, persistMemory: boolean): Promise<RememberedTasks> {
  const { id: sessionId } = await openTaskSession(context, { persistMemory, keepAlive: true });
  const shift = persistMemory ? tags.memory : tags.noMemory;
  const [one, two] = [markFor(context.stamp, 'v2', shift), markFor(context.stamp, 'v2', shift + 1)];
  for (const mark of [one, two]) await runToEnd(context, { ...taskBody(context, mark), sessionId });
  const { calls: first } = await read(context, one);
  const { calls: second, exchange: record } = await read(context, two);
  return { persistMemory, record, first, second };
}

/**
 * Returns the body of a task for the first V2 model that the target can reach. If the target can reach no V2 model, the
 * body names no model.
 */
function taskBody({ target }: ScenarioContext, mark: string): { task: string; llm?: string } {
  const [cell] = possibleCells(target, 'v2');
  const task = (target.providerStub?.task ?? '').replaceAll('{mark}', mark);
  return cell === undefined ? { task } : { task, llm: cell.model };
}

async function read(
  { providerStub }: ScenarioContext,
  mark: string,
): Promise<{ calls: readonly ProviderCall[]; exchange: Exchange }> {
  if (providerStub === undefined) throw new NotTestable(noStub);
  return providerStub.reached(mark);
}

/** One V3 session with a sensitive value, and the provider requests of its task. */
export interface ProviderSecret {
  record: Exchange;
  /** Provider requests that contain the marker of the task. */
  calls: readonly ProviderCall[];
  /** Provider requests that contain the sensitive value. */
  shown: readonly ProviderCall[];
}

/** Creates a V3 session with sensitive data. Records whether the value reaches a model provider. */
export const providerSecret: Scenario<ProviderSecret> = {
  name: 'provider-secret',
  creates: 'one V3 session with a task and a sensitive value, until its end',
  spend: 'task',
  dispatches: 1,
  stateful: true,
  unavailable: (target) => unseen(target) ?? notOffered(target, ['v3.createSession']),
  run: (context) => context.live(() => driveSecret(context)),
};

async function driveSecret(context: ScenarioContext): Promise<ProviderSecret> {
  // The value has the form of a run tag, by which the stub finds it in the whole text of a request.
  const [mark, value] = [markFor(context.stamp, 'v3', tags.secretTask), markFor(context.stamp, 'v3', tags.secretValue)];
  const task = (context.target.providerStub?.task ?? '').replaceAll('{mark}', mark);
  await runTask(context, { ...sessionProbe(context.target), task, sensitiveData: { password: value } });
  const { calls } = await read(context, mark);
  const { calls: shown, exchange: record } = await read(context, value);
  return { record, calls, shown };
}
