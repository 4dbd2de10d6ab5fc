import { PHRASES, TEST_TASKS } from '../../src/backend/agent/index.ts';
import { page, table } from './markdown.ts';

/** What the offline planner understands, and the test tasks. */
export function agentPage(): string {
  const phrases = PHRASES.map(({ name, description, examples }) => [
    name,
    description,
    examples.map((example) => `\`${example}\``).join('<br>'),
  ]);
  const tasks = TEST_TASKS.map(({ name, description }) => [`\`svc-test: ${name}\``, description]);
  return page(
    'The offline planner',
    'Without a model provider the agent follows plain instructions, joined by "and", "then", commas or full stops. It drives Chromium for real.',
    table(['Instruction', 'What it does', 'Examples'], phrases),
    '## Test tasks',
    'Goals with a known course, only where the control address is open (`svc serve --control 127.0.0.1:0`). A word behind `#` at the end means nothing.',
    table(['Goal', 'What happens'], tasks),
  );
}
