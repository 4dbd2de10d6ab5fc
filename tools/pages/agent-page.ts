import { testTasks } from '../../generated/rules.ts';
import { RULES } from '../../src/planner/instructions/page-rules.ts';
import { PHRASES } from '../../src/planner/phrases.ts';
import { fillTemplate } from '../../src/contract/problems.ts';
import { page, table } from './markdown.ts';

/** Returns the page about the offline planner's instructions and the test tasks. */
export function agentPage(): string {
  const phrases = PHRASES.map(({ name, description, examples }) => [
    name,
    description,
    examples.map((example) => `\`${example}\``).join('<br>'),
  ]);
  const rules = RULES.map(({ name, description, examples }) => [
    name,
    description,
    examples.map((example) => `\`${example}\``).join('<br>'),
  ]);
  return page(
    'The offline planner',
    'Without a model provider the agent follows plain instructions, joined by "and", "then", commas or full stops. It drives Chromium for real.',
    table(['Instruction', 'What it does', 'Examples'], phrases),
    '## On a page',
    'Goals that name things as a person would are read sentence by sentence; what the words mean is looked up on the page that is there (decision 2). The address may stand anywhere in the goal. Questions (`What is the total?`, `Tell me the order number`) are answered in the words of the page. A goal of which any part is not understood is given up before anything is done.',
    table(['Instruction', 'What it does', 'Examples'], rules),
    '## Test tasks',
    'Goals with a known course, in the stateful mock (`svc mock --stateful`) and where the control address is open (`svc serve --control 127.0.0.1:0`). A word behind `#` at the end means nothing. What a client sees at the end is the same in V2, V3 and V4 as far as their states are.',
    table(['Goal', 'What happens', 'V2', 'V3', 'V4'], testTaskRows()),
  );
}

function testTaskRows(): string[][] {
  const numbers = Object.fromEntries(Object.entries(testTasks.numbers).map(([name, value]) => [name, String(value)]));
  return testTasks.tasks.map(({ name, does, v2, v3, v4, ...row }) => {
    const parameter = 'parameter' in row ? ` (${fillTemplate(row.parameter, numbers)})` : '';
    return [`\`svc-test: ${name}\`${parameter}`, fillTemplate(does, numbers), v2, v3, v4];
  });
}
