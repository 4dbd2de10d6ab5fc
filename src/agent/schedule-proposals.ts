import type { JsonObject } from '#lib/json.ts';
import type { AgentWorld } from './agent.ts';
import type { ToolDefinition } from './model/model-call.ts';

/** A scheduled task as an agent proposes it: either `cron` or `at` is present. */
export interface Proposal {
  readonly task: string;
  /** Five fields of cron. */
  readonly cron?: string;
  /** ISO 8601 time; local without an offset. */
  readonly at?: string;
}

/** Proposals of scheduled tasks, which a person confirms. Present only when the task has `enableScheduledTasks`. */
export interface ScheduleProposals {
  /** Stores a proposal. Returns its first time as ISO 8601 and its time zone, or why it was refused. */
  propose(
    proposal: Proposal,
  ): Promise<{ readonly nextAt: string; readonly timeZone: string } | { readonly refusal: string }>;
}

/** A tool that proposes scheduled tasks. */
export interface ScheduleTool extends ToolDefinition {
  readonly isStep: boolean;
  /** Returns what was done in plain words. */
  readonly summary: (input: JsonObject) => string;
  run(
    input: JsonObject,
    at: { readonly world: Pick<AgentWorld, 'services'> },
  ): Promise<{ readonly text: string; readonly data?: string }>;
}

const TASK_MAX = 10_000;

const text = (description: string): JsonObject => ({ type: 'string', description });

/** Tool for scheduled tasks; offered only when the task allows them. */
export const SCHEDULE_TOOL: ScheduleTool = {
  name: 'propose_scheduled_task',
  description:
    'Proposes a task that runs later, once or again and again. A person has to confirm it before it runs. Use it only when the task asks for it.',
  parameters: {
    type: 'object',
    properties: {
      task: text('The goal of the later task, complete in itself'),
      cron: text('Five fields of cron in the time zone of the project, such as 0 9 * * 1-5; leave it out with at'),
      at: text('A single time such as 2027-01-31T09:00 in that time zone; leave it out with cron'),
    },
    required: ['task'],
    additionalProperties: false,
  },
  isStep: true,
  summary: () => 'Proposed a scheduled task',
  async run({ task, cron, at }, { world: { services } }) {
    const proposals = services?.proposals ?? null;
    if (proposals === null) return { text: 'This task may not propose scheduled tasks.' };
    if (typeof task !== 'string' || task.trim() === '' || task.length > TASK_MAX)
      return { text: `Nothing was proposed: the task must have 1 to ${TASK_MAX} characters.` };
    if ((typeof cron === 'string') === (typeof at === 'string'))
      return { text: 'Nothing was proposed: give either cron or at.' };
    const timing = typeof cron === 'string' ? { cron } : { at: String(at) };
    const proposed = await proposals.propose({ task, ...timing });
    if ('refusal' in proposed) return { text: 'Nothing was proposed:', data: proposed.refusal };
    return {
      text: `Proposed. Once a person has confirmed it, it first runs at ${proposed.nextAt} (time zone ${proposed.timeZone}). Say in your answer that it waits for confirmation in the console.`,
    };
  },
};
