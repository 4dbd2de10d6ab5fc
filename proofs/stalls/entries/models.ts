import type { ServerResponse } from 'node:http';
import type { Draw } from '../../draw.ts';
import type { EntryPoint } from '../watched-service.ts';
import { type AnswerModel, calling, finishing, saying, sendJson } from '../model-script.ts';
import { worstJsonText, worstSchema } from '../worst-json.ts';
import { worstText } from '../worst-texts.ts';
import { openCalls, runTask } from './calls.ts';

/** A model of each provider API, with the API generation in which it is requested. */
const wires = [
  ['v4', { model: 'gpt-5.6-luna' }],
  ['v3', { model: 'claude-sonnet-5' }],
  ['v3', { model: 'glm-5.2' }],
] as const;

/** More bytes than the service accepts in one response. */
const answerMost = 40_000_000;

/** Entry points for responses of model providers. */
export const models: readonly EntryPoint[] = [
  modelEntry('provider answers', (draw) => ({ body: {}, first: getAnswer(draw) })),
  modelEntry('tool calls of models', (draw) => {
    const name = draw.of(['navigate', 'find', 'remember', 'click', 'type', 'look', 'finish', worstText(draw, 10_000)]);
    const input = draw.of([
      () => worstJsonText(draw, draw.of([1000, 100_000, 1_000_000])),
      () =>
        `{"text":${JSON.stringify(worstText(draw, 300_000))},"url":${JSON.stringify(`https://${worstText(draw, 100_000)}`)}}`,
      () => `{"success":true,"text":${JSON.stringify(worstText(draw, 500_000))}}`,
    ])();
    return { body: {}, first: (path, response) => sendJson(response, calling(path, name, input)) };
  }),
  modelEntry('outputs that a schema judges', (draw) => {
    const size = draw.of([1000, 100_000, 2_000_000]);
    const output = draw.of([
      () => worstJsonText(draw, size),
      () => JSON.stringify('a'.repeat(size)),
      () => worstText(draw, size / 3),
      () => '```json\n'.repeat(size / 10),
    ])();
    const done = JSON.stringify({ success: true, text: 'done', output });
    return {
      body: { outputSchema: judgeSchema(draw) },
      first: (path, response) => sendJson(response, calling(path, 'finish', done)),
    };
  }),
  modelEntry('programs of models', (draw) => {
    const source = getProgram(draw);
    const input = JSON.stringify({ source });
    const first: AnswerModel = (path, response) => sendJson(response, calling(path, 'run_code', input));
    return { body: {}, first };
  }),
  {
    name: 'v3 code mode programs',
    async open(service) {
      const send = openCalls(service);
      return async (draw) => {
        const fence = JSON.stringify(`\`\`\`js\n${getProgram(draw)}\n\`\`\``);
        // The response to the first call ends the task. The second call asks for the program, and the third call asks
        // again if the program fails.
        let calls = 0;
        service.model.use((path, response) => {
          calls += 1;
          sendJson(response, calls === 2 || calls === 3 ? saying(path, fence) : finishing(path));
        });
        return runTask(send, 'v3', { task: 'Count', model: 'claude-sonnet-5', codeMode: true });
      };
    },
  },
];

interface Scripted {
  /** Members of the request body in addition to task and model. */
  readonly body: { readonly outputSchema?: ReturnType<typeof worstSchema> };
  /** Answers the first model call; the response to the second call ends the task. */
  readonly first: AnswerModel;
}

function modelEntry(name: string, script: (draw: Draw) => Scripted): EntryPoint {
  return {
    name,
    async open(service) {
      const send = openCalls(service);
      return async (draw) => {
        const [generation, model] = draw.of(wires);
        const { body, first } = script(draw);
        let calls = 0;
        service.model.use((path, response) => {
          calls += 1;
          if (calls === 1) first(path, response);
          else sendJson(response, finishing(path));
        });
        return runTask(send, generation, { task: 'Say hello', ...model, ...body });
      };
    },
  };
}

function getAnswer(draw: Draw): AnswerModel {
  const size = draw.of([1000, 1_000_000, 8_000_000, answerMost]);
  const ways: readonly (() => AnswerModel)[] = [
    () => json(() => worstJsonText(draw, size)),
    () => json(() => worstJsonText(draw, size)),
    () => json((path) => saying(path, JSON.stringify(worstText(draw, size / 3)))),
    () => json((path) => saying(path, `"${'<think>'.repeat(size / 8)}"`)),
    () => json((path) => calling(path, 'find', `{"text":"${'x'.repeat(size)}"}`)),
    () => json((path) => `{${'"a":1,'.repeat(size / 6)}${finishing(path).slice(1)}`),
    () =>
      json((path) =>
        finishing(path).replace('"type":"function_call"', `"type":"function_call","a":${worstJsonText(draw, size)}`),
      ),
    () => (_path, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      forever(response, `"${'x'.repeat(100_000)}",`, 0);
    },
    () => (_path, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      forever(response, 'data: {}\n\n', 1);
    },
    () => (_path, response) =>
      void response
        .writeHead(400, { 'content-type': 'application/json' })
        .end(`{"error":{"message":${JSON.stringify(worstText(draw, size / 3))}}}`),
    () => (_path, response) =>
      void response
        .writeHead(500, Object.fromEntries(Array.from({ length: 500 }, (_one, at) => [`x-${at}`, 'a'])))
        .end(),
  ];
  return draw.of(ways)();
}

function json(text: (path: string) => string): AnswerModel {
  return (path, response) => sendJson(response, text(path));
}

/** Writes until the reader disconnects. */
function forever(response: ServerResponse, text: string, everyMs: number): void {
  response.on('error', () => undefined);
  const timer = setInterval(() => {
    if (response.destroyed) clearInterval(timer);
    else if (response.writableLength < 1_000_000) response.write(text);
  }, everyMs);
  response.once('close', () => clearInterval(timer));
}

function judgeSchema(draw: Draw): ReturnType<typeof worstSchema> {
  return draw.chance(0.5)
    ? worstSchema(draw)
    : draw.of([
        { type: 'string', pattern: '^(a+)+$' },
        { type: 'array', uniqueItems: true },
        { type: 'object', additionalProperties: { type: 'string' } },
      ]);
}

/** Returns a program that may exhaust time, memory, output or the parser. */
function getProgram(draw: Draw): string {
  return draw.of([
    'while (true) {}',
    "let s = 'x'; while (true) s += s;",
    'const a = []; while (true) a.push(new ArrayBuffer(1e6));',
    'const a = []; while (true) a.push({ a: [1, 2, 3] });',
    "/^(a+)+$/.test('a'.repeat(40) + '!');",
    "'x'.repeat(2e9);",
    'new Array(1e9).fill(0);',
    'const f = () => f(); f();',
    "for (let i = 0; i < 1e6; i++) console.log('x'.repeat(1000));",
    "output('x'.repeat(5e7));",
    'let o = {}; for (let i = 0; i < 1e6; i++) o = { o }; output(o);',
    "JSON.parse('['.repeat(1e6));",
    `/* ${'x'.repeat(500_000)} */ output(1)`,
    `${'('.repeat(50_000)}1${')'.repeat(50_000)}`,
    `output(${JSON.stringify(worstText(draw, 100_000))})`,
    'await Promise.all(Array.from({ length: 1e5 }, () => tab.text()));',
    'new Function("while(true){}")();',
    'const b = new Uint8Array(6e7); b.sort();',
  ]);
}
