import type { JsonObject } from '#lib/json.ts';
import type { ToolDefinition } from '../../model/model-call.ts';
import { parameters } from '../parameters.ts';

/** Ends the task; the loop itself answers its call. */
export const FINISH_TOOL: ToolDefinition & { readonly parameters: JsonObject } = {
  name: 'finish',
  description:
    'Ends the task. success is true only when you have seen that the goal is reached; false when it cannot be, then text says why. text is the answer for the person who gave the task. output is the result as JSON text where the task asks for structured output.',
  parameters: parameters({ success: { type: 'boolean' }, text: { type: 'string' }, output: { type: 'string' } }, [
    'output',
  ]),
};
