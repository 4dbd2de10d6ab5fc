import type { JsonObject } from '#lib/json.ts';
import { requiredText, textIn, type Tool, toolParameters } from '../tool.ts';

const TASK_MAX = 10_000;

const text = (description: string): JsonObject => ({ type: 'string', description });

/** Tool for scheduled tasks; offered only when the task allows them. */
export const SCHEDULE_TOOL: Tool = {
  name: 'propose_scheduled_task',
  description:
    'Proposes a task that runs later, once or again and again. A person has to confirm it before it runs. Use it only when the task asks for it.',
  parameters: toolParameters(
    {
      task: text('The goal of the later task, complete in itself'),
      cron: text('Five fields of cron in the time zone of the project, such as 0 9 * * 1-5; leave it out with at'),
      at: text('A single time such as 2027-01-31T09:00 in that time zone; leave it out with cron'),
    },
    ['cron', 'at'],
  ),
  isStep: true,
  summary: () => 'Proposed a scheduled task',
  async run(input, { world: { services } }) {
    const proposals = services?.proposals ?? null;
    if (proposals === null) return { text: 'This task may not propose scheduled tasks.' };
    const [task, cron, at] = [requiredText(input, 'task'), textIn(input, 'cron'), textIn(input, 'at')];
    if (task.trim() === '' || task.length > TASK_MAX)
      return { text: `Nothing was proposed: the task must have 1 to ${TASK_MAX} characters.` };
    if ((cron === undefined) === (at === undefined)) return { text: 'Nothing was proposed: give either cron or at.' };
    const timing = cron === undefined ? { at: at ?? '' } : { cron };
    const proposed = await proposals.propose({ task, ...timing });
    if ('refusal' in proposed) return { text: 'Nothing was proposed:', data: proposed.refusal };
    return {
      text: `Proposed. Once a person has confirmed it, it first runs at ${proposed.nextAt} (time zone ${proposed.timeZone}). Say in your answer that it waits for confirmation in the console.`,
    };
  },
};
