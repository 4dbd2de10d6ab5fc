import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defaultRules } from '#contract/rule-book.ts';
import { acceptedFields } from '#generated/rules.ts';
import { isJsonObject, type JsonObject } from '#lib/json.ts';
import { createAgent } from '../src/cli/serve/create-agent.ts';
import { createApiClient } from './support/api-client.ts';
import {
  answerWell,
  type Behaviour,
  type ProviderStub,
  startProviderStub,
} from './support/provider-stub/start-provider-stub.ts';
import { stubProviders } from './support/provider-stub/stub-providers.ts';
import { type StartedBackend, startBackend } from './support/start-backend.ts';

/**
 * This file tests members that change the service only under a condition. Each test sends the member switched on and
 * switched off. The requests to a strict provider stub, or the record, show the difference.
 */

let stub: ProviderStub;
let service: StartedBackend;

beforeAll(async () => {
  stub = await startProviderStub();
  service = await startBackend({
    models: stubProviders(stub).providers,
    agent: createAgent(defaultRules, { testTasks: false }),
  });
});
afterAll(async () => {
  await service.stop();
  await stub[Symbol.asyncDispose]();
});
beforeEach(() => {
  stub.next.splice(0);
  stub.next.push(...Array.from({ length: 40 }, () => brain));
});

/**
 * Behaviour of the model: it finishes each task at once, except tasks that open a page and follow a link. It also
 * answers requests for titles and judgements.
 */
const brain: Behaviour = (response, request) => {
  const shown = JSON.stringify(request.body);
  if (shown.includes('You name tasks')) return answerWell({ text: 'A title' })(response, request);
  if (shown.includes('You judge'))
    return answerWell({ text: '{"verdict":true,"reasoning":"Seen."}' })(response, request);
  const next = walkOn(shown);
  if (next !== null) return answerWell({ call: { id: 'call_1', ...next } })(response, request);
  const finish = { success: true, text: 'It costs 3.20', output: '' };
  const input = shown.includes('further tasks') ? { ...finish, suggestions: ['Compare the prices'] } : finish;
  return answerWell({ call: { id: 'call_1', name: 'finish', arguments: input } })(response, request);
};

/**
 * Returns the next tool call of a task that opens a page and follows its link. Returns null for any other task, and
 * when the link was clicked.
 */
function walkOn(shown: string): { readonly name: string; readonly arguments: JsonObject } | null {
  const url = /Open (?:@\{\{)?(data:[^\s}]+)\S* and follow its link/.exec(shown)?.[1];
  const at = Array.from(shown.matchAll(/Address: ([^\\]+)/g), ([, address = '']) => address).at(-1) ?? '';
  if (url === undefined || at.startsWith('https:') || !shown.includes('"navigate"')) return null;
  if (at.startsWith('about:')) return { name: 'navigate', arguments: { url } };
  const ref = Array.from(shown.matchAll(/link [^[]*\[ref=(\w+)\]/g), ([, one = '']) => one).at(-1) ?? '';
  return { name: 'click', arguments: { ref } };
}

interface Received {
  readonly path: string;
  readonly body: string;
}

/** The final record of a task, and its requests to the model provider by purpose. */
interface Asked {
  readonly task: JsonObject;
  readonly agent: readonly Received[];
  readonly titles: readonly Received[];
  readonly judges: readonly Received[];
}

type Version = 'v2' | 'v3' | 'v4';

const creations = { v2: '/tasks', v3: '/sessions', v4: '/runs' } as const;

const api = (version: Version, { address }: Pick<StartedBackend, 'address'> = service) =>
  createApiClient(address, undefined, version);

const isEnded = ({ status, isTaskSuccessful }: JsonObject): boolean =>
  ['finished', 'completed'].includes(String(status)) || typeof isTaskSuccessful === 'boolean';

/** Runs a task to its end and returns its provider requests. Expects that the stub found each request valid. */
async function ask(body: JsonObject, version: Version = 'v2'): Promise<Asked> {
  const before = stub.requests.length;
  const start = version === 'v2' ? { startUrl: 'https://shop.example/' } : {};
  const given = { task: 'What do pears cost?', ...start, ...body };
  const created = await api(version).call('POST', creations[version], given);
  const task = await api(version).until(String(created.body['id']), isEnded);
  expect(stub.problems).toEqual([]);
  const all = stub.requests.slice(before).map(({ path, body: sent }) => ({ path, body: JSON.stringify(sent) }));
  const titles = all.filter((one) => one.body.includes('You name tasks'));
  const judges = all.filter((one) => one.body.includes('You judge'));
  return { task, titles, judges, agent: all.filter((one) => ![...titles, ...judges].includes(one)) };
}

const joinCalls = (calls: readonly Received[]): string => calls.map(({ path, body }) => `${path} ${body}`).join('\n');
const sent = ({ agent }: Asked): string => joinCalls(agent);

/**
 * A member of a request, with a task in which it is on and a task in which it is off. Only if it is on, the provider
 * receives a text that matches `text`.
 */
interface Switch {
  /** Generation, schema and name of the member, as in spec/rules/accepted-fields.yaml. */
  readonly member: string;
  readonly on: JsonObject;
  readonly off: JsonObject;
  readonly text: RegExp;
}

const reasoning = { model: 'gpt-5.5', modelParams: { reasoning: { effort: 'low' } } };

const switches: readonly Switch[] = [
  { member: 'v2 CreateTask llm', on: { llm: 'gpt-4.1' }, off: { llm: 'claude-sonnet-5' }, text: /gpt-4\.1/ },
  {
    member: 'v2 CreateTask thinkingLevel',
    on: { llm: 'gpt-5.5', thinkingLevel: 'low' },
    off: { llm: 'gpt-5.5' },
    text: /"effort":"low"/,
  },
  { member: 'v2 CreateTask vision', on: { vision: true }, off: { vision: false }, text: /image\/jpeg/ },
  { member: 'v2 CreateTask vision', on: { vision: 'auto' }, off: { vision: false }, text: /"screenshot"/ },
  { member: 'v2 CreateTask vision', on: {}, off: { vision: 'auto' }, text: /image\/jpeg/ },
  {
    member: 'v2 CreateTask highlightElements',
    on: { highlightElements: true },
    off: { highlightElements: false },
    text: /Boxes in it have the references/,
  },
  { member: 'v2 CreateTask thinking', on: { thinking: true }, off: { thinking: false }, text: /Think before you act/ },
  { member: 'v2 CreateTask flashMode', on: {}, off: { flashMode: true }, text: /"remember"/ },
  {
    member: 'v2 CreateTask thinking',
    on: { thinking: true },
    off: { thinking: true, flashMode: true },
    text: /Think before you act/,
  },
  {
    member: 'v2 CreateTask systemPromptExtension',
    on: { systemPromptExtension: 'Speak like a sailor.' },
    off: {},
    text: /Speak like a sailor/,
  },
  { member: 'v2 CreateTask judge', on: { judge: true }, off: { judge: false }, text: /You judge/ },
  {
    member: 'v2 CreateTask judgeGroundTruth',
    on: { judge: true, judgeGroundTruth: 'Exactly 3.20' },
    off: { judge: true },
    text: /Exactly 3\.20/,
  },
  {
    member: 'v2 CreateTask judgeLlm',
    on: { llm: 'gpt-4.1', judge: true, judgeLlm: 'claude-sonnet-5' },
    off: { llm: 'gpt-4.1', judge: true },
    text: /claude-sonnet-5/,
  },
  {
    member: 'v3 CreateSession model',
    on: { model: 'svc-max' },
    off: { model: 'gpt-5.4-mini' },
    text: /claude-sonnet-5/,
  },
  {
    member: 'v3 CreateSession thinkingLevel',
    on: { model: 'gpt-5.4-mini', thinkingLevel: 'low' },
    off: { model: 'gpt-5.4-mini' },
    text: /"effort":"low"/,
  },
  {
    member: 'v3 CreateSession enableScheduledTasks',
    on: { enableScheduledTasks: true },
    off: {},
    text: /propose_scheduled_task/,
  },
  { member: 'v4 CreateRun model', on: { model: 'glm-5.2' }, off: { model: 'gpt-5.5' }, text: /glm-5\.2/ },
  {
    member: 'v4 CreateRun modelParams',
    on: reasoning,
    off: { model: 'gpt-5.5', modelParams: {} },
    text: /"effort":"low"/,
  },
  { member: 'v4 CreateRun judge', on: { judge: {} }, off: {}, text: /You judge/ },
  {
    member: 'v4 RunJudgeSettings context',
    on: { judge: { context: 'Exactly 3.20' } },
    off: { judge: {} },
    text: /Exactly 3\.20/,
  },
];

describe.each(switches)('$member, on with $on', ({ member, on, off, text }) => {
  it('changes what the model receives', async () => {
    const version = getVersion(member);
    const [asked, other] = [await ask(on, version), await ask(off, version)];
    expect(joinCalls([...asked.agent, ...asked.judges])).toMatch(text);
    expect(joinCalls([...other.agent, ...other.judges])).not.toMatch(text);
  });
});

function getVersion(member: string): Version {
  return member.startsWith('v3') ? 'v3' : member.startsWith('v4') ? 'v4' : 'v2';
}

/** For each member of a request or response that is not tested by a {@link Switch}, the file with its test. */
const elsewhere: Readonly<Record<string, string>> = {
  'v2 CreateSession persistMemory': 'test/switched-members.test.ts',
  'v2 TaskItem suggestions': 'test/switched-members.test.ts',
  'v2 TaskItem judgement': 'test/switched-members.test.ts',
  'v2 TaskItem judgeVerdict': 'test/switched-members.test.ts',
  'v3 Session title': 'test/switched-members.test.ts',
  'v3 Session proxyCountryCode': 'test/switched-members.test.ts',
  'v3 Session inboxEmail': 'test/switched-members.test.ts',
  'v3 Session integrationsUsed': 'test/integrations.test.ts',
  'v3 CreateSession cacheScript': 'test/switched-members.test.ts',
  'v3 CreateSession autoHeal': 'test/switched-members.test.ts',
  'v3 CreateSession skills': 'test/skills.test.ts',
  'v4 Browser agentSessionId': 'test/v4-members.test.ts',
  'v4 Run contextLimit': 'test/v4-members.test.ts',
  'v4 CreateBrowser solveCaptchas': 'test/captcha-solver.test.ts',
  'v4 CreateBrowser pdfRendererEnabled': 'test/browser-downloads.test.ts',
  'v4 RunBrowserSettings record': 'test/recorded-members.test.ts',
};

it('every member with a condition is switched here or in the named test, which mentions it', () => {
  const known = new Set([...switches.map(({ member }) => member), ...Object.keys(elsewhere)]);
  const rows = acceptedFields.fields.map(({ version, schema, field }) => `${version} ${schema} ${field}`);
  expect(rows.filter((row) => !known.has(row))).toEqual([]);
  expect([...known].filter((member) => !rows.includes(member))).toEqual([]);
  const silent = Object.entries(elsewhere).filter(
    ([member, file]) => !readFileSync(file, 'utf8').includes(member.split(' ').at(-1) ?? ''),
  );
  expect(silent).toEqual([]);
});

describe('members of responses', () => {
  it('of a service with a model, a mailbox and exits show what it did', async () => {
    const { task } = await ask({}, 'v3');
    expect(task).toMatchObject({ title: 'A title', proxyCountryCode: 'us', inboxEmail: expect.stringContaining('@') });
    const judged = await ask({ judge: true });
    expect(judged.task).toMatchObject({ judgeVerdict: true, judgement: expect.stringContaining('Seen.') });
    expect((await ask({ judge: false })).task).toMatchObject({ judgeVerdict: null, judgement: null });
  });

  it('of a service without them are null, and the title is the task', async () => {
    const bare = await startBackend({ mail: null, exitCountries: new Set() });
    try {
      const { body } = await api('v3', bare).call('POST', '/sessions', { task: 'What do pears cost?' });
      const session = await api('v3', bare).until(String(body['id']), isEnded);
      expect(session).toMatchObject({ title: 'What do pears cost?', proxyCountryCode: null, inboxEmail: null });
      const task = await api('v2', bare).call('POST', '/tasks', { task: 'Say hello', judge: true });
      const ended = await api('v2', bare).until(String(task.body['id']), isEnded);
      expect(ended).toMatchObject({ suggestions: null, judgement: null, judgeVerdict: null });
    } finally {
      await bare.stop();
    }
  });
});

it('flashMode shortens the prompt and asks for no title', async () => {
  const [usual, flash] = [await ask({}), await ask({ flashMode: true })];
  expect(sent(flash).length).toBeLessThan(sent(usual).length - 1_000);
  expect([usual.titles.length, flash.titles.length]).toEqual([1, 0]);
});

it('thinking leaves the reasoning controls as they are', async () => {
  const controls = async (thinking: boolean): Promise<unknown> => {
    const before = stub.requests.length;
    await ask({ thinking, llm: 'gpt-5.5', thinkingLevel: 'low' });
    return stub.requests.slice(before).map(({ body }) => (isJsonObject(body) ? body['reasoning'] : null));
  };
  expect(new Set((await controls(true)) as unknown[])).toEqual(new Set((await controls(false)) as unknown[]));
});

describe('a picture in the format of a provider', () => {
  it.each([
    ['gpt-5.5', /"type":"input_image","image_url":"data:image\/jpeg;base64,/],
    ['claude-sonnet-5', /"type":"image","source":\{"type":"base64","media_type":"image\/jpeg"/],
    ['gemini-2.5-flash', /"inlineData":\{[^}]*image\/jpeg/],
    ['llama-4-maverick-17b-128e-instruct', /"type":"image_url","image_url":\{"url":"data:image\/jpeg;base64,/],
  ])('%s', async (llm, form) => {
    expect(sent(await ask({ llm, vision: true }))).toMatch(form);
  });
});

describe('judgeLlm', () => {
  it('names the model that judges; without it the model of the task judges', async () => {
    const own = await ask({ llm: 'gpt-4.1', judge: true });
    const named = await ask({ llm: 'gpt-4.1', judge: true, judgeLlm: 'claude-sonnet-5' });
    expect(own.judges.map(({ path }) => path)).toEqual(own.agent.map(({ path }) => path));
    expect(named.judges[0]?.body).toContain('claude-sonnet-5');
    expect(named.judges[0]?.body).not.toContain('gpt-4.1');
    expect([own.task['judgeVerdict'], named.task['judgeVerdict']]).toEqual([true, true]);
  });

  it('has no effect without a judge', async () => {
    expect((await ask({ judgeLlm: 'claude-sonnet-5' })).judges).toEqual([]);
  });
});

describe('persistMemory of a V2 session', () => {
  it.each([true, false])('%s', async (persistMemory) => {
    const { body } = await api('v2').call('POST', '/sessions', { persistMemory });
    const sessionId = String(body['id']);
    const first = await ask({ task: 'Find the price of quinces', sessionId });
    const second = await ask({ task: 'And of pears?', sessionId });
    expect(sent(first)).not.toContain('Earlier tasks of this session');
    expect(/Find the price of quinces.*It costs 3\.20/s.test(sent(second))).toBe(persistMemory);
  });
});

describe('scripts of V3 sessions', () => {
  const page = (label: string): string =>
    `data:text/html,${encodeURIComponent(`<a href="https://pears.example/">${label}</a>`)}`;
  const goal = (label: string): string => `Open @{{${page(label)}}} and follow its link`;

  /**
   * Runs a task twice in the same workspace: first on a page with the label `Prices`, then on a page with the label
   * `label`. Returns the provider requests of the second run.
   */
  async function twice(label: string, members: JsonObject): Promise<Asked> {
    const workspaceId = (await api('v3').call('POST', '/workspaces', {})).body['id'] ?? null;
    const first = await ask({ task: goal('Prices'), workspaceId, ...members }, 'v3');
    expect(first.agent.length).toBeGreaterThan(2);
    return ask({ task: goal(label), workspaceId, ...members }, 'v3');
  }

  it('cacheScript decides whether a second run calls the model', async () => {
    const [played, worked] = [
      await twice('Prices', { cacheScript: true }),
      await twice('Prices', { cacheScript: false }),
    ];
    expect(played).toMatchObject({ agent: [], task: { answeredBy: 'script', isTaskSuccessful: true } });
    expect(worked.task).toMatchObject({ answeredBy: 'model', isTaskSuccessful: true });
    expect(worked.agent.length).toBeGreaterThan(2);
  });

  it('autoHeal decides whether a renamed link is found again without the agent', async () => {
    const members = { cacheScript: true };
    const healed = await twice('Costs', { ...members, autoHeal: true });
    const fallen = await twice('Costs', { ...members, autoHeal: false });
    expect(healed.task['lastStepSummary']).toMatch(/Healed|Kept the script/);
    expect(sent(healed)).not.toContain('"navigate"');
    expect(sent(fallen)).toContain('"navigate"');
  });
});

it('suggestions of the model are in the record of the task, and none without them', async () => {
  expect((await ask({})).task['suggestions']).toEqual([{ task: 'Compare the prices' }]);
  expect((await ask({ flashMode: true })).task['suggestions']).toBeNull();
});
