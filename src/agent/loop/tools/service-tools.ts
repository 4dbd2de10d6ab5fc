import { isJsonObject, type JsonObject } from '#lib/json.ts';
import type { AgentWorld } from '../../agent.ts';
import { IntegrationError, type TaskIntegrations } from '../../integrations/integration.ts';
import { requiredText, type Tool, toolParameters, textIn } from '../tool.ts';

const INTEGRATION: JsonObject = { type: 'string', description: 'Name of the integration' };

/**
 * Tools for integrations; offered only to tasks that have some. The tools of a server are listed as data and called by
 * name: their descriptions are untrusted, and their schemas need not be ones that every provider accepts.
 */
export const INTEGRATION_TOOLS: readonly Tool[] = [
  {
    name: 'list_integration_tools',
    description: 'Lists the tools of an integration with the JSON Schemas of their arguments.',
    parameters: toolParameters({ integration: INTEGRATION }),
    isStep: true,
    summary: (input) => `Listed the tools of ${requiredText(input, 'integration')}`,
    async run(input, { world }) {
      const tools = await findIntegrations(world).tools(requiredText(input, 'integration'));
      const lines = tools.map(
        ({ name, description, parameters }) => `${name}: ${description}\n  arguments: ${JSON.stringify(parameters)}`,
      );
      return lines.length === 0 ? { text: 'It has no tools.' } : { text: 'Its tools:', data: lines.join('\n') };
    },
  },
  {
    name: 'call_integration',
    description:
      'Calls a tool of an integration. arguments is a JSON object as text that conforms to the schema of the tool.',
    parameters: toolParameters({
      integration: INTEGRATION,
      tool: { type: 'string', description: 'Name of the tool, as it was listed' },
      arguments: { type: 'string', description: 'Such as {"path":"notes.txt"}; {} for none' },
    }),
    isStep: true,
    summary: (input) => `Called ${requiredText(input, 'tool')} of ${requiredText(input, 'integration')}`,
    async run(input, { world }) {
      const call = { tool: requiredText(input, 'tool'), input: readArguments(requiredText(input, 'arguments')) };
      return {
        text: 'It answered:',
        data: await findIntegrations(world).call(requiredText(input, 'integration'), call),
      };
    },
  },
];

function findIntegrations({ services }: Pick<AgentWorld, 'services'>): TaskIntegrations {
  const integrations = services?.integrations ?? null;
  if (integrations === null) throw new IntegrationError('This task has no integrations.');
  return integrations;
}

function readArguments(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new IntegrationError('Nothing was called: arguments must be a JSON object as text, such as {"path":"a.txt"}.');
}

/** Tool that reads skills; offered only to tasks that have some. */
export const SKILL_TOOL: Tool = {
  name: 'read_skill',
  description: 'Reads the instructions of a skill, or one of its files. Read a skill before you do what it describes.',
  parameters: toolParameters(
    {
      name: { type: 'string', description: 'Name of the skill' },
      path: { type: 'string', description: 'A file of the skill; leave it out for its instructions' },
    },
    ['path'],
  ),
  isStep: true,
  summary: (input) => `Read the skill ${requiredText(input, 'name')}`,
  async run(input, { world }) {
    const skills = world.services?.skills ?? null;
    if (skills === null) return { text: 'This task has no skills.' };
    return { text: await skills.read(requiredText(input, 'name'), textIn(input, 'path')) };
  },
};

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
