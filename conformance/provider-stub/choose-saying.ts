import type { JsonObject } from '../harness/json.ts';
import type { Offer, OfferedTool, Saying } from './families/wire.ts';
import { instanceOf } from './instance-of.ts';

/** What the target file tells the stub to answer; null = a text that ends the task. */
export type Script = { tool: string; input: JsonObject } | null;

/** How agents name the tool by which they end a task, best guess first. */
const endings = [/^(finish|done|complete|submit|answer)/i, /finish|done|complete|final|answer|end/i];

/**
 * What the stub says to a request: the tool of the script where it is offered, a tool that looks like the end of the task where one has to be
 * called, otherwise a text, which is JSON where a schema is asked for.
 */
export function chooseSaying(offer: Offer, script: Script, text: string): Saying {
  const scripted = script === null ? undefined : offer.tools.find(({ name }) => name === script.tool);
  if (scripted !== undefined && script !== null) return { tool: script.tool, input: script.input };
  const tool = offer.toolChoice === 'may' ? undefined : forcedTool(offer);
  if (tool !== undefined) return { tool: tool.name, input: inputOf(tool, text) };
  return { text: offer.schema === undefined ? text : JSON.stringify(instanceOf(offer.schema, text)) };
}

function forcedTool({ tools, toolChoice }: Offer): OfferedTool | undefined {
  if (typeof toolChoice === 'object') return tools.find(({ name }) => name === toolChoice.name);
  const likely = endings
    .map((ending) => tools.find(({ name }) => ending.test(name)))
    .find((tool) => tool !== undefined);
  return likely ?? tools[0];
}

function inputOf({ parameters }: OfferedTool, text: string): JsonObject {
  const made = instanceOf(parameters ?? { type: 'object' }, text);
  return typeof made === 'object' && made !== null && !Array.isArray(made) ? made : {};
}
