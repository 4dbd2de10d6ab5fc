import { afterAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { createSimulatedHost } from '#browsers/simulated/simulated-host.ts';
import type { AgentOutcome, AgentTask } from '../agent.ts';
import { filesInMemory } from '../testing/files-in-memory.ts';
import { type Finished, finishTask } from './finish-task.ts';
import { createOutputJudges } from './schema/create-output-judges.ts';
import { refusedCall, type ScriptedMeteredModel, scriptedMeteredModel } from './testing/scripted-door.ts';

const host = createSimulatedHost();
const judges = createOutputJudges(defaultRules);
const browser = host.launch({ sessionId: 's', screen: { width: 800, height: 600 }, proxyCountryCode: null });
afterAll(async () => {
  await judges.close();
  await host.close();
});

const price: JsonObject = { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] };

async function finish(
  finished: Finished,
  model: ScriptedMeteredModel,
  task: Partial<AgentTask> = {},
): Promise<AgentOutcome> {
  const door = {
    tab: async () => (await browser).tab(),
    files: filesInMemory(),
    wait: async () => undefined,
    signal: new AbortController().signal,
  };
  const whole: AgentTask = {
    goal: 'Find the price',
    model: 'any',
    modelParams: null,
    outputSchema: null,
    codeMode: false,
    ...task,
  };
  return finishTask(finished, {
    task: whole,
    model,
    judge: judges.of('project'),
    door,
    system: 'You work.',
    messages: [],
  });
}

/** Returns the text of the last message of each request to the model. */
function lastTexts({ asked }: ScriptedMeteredModel): string[] {
  return asked.map(({ messages }) => {
    const last = messages.at(-1);
    const [part] = last?.role === 'user' ? last.parts : [];
    return part?.kind === 'text' ? part.text : '';
  });
}

test('free text is the answer itself, and costs no call', async () => {
  const model = scriptedMeteredModel([]);
  expect(await finish({ text: 'It costs 3.' }, model)).toEqual({ success: true, output: 'It costs 3.' });
  expect(await finish({ text: 'Done', output: { a: 1 } }, model)).toEqual({ success: true, output: { a: 1 } });
});

describe('with a schema', () => {
  const task = { outputSchema: price };

  test.each<{ name: string; finished: Finished }>([
    { name: 'as a value', finished: { text: '', output: { price: 3 } } },
    { name: 'as text', finished: { text: '', output: '{"price":3}' } },
    { name: 'in words', finished: { text: 'Here it is:\n```json\n{ "price": 3 }\n```\nas asked.' } },
    { name: 'between words', finished: { text: 'The result is {"price": 3} as of today [1].' } },
  ])('takes what conforms without a call: $name', async ({ finished }) => {
    expect(await finish(finished, scriptedMeteredModel([]), task)).toEqual({ success: true, output: { price: 3 } });
  });

  test.each([true, false])('asks the model for the output when it proposed nothing; natively: %s', async (native) => {
    const model = scriptedMeteredModel(['{"price":3}'], native);
    expect(await finish({ text: 'It costs three.' }, model, task)).toEqual({ success: true, output: { price: 3 } });
    expect(model.asked.map(({ outputSchema, tools, toolChoice }) => ({ outputSchema, tools, toolChoice }))).toEqual([
      { outputSchema: native ? price : null, tools: [], toolChoice: 'none' },
    ]);
    expect(lastTexts(model)[0]).toContain(JSON.stringify(price));
  });

  test('asks in words when the provider does not take the schema', async () => {
    const model = scriptedMeteredModel([refusedCall('bad-request'), '{"price":3}'], true);
    expect(await finish({ text: '' }, model, task)).toEqual({ success: true, output: { price: 3 } });
    expect(model.asked.map(({ outputSchema }) => outputSchema)).toEqual([price, null]);
  });

  test('tells the faults once, and takes what is repaired', async () => {
    const model = scriptedMeteredModel(['{"price":"three"}', '{"price":3}']);
    expect(await finish({ text: '' }, model, task)).toEqual({ success: true, output: { price: 3 } });
    expect(lastTexts(model)[1]).toContain('- /price must be number');
    expect(model.asked[1]?.messages.map(({ role }) => role)).toEqual(['user', 'model', 'user']);
  });

  test('a value that was given with the end counts as the first attempt', async () => {
    const model = scriptedMeteredModel(['{"price":3}']);
    expect(await finish({ text: '', output: {} }, model, task)).toEqual({ success: true, output: { price: 3 } });
    expect(lastTexts(model)[0]).toContain("- the output must have required property 'price'");
  });

  test.each<{ name: string; script: Parameters<typeof scriptedMeteredModel>[0]; reason: RegExp }>([
    {
      name: 'it never conforms',
      script: ['{"price":"three"}', '{"price":"3"}'],
      reason: /after a second attempt \(\/price must be number\)\.$/,
    },
    { name: 'it is no JSON', script: ['three', 'three!'], reason: /contains no JSON document/ },
    { name: 'the model fails', script: [refusedCall('overloaded')], reason: /The model is overloaded/ },
    { name: 'the model is silent', script: [''], reason: /empty answer/ },
    { name: 'it fails at the repair', script: ['{}', refusedCall('overloaded')], reason: /The model is overloaded/ },
  ])('is no success when $name', async ({ script, reason }) => {
    const model = scriptedMeteredModel(script);
    const outcome = await finish({ text: '' }, model, task);
    expect(outcome).toEqual({ success: false, output: null, reason: expect.stringMatching(reason) });
    expect(model.asked).toHaveLength(script.length);
  });
});

describe('in code mode', () => {
  const program = (expression: string): string =>
    `\`\`\`js\nimport { chromium } from 'playwright';\nconst page = await (await chromium.launch()).newPage();\nawait page.goto('https://a.example/');\nconsole.log(JSON.stringify(${expression}));\n\`\`\``;

  test('gives the summary, the program and its result', async () => {
    const model = scriptedMeteredModel([program('{ title: await page.title() }')]);
    const outcome = await finish({ text: 'The title is a.example.' }, model, { codeMode: true });
    expect(outcome).toEqual({
      success: true,
      output: {
        text: 'The title is a.example.',
        code: expect.stringMatching(/^import \{ chromium \}[^`]*$/),
        output: { title: 'a.example' },
      },
    });
  });

  test('has a program repaired once', async () => {
    const model = scriptedMeteredModel([program('page.nothing()'), program('1')]);
    const outcome = await finish({ text: 'One.' }, model, { codeMode: true });
    expect(outcome).toMatchObject({ success: true, output: { text: 'One.', output: 1 } });
    expect(lastTexts(model)[1]).toMatch(/The program failed: TypeError: page\.nothing is not available.*line 4/);
  });

  test('holds the result to the schema', async () => {
    const model = scriptedMeteredModel([program('{ price: "x" }'), program('{ price: 3 }')]);
    const outcome = await finish({ text: 'Three.' }, model, { codeMode: true, outputSchema: price });
    expect(outcome).toMatchObject({ success: true, output: { output: { price: 3 } } });
    expect(lastTexts(model)[1]).toContain('/price must be number');
  });

  test('tells a failure that stays, with the program and without a result', async () => {
    const model = scriptedMeteredModel([program('page.nothing()'), program('page.nothing()')]);
    const outcome = await finish({ text: 'Done.' }, model, { codeMode: true });
    expect(outcome).toMatchObject({ success: false, reason: expect.stringContaining('page.nothing is not available') });
    expect(outcome.output).toEqual({
      text: expect.stringContaining('page.nothing'),
      code: expect.stringContaining('nothing()'),
    });
  });
});
