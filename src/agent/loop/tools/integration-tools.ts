import { isJsonObject, type JsonObject } from '#lib/json.ts';
import type { AgentWorld } from '../../agent.ts';
import { IntegrationError, type TaskIntegrations } from '../../integrations/integration.ts';
import { requiredText, type Tool, toolParameters } from '../tool.ts';

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
