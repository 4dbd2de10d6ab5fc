import type { JsonObject, JsonValue } from '#conformance/core/json.ts';
import type { Draw } from '../../draw.ts';
import type { EntryPoint } from '../watched-service.ts';
import { worstMembers, worstSchema, worstValue } from '../worst-json.ts';
import { worstLength, worstText } from '../worst-texts.ts';
import { getId, openCalls, runTask } from './calls.ts';

type Generation = 'v2' | 'v3' | 'v4';

/** Models of providers without a key, so that the offline planner works. */
export const plannerModel = {
  v2: { llm: 'svc-2.0' },
  v3: { model: 'svc-mini' },
  v4: { model: 'gemini-3-flash' },
} as const;

/** Maximum bytes of one member. The rest of the body limit is for the other members. */
const bodyMost = 1_000_000;
const taskMost = { v2: 50_000, v3: bodyMost, v4: bodyMost } as const;
const shortTask = 'Say hello';

/** Entry points for request bodies that start tasks. Each entry point sends worst-case values mostly in one member. */
export const taskBodies: readonly EntryPoint[] = [
  ...(['v2', 'v3', 'v4'] as const).map((generation) =>
    taskEntry(generation, 'task', (draw) => ({ task: worstText(draw, worstLength(draw, taskMost[generation])) })),
  ),
  taskEntry('v2', 'secrets', (draw) => {
    const secrets = getSecrets(draw);
    return { task: textWith(draw, secrets, 50_000), secrets };
  }),
  taskEntry('v3', 'sensitiveData', (draw) => {
    const sensitiveData = getSecrets(draw);
    return { task: textWith(draw, sensitiveData, 200_000), sensitiveData };
  }),
  taskEntry('v4', 'secretBindings', (draw) => {
    const secrets = Object.entries(getSecrets(draw)).slice(0, 10);
    const domains = draw.list([1, 10], () => worstText(draw, 253).replaceAll(/[^A-Za-z0-9.-]/g, 'a'));
    return {
      task: textWith(draw, Object.fromEntries(secrets), 200_000),
      secretBindings: secrets.map(([alias, value]) => ({
        alias,
        source: { type: 'inline', value },
        allowedDomains: domains,
      })),
    };
  }),
  taskEntry('v2', 'structuredOutput', (draw) => ({
    task: shortTask,
    structuredOutput: JSON.stringify(worstSchema(draw)),
  })),
  taskEntry('v2', 'structuredOutput text', (draw) => ({
    task: shortTask,
    structuredOutput: worstText(draw, worstLength(draw, bodyMost)),
  })),
  taskEntry('v3', 'outputSchema', (draw) => ({ task: shortTask, outputSchema: worstSchema(draw) })),
  taskEntry('v4', 'outputSchema', (draw) => ({ task: shortTask, outputSchema: worstSchema(draw) })),
  taskEntry('v2', 'metadata', (draw) => ({ task: shortTask, metadata: getMembers(draw) })),
  taskEntry('v2', 'allowedDomains', (draw) => ({
    task: shortTask,
    allowedDomains: createList(draw, 255, /[^A-Za-z0-9.*:-]/g),
  })),
  taskEntry('v2', 'startUrl', (draw) => ({ task: shortTask, startUrl: getAddress(draw) })),
  taskEntry('v2', 'texts', (draw) => ({
    task: shortTask,
    judge: true,
    judgeGroundTruth: worstText(draw, 10_000),
    systemPromptExtension: worstText(draw, 10_000),
  })),
  taskEntry('v4', 'modelParams', (draw) => ({ task: shortTask, modelParams: getObject(draw) })),
  taskEntry('v4', 'attachedFileIds', (draw) => ({ task: shortTask, attachedFileIds: worstValue(draw, bodyMost) })),
  taskEntry('v4', 'browserSettings', (draw) => ({
    task: shortTask,
    browserSettings: { customProxy: getProxy(draw), proxyCountryCode: draw.chance(0.5) ? null : worstText(draw, 1000) },
  })),
  taskEntry('v4', 'judge', (draw) => ({
    task: shortTask,
    judge: { context: worstText(draw, 10_000) },
    maxCostUsd: getAmount(draw),
  })),
  ...(['v2', 'v3', 'v4'] as const).map((generation) =>
    taskEntry(generation, 'any member', (draw) => ({ task: shortTask, ...anyMember(draw, generation) })),
  ),
];

function taskEntry(generation: Generation, member: string, body: (draw: Draw) => JsonObject): EntryPoint {
  const root = { v2: 'tasks', v3: 'sessions', v4: 'runs' }[generation];
  return {
    name: `${generation} ${root}: ${member}`,
    async open(service) {
      const send = openCalls(service);
      return (draw) => runTask(send, generation, { ...plannerModel[generation], ...body(draw) });
    },
  };
}

/** Entry points for follow-up tasks, and for JSON bodies that start no task. */
export const otherBodies: readonly EntryPoint[] = [
  bodyEntry('v2 sessions', '/api/v2/sessions', (draw) => ({
    startUrl: getAddress(draw).slice(0, 2000),
    customProxy: getProxy(draw),
  })),
  bodyEntry('v4 browsers', '/api/v4/browsers', (draw) => ({ metadata: getMembers(draw), customProxy: getProxy(draw) })),
  bodyEntry('v4 workspaces', '/api/v4/workspaces', (draw) => ({ name: worstValue(draw, bodyMost) })),
  bodyEntry('v3 workspaces', '/api/v3/workspaces', (draw) => ({ name: worstText(draw, 100) })),
  bodyEntry('profiles', '/api/v4/profiles', (draw) => ({ name: worstText(draw, 100), userId: worstText(draw, 255) })),
  {
    name: 'v4 workspace uploads: names',
    async open(service) {
      const send = openCalls(service);
      const made = await send({ method: 'POST', path: '/api/v4/workspaces', body: '{"name":"a"}' });
      const path = `/api/v4/workspaces/${getId(made.json, 'id')}/files/upload`;
      return async (draw) => {
        const files = draw.list([1, draw.of([10, 10, 5000])], () => ({
          name: worstText(draw, draw.of([255, 255, 5000])),
          contentType: draw.chance(0.5) ? 'text/plain' : `text/plain;${worstText(draw, 200)}`,
          size: draw.of([1, 52_428_800, 1e15]),
        }));
        return String((await send({ method: 'POST', path, body: JSON.stringify({ files }) })).status);
      };
    },
  },
  {
    name: 'v4 sessions: follow-ups and titles',
    async open(service) {
      const send = openCalls(service);
      const made = await send({
        method: 'POST',
        path: '/api/v4/runs',
        body: JSON.stringify({ task: shortTask, ...plannerModel.v4 }),
      });
      const session = getId(made.json, 'sessionId');
      return async (draw) => {
        const text = worstText(draw, worstLength(draw, bodyMost));
        if (draw.chance(0.2)) {
          const title = JSON.stringify({ title: worstValue(draw, bodyMost) });
          return String((await send({ method: 'PATCH', path: `/api/v4/sessions/${session}`, body: title })).status);
        }
        const path = `/api/v4/sessions/${session}/queue`;
        const { status, json } = await send({
          method: 'POST',
          path,
          body: JSON.stringify({ text, attachedFileIds: draw.chance(0.3) ? worstValue(draw, 10_000) : [] }),
        });
        await send({ method: 'DELETE', path: `${path}/${getId(json, 'id')}` });
        return String(status);
      };
    },
  },
];

function bodyEntry(name: string, path: string, body: (draw: Draw) => JsonObject): EntryPoint {
  return {
    name,
    async open(service) {
      const send = openCalls(service);
      return async (draw) => {
        const { status, json } = await send({ method: 'POST', path, body: JSON.stringify(body(draw)) });
        const id = getId(json, 'id');
        if (status < 300 && path.endsWith('/browsers'))
          await send({ method: 'PATCH', path: `${path}/${id}`, body: '{"action":"stop"}' });
        else if (status < 300) await send({ method: 'DELETE', path: `${path}/${id}` });
        return String(status);
      };
    },
  };
}

/** Creates secrets whose values repeat, overlap and contain each other. */
function getSecrets(draw: Draw): Record<string, string> {
  const count = draw.of([1, 2, 10, 100]);
  const length = draw.of([5, 20, 400, 1000]);
  const stem = worstText(draw, length) || 'a';
  return Object.fromEntries(
    Array.from({ length: count }, (_one, at) => {
      const value = draw.of([stem, stem.slice(0, 1 + at), stem + stem.slice(0, at), worstText(draw, length)]);
      return [draw.chance(0.3) ? `a${at}.example` : `p${at}`, (value || 'a').slice(0, 1000)];
    }),
  );
}

/** Creates a text of secret values and near matches: values without the first or last character, or reversed. */
function textWith(draw: Draw, secrets: Readonly<Record<string, string>>, most: number): string {
  const values = Object.values(secrets);
  const pieces = draw.list([10, 60], () => {
    const value = draw.of(values);
    return draw.of([value, value.slice(0, -1), value.slice(1), value.split('').toReversed().join('')]);
  });
  const text = pieces.join(draw.of(['', ' ', '+', '\n']));
  return (
    text.repeat(Math.max(1, Math.ceil(draw.of([200, 5000, most]) / Math.max(1, text.length)))).slice(0, most) || 'a'
  );
}

function getMembers(draw: Draw): JsonObject {
  return worstMembers(draw, { count: draw.of([1, 10, 100, 5000]), length: draw.of([10, 50, 1000]) });
}

function createList(draw: Draw, length: number, unwanted: RegExp): JsonValue[] {
  const count = draw.of([1, 100, 101, 2000, 20_000]);
  const text = worstText(draw, Math.min(length, bodyMost / count)).replaceAll(unwanted, draw.of(['a', '.', '-', '']));
  return Array.from({ length: count }, (_one, at) => (draw.chance(0.9) ? `${text}${at}` : at));
}

function getAddress(draw: Draw): string {
  const text = worstText(draw, worstLength(draw, 500_000));
  return draw.of(['https://a.example/', 'https://', 'data:text/html,', 'http://a.example/?', '']) + text;
}

function getProxy(draw: Draw): JsonValue {
  if (draw.chance(0.2)) return worstValue(draw, bodyMost / 2);
  const text = worstText(draw, worstLength(draw, 255));
  return {
    host: draw.of(['', 'socks5://', 'https://']) + text,
    port: draw.of([1, 80, 1e9]),
    username: text,
    password: text,
  };
}

function getAmount(draw: Draw): JsonValue {
  return draw.of<JsonValue>([
    '0.5',
    '9'.repeat(100_000),
    `0.${'0'.repeat(100_000)}1`,
    1e300,
    5e-324,
    `${'1'.repeat(999)}e999`,
  ]);
}

function getObject(draw: Draw): JsonObject {
  const value = worstValue(draw, bodyMost);
  const known = draw.of(['reasoning', 'thinking', 'effort', 'x']);
  return draw.chance(0.5) ? { [known]: value } : worstMembers(draw, { count: draw.of([10, 20_000]), length: 5 });
}

const members = {
  v2: [
    'llm',
    'thinkingLevel',
    'sessionId',
    'sessionSettings',
    'maxSteps',
    'metadata',
    'secrets',
    'allowedDomains',
    'vision',
    'judgeLlm',
  ],
  v3: [
    'model',
    'thinkingLevel',
    'sessionId',
    'sensitiveData',
    'maxCostUsd',
    'profileId',
    'proxyCountryCode',
    'outputSchema',
    'keepAlive',
  ],
  v4: [
    'model',
    'modelParams',
    'secretBindings',
    'sessionId',
    'workspaceId',
    'attachedFileIds',
    'maxCostUsd',
    'browserSettings',
    'judge',
  ],
} as const;

/** Creates worst-case values for one to four known members, or 5000 unknown members. */
function anyMember(draw: Draw, generation: Generation): JsonObject {
  if (draw.chance(0.2)) return worstMembers(draw, { count: 5000, length: 5 });
  const names = draw.list([1, 4], () => draw.of<string>(members[generation]));
  return Object.fromEntries(names.map((name) => [name, worstValue(draw, bodyMost / names.length)]));
}
