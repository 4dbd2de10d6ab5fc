import { defaultRules } from '#contract/rule-book.ts';
import { afterAll, expect, test } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import { createSimulatedHost } from '#browsers/simulated/simulated-host.ts';
import type { AgentOutcome, AgentStep, AgentTask } from '../agent.ts';
import { createModelAgent } from '../loop/create-model-agent.ts';
import {
  type Script,
  type ScriptedModel,
  call,
  finish,
  inTurns,
  scriptedModel,
} from '../loop/testing/scripted-model.ts';
import { filesInMemory } from '../testing/files-in-memory.ts';
import { createOutputJudges } from './schema/create-output-judges.ts';
import { finishTask } from './finish-task.ts';
import { runCodeTool } from './program/run-code-tool.ts';

const host = createSimulatedHost();
const judges = createOutputJudges(defaultRules);
let browsers = 0;
afterAll(async () => {
  await judges.close();
  await host.close();
});

interface Ran {
  readonly outcome: AgentOutcome;
  readonly steps: readonly AgentStep[];
  readonly model: ScriptedModel;
}

/** Runs a task with the model agent, the tool `run_code` and the real creation of outputs, in a simulated browser. */
async function run(script: Script, task: Partial<AgentTask> = {}): Promise<Ran> {
  browsers += 1;
  const launched = { sessionId: `${browsers}`, screen: { width: 800, height: 600 }, proxyCountryCode: null };
  const browser = await host.launch(launched);
  const model = scriptedModel(script);
  const steps: AgentStep[] = [];
  const world = {
    signal: new AbortController().signal,
    tab: () => browser.tab(),
    step: async (step: AgentStep) => void steps.push(step),
    wait: async () => undefined,
    files: filesInMemory(),
    model,
    mailbox: null,
    judge: judges.of('project'),
  };
  const agent = createModelAgent({
    limits: { steps: 20, tokens: 1_000_000, replyTokens: 1_000 },
    newNonce: () => 'nonce',
    finish: (finished, { world: door, ...work }) => finishTask(finished, { ...work, door, judge: door.judge }),
    moreTools: () => [runCodeTool],
  });
  const whole: AgentTask = {
    goal: 'Do it',
    model: 'm',
    modelParams: null,
    outputSchema: null,
    codeMode: false,
    ...task,
  };
  return { outcome: await agent.run(whole, world), steps, model };
}

const open = () => call('navigate', { url: 'https://a.example/' });
const price: JsonObject = { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] };
const says = (text: string) => () => ({ text });
const getLast = ({ requests }: ScriptedModel): string => JSON.stringify(requests.at(-1)?.messages.at(-1));

test('a task with a schema ends with what conforms, after one repair', async () => {
  const { outcome, model } = await run(
    inTurns(open, () => finish('It costs three.'), says('{"price":"three"}'), says('{"price":3}')),
    { outputSchema: price },
  );
  expect(outcome).toEqual({ success: true, output: { price: 3 } });
  expect(getLast(model)).toContain('/price must be number');
});

test('a task with a schema that is never met is no success', async () => {
  const { outcome } = await run(
    inTurns(open, () => finish('?'), says('{}'), says('{}')),
    { outputSchema: price },
  );
  expect(outcome).toMatchObject({ success: false, output: null, reason: expect.stringContaining('required property') });
});

test('code mode ends with a program and its result, from the browser of the task', async () => {
  const program =
    "import { chromium } from 'playwright';\nconst page = (await (await chromium.launch()).newPage());\nconsole.log(JSON.stringify(await page.title()));";
  const { outcome } = await run(
    inTurns(open, () => finish('It is called a.example.'), says(program)),
    { codeMode: true },
  );
  expect(outcome).toEqual({
    success: true,
    output: { text: 'It is called a.example.', code: program, output: 'a.example' },
  });
});

test('a program is a step, and what it prints is shown to the model as data', async () => {
  const source = "await page.goto('https://b.example/'); console.log(await page.title() + 1 / 3)";
  const { outcome, steps, model } = await run(
    inTurns(
      () => call('run_code', { source }),
      () => finish('done'),
    ),
  );
  expect(outcome).toEqual({ success: true, output: 'done' });
  expect(steps).toMatchObject([
    { summary: 'Ran a program', action: { kind: 'run_code', source }, url: 'https://b.example/' },
  ]);
  expect(getLast(model)).toMatch(/The program printed:.*nonce.*b\.example0\.333/);
});

test('a program that fails is told, and the task goes on', async () => {
  const { outcome, steps, model } = await run(
    inTurns(
      () => call('run_code', { source: "\nfetch('http://127.0.0.1/')" }),
      () => finish('done'),
    ),
  );
  expect(outcome.success).toBe(true);
  expect(steps.map(({ summary }) => summary)).toEqual(['Did not work: Ran a program']);
  expect(getLast(model)).toMatch(/'fetch' is not defined \(line 2 of the program\)/);
});
