import type { Agent } from '#agent/agent.ts';
import { mailTools } from '#agent/loop/tools/service-tools.ts';
import { agentLimits } from '#agent/loop/options.ts';
import { createModelAgent } from '#agent/loop/create-model-agent.ts';
import type { JsonValue } from '#lib/json.ts';
import { defaultRules } from '#contract/rule-book.ts';
import type { Script } from './hand.ts';
import { scriptedDoor } from './scripted-door.ts';

/**
 * Creates the service's agent with a model that follows a script. The first HTTP address in the task is the address of
 * the site.
 */
export function scriptedAgent(script: Script): Agent {
  const agent = createModelAgent({
    limits: agentLimits(defaultRules),
    newNonce: () => 'nonce-of-a-test',
    finish: async ({ text, output }) => ({ success: true, output: parsed(output) ?? text }),
    moreTools: (world) => (world.mailbox === null ? [] : mailTools),
  });
  return {
    run: (task, world) =>
      agent.run(task, { ...world, model: scriptedDoor(script, /http:\/\/[\d.]+:\d+/.exec(task.goal)?.[0] ?? '') }),
  };
}

function parsed(output: JsonValue | undefined): JsonValue | undefined {
  return typeof output === 'string' ? (JSON.parse(output) as JsonValue) : output;
}
