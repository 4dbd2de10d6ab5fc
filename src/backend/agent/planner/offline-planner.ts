import type { Agent, AgentOutcome, AgentTask, AgentWorld } from '../agent.ts';
import { FileError } from '../files.ts';
import { MailError } from '../mailbox.ts';
import { TabError } from '../tab.ts';
import type { Facts } from './facts.ts';
import { finish, giveUp } from './finish.ts';
import { parseGoal } from './parse-goal.ts';
import { needsTab, perform } from './perform.ts';
import { PHRASES } from './phrases.ts';
import type { Action, Reading } from './plan.ts';
import { runTestTask } from './run-test-task.ts';

/** How the planner behaves. */
export interface OfflinePlannerOptions {
  /** Whether goals such as `svc-test: fail` run the test tasks; without it they are goals like any other. */
  readonly testTasks: boolean;
}

/**
 * An agent without a model: deterministic, free and offline. It follows plain instructions (see `PHRASES`) with the real
 * tab, and gives up with a sentence on everything else. Rejects with the signal's reason once the task is aborted.
 */
export function createOfflinePlanner({ testTasks }: OfflinePlannerOptions): Agent {
  return {
    async run(task, world) {
      world.signal.throwIfAborted();
      const outcome = testTasks ? await runTestTask(task, world) : null;
      return outcome ?? runGoal(task, world);
    },
  };
}

async function runGoal(task: AgentTask, world: AgentWorld): Promise<AgentOutcome> {
  const plan = parseGoal(task.goal);
  if (plan.kind === 'unclear') return giveUp(task, unclear(plan.part), []);
  const facts: Facts = {};
  const done: Action[] = [];
  try {
    for (const action of [...plan.actions, ...readingsForSchema(task, plan.actions)]) {
      await perform(action, world, facts);
      done.push(action);
    }
  } catch (error) {
    world.signal.throwIfAborted();
    if (error instanceof TabError || error instanceof FileError || error instanceof MailError)
      return giveUp(task, error.message, done);
    throw error;
  }
  return finish(task, { actions: plan.actions, facts });
}

/** A schema may ask for more of the page than the goal names, so everything of a page that was opened is read for it. */
function readingsForSchema(task: AgentTask, actions: readonly Action[]): Action[] {
  const usesTab = actions.some(needsTab);
  if (task.outputSchema === null || !usesTab) return [];
  const wanted: readonly Reading[] = ['title', 'headings', 'links', 'tables', 'text'];
  const read = new Set(actions.flatMap((action) => (action.kind === 'read' ? [action.what] : [])));
  return wanted.filter((what) => !read.has(what)).map((what) => ({ kind: 'read', what }));
}

function unclear(part: string): string {
  const examples = PHRASES.map(({ examples: [first = ''] }) => `"${first}"`).join(', ');
  return `I did not understand "${part}". Without a model I understand plain instructions only: ${examples}, joined by "and", "then", commas or full stops.`;
}
