import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createIssuedKeys } from '#accounts/api-keys.ts';
import { createProjects } from '#accounts/projects.ts';
import { createLoginLinks } from '#api/console/login/login-links.ts';
import type { ConsoleSchedule } from '#contract/console-messages.ts';
import { defaultRules } from '#contract/rule-book.ts';
import type { JsonObject, JsonValue } from '#lib/json.ts';
import { createAgent } from '../src/cli/serve/create-agent.ts';
import { createApiClient } from './support/api-client.ts';
import { callsTools } from './support/call-tools.ts';
import { type LoggedIn, logIn, logInWithKey } from './support/console-client.ts';
import { createFrozenClock } from './support/frozen-clock.ts';
import { createScriptedModels } from './support/scripted-models.ts';
import { type StartedBackend, startBackend, testKey } from './support/start-backend.ts';

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;
/** A Thursday, 08:30 in Berlin. */
const beginning = Date.UTC(2026, 10, 26, 7, 30);

let started: StartedBackend;
let operator: LoggedIn;
let projectId: string;

beforeEach(async () => {
  started = await startBackend({ clock: createFrozenClock(beginning) });
  projectId = await readProjectId();
  operator = await enter();
  await operator.call('PATCH', '/project', { timeZone: 'Europe/Berlin' });
});
afterEach(() => started.stop());

async function readProjectId(): Promise<string> {
  const login = await logInWithKey(started.address, testKey);
  return ((await login.call('GET', '/login')).body as { project: { id: string } }).project.id;
}

async function enter(): Promise<LoggedIn> {
  const links = createLoginLinks({ db: started.backend.db, clock: started.clock, rules: defaultRules });
  return logIn(started.address, { link: await links.make(projectId) });
}

async function schedule(wanted: JsonObject): Promise<ConsoleSchedule> {
  const { status, body } = await operator.call('POST', '/schedules', wanted);
  expect([status, body]).toEqual([200, expect.anything()]);
  return body as ConsoleSchedule;
}

const list = async (): Promise<ConsoleSchedule[]> =>
  (await operator.call('GET', '/schedules')).body as ConsoleSchedule[];

/** Runs one pass of the schedule check. */
const sweep = (): Promise<void> => started.backend.engine.lookAfter();

/** Returns the tasks of all V3 sessions, oldest first. */
async function tasks(): Promise<JsonValue[]> {
  const { sessions } = (await createApiClient(started.address).call('GET', '/sessions')).body as {
    sessions: { title: string | null; id: string }[];
  };
  const asked = sessions.map(async ({ id }) => {
    const { body } = await createApiClient(started.address).call('GET', `/sessions/${id}/messages`);
    return (body['messages'] as { data: string }[])[0]?.data ?? null;
  });
  return (await Promise.all(asked)).toReversed();
}

describe('a scheduled task', () => {
  it('runs at each of its times in the time zone of the project, once', async () => {
    const made = await schedule({ task: 'Say good morning', cron: '0 9 * * 1-5' });
    expect(made).toMatchObject({ status: 'active', timeZone: 'Europe/Berlin', nextAt: '2026-11-26T08:00:00.000Z' });
    await sweep();
    expect(await tasks()).toEqual([]);
    started.clock.advance(30 * minuteMs);
    await Promise.all([sweep(), sweep()]);
    await sweep();
    expect(await tasks()).toEqual(['Say good morning']);
    expect(await list()).toMatchObject([
      { nextAt: '2026-11-27T08:00:00.000Z', latest: { dueAt: '2026-11-26T08:00:00.000Z', refusal: null } },
    ]);
    const [{ latest } = made] = await list();
    await createApiClient(started.address).until(String(latest?.sessionId), ({ status }) => status === 'stopped');
  });

  it('runs once for all times that were missed, and then at the next one', async () => {
    await schedule({ task: 'Say hello', cron: '*/10 * * * *' });
    started.clock.advance(3 * dayMs + 5 * minuteMs);
    operator = await enter();
    await sweep();
    await sweep();
    expect(await tasks()).toEqual(['Say hello']);
    expect(await list()).toMatchObject([{ nextAt: '2026-11-29T07:40:00.000Z' }]);
  });

  it('ends after its single time', async () => {
    await schedule({ task: 'Say once', at: '2026-11-26T09:00' });
    started.clock.advance(31 * minuteMs);
    await sweep();
    started.clock.advance(dayMs);
    operator = await enter();
    await sweep();
    expect(await tasks()).toEqual(['Say once']);
    expect(await list()).toMatchObject([{ status: 'ended', nextAt: null, endedAt: '2026-11-26T08:01:00.000Z' }]);
  });

  it('does not run after it was ended', async () => {
    const { id } = await schedule({ task: 'Say nothing', cron: '* * * * *' });
    expect((await operator.call('DELETE', `/schedules/${id}`)).body).toMatchObject({ status: 'ended', nextAt: null });
    started.clock.advance(10 * minuteMs);
    await sweep();
    expect(await tasks()).toEqual([]);
  });

  it('waits for a free slot of its project', async () => {
    await operator.call('PATCH', '/project', { sessionsMax: 1 });
    const v3 = createApiClient(started.address);
    const { id } = (await v3.call('POST', '/sessions', {})).body;
    await schedule({ task: 'Say later', at: '2026-11-26T08:35' });
    started.clock.advance(6 * minuteMs);
    await sweep();
    expect(await list()).toMatchObject([{ status: 'active', latest: null }]);
    await v3.call('POST', `/sessions/${String(id)}/stop`);
    await sweep();
    expect(await list()).toMatchObject([{ status: 'ended', latest: { refusal: null } }]);
  });

  it('starts although more due tasks than a sweep reads at once wait for a profile', async () => {
    const v3 = createApiClient(started.address);
    const profileId = String((await v3.call('POST', '/profiles', { name: 'held' })).body['id']);
    await v3.call('POST', '/sessions', { profileId });
    for (let index = 0; index < 25; index += 1)
      await schedule({ task: `Wait ${index}`, at: '2026-11-26T08:31', profileId });
    await schedule({ task: 'Say now', at: '2026-11-26T08:32' });
    started.clock.advance(3 * minuteMs);
    await sweep();
    expect(await tasks()).toContain('Say now');
    expect((await list()).filter(({ status }) => status === 'active')).toHaveLength(25);
  });

  it('starts in the next sweep when twenty others were due before it', async () => {
    for (let index = 0; index < 21; index += 1) await schedule({ task: `Say ${index}`, at: '2026-11-26T08:31' });
    started.clock.advance(2 * minuteMs);
    const ended = async (): Promise<number> => (await list()).filter(({ status }) => status === 'ended').length;
    await sweep();
    expect(await ended()).toBe(20);
    await sweep();
    expect(await ended()).toBe(21);
  });

  it('says why it did not start, when the credit is spent or its workspace is deleted', async () => {
    const v4 = createApiClient(started.address, testKey, 'v4');
    const workspaceId = String((await v4.call('POST', '/workspaces', {})).body['id']);
    await schedule({ task: 'Say where', at: '2026-11-26T08:31', workspaceId });
    started.clock.advance(2 * minuteMs);
    await sweep();
    expect(await tasks()).toEqual(['Say where']);
    // Creates this schedule later, so that the order of the list is defined.
    await schedule({ task: 'Say where', at: '2026-11-26T09:00', workspaceId });
    await v4.call('DELETE', `/workspaces/${workspaceId}`);
    started.clock.advance(31 * minuteMs);
    await sweep();
    expect(await list()).toMatchObject([
      { status: 'ended', latest: { sessionId: null, refusal: expect.stringContaining('workspace') } },
      { status: 'ended', latest: { refusal: null } },
    ]);
    await schedule({ task: 'Say why', at: '2026-11-26T10:00' });
    await operator.call('PATCH', '/project', { creditMicros: 0 });
    started.clock.advance(60 * minuteMs);
    await sweep();
    expect(await list()).toMatchObject([{ latest: { refusal: 'The project has spent its credit.' } }, {}, {}]);
    expect(await tasks()).toEqual(['Say where']);
  });

  it.each([
    { wanted: { task: 'x', cron: 'often' }, at: 'cron' },
    { wanted: { task: 'x', at: '2020-01-01T00:00' }, at: 'at' },
    { wanted: { task: 'x', cron: '0 9 * * *', model: 'gpt-7' }, at: 'model' },
    { wanted: { task: 'x', cron: '0 9 * * *', model: 'gpt-5-mini' }, at: 'useOwnKey' },
  ])('$wanted is refused at $at', async ({ wanted, at }) => {
    const { status, body } = await operator.call('POST', '/schedules', wanted);
    expect([status, body]).toEqual([422, { detail: [expect.objectContaining({ loc: ['body', at] })] }]);
  });

  it.each([{ task: 'x' }, { task: 'x', cron: '0 9 * * *', at: '2027-01-01T00:00' }, { cron: '0 9 * * *' }])(
    '%j is refused',
    async (wanted) => {
      expect((await operator.call('POST', '/schedules', wanted)).status).toBe(422);
    },
  );

  it('is refused beyond the limit of the project', async () => {
    const { db } = started.backend;
    const { limits } = defaultRules.limits;
    const max = limits.find(({ limit }) => limit === 'schedulesPerProject');
    for (let made = 0; made < (max !== undefined && 'value' in max ? max.value : 0); made += 1)
      await db
        .insertInto('schedules')
        .values({
          id: `s${made}`,
          projectId,
          status: 'active',
          task: 'x',
          cron: '0 9 * * *',
          timeZone: 'UTC',
          nextAt: beginning + dayMs,
          settings: '{"model":"m"}',
          createdAt: 0,
        })
        .execute();
    expect((await operator.call('POST', '/schedules', { task: 'x', cron: '0 9 * * *' })).status).toBe(409);
  });
});

describe('the right to schedule', () => {
  const path = '/console/api/schedules';
  const wanted = { task: 'Say hello', cron: '0 9 * * *' };

  async function byKey(key: string, method: string, body?: JsonObject): Promise<number> {
    const headers = { 'x-service-api-key': key, 'content-type': 'application/json' };
    const answer = await fetch(`${started.address}${path}`, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    });
    return answer.status;
  }

  it('belongs to keys that were created with it, and to no other', async () => {
    const keys = createIssuedKeys(started.backend.db);
    const { key } = await keys.issue({ projectId, name: null, nowMs: beginning, expiresAtMs: null, maySchedule: true });
    expect(await byKey(key, 'POST', wanted)).toBe(200);
    expect(await byKey(testKey, 'POST', wanted)).toBe(403);
    expect(await byKey('svc_wrong', 'POST', wanted)).toBe(401);
    expect(await byKey(testKey, 'GET')).toBe(200);
    const { id } = (await list())[0] ?? { id: '' };
    const login = await logInWithKey(started.address, testKey);
    expect((await login.call('DELETE', `/schedules/${id}`)).status).toBe(403);
    expect((await login.call('POST', '/keys', { maySchedule: true })).status).toBe(403);
    const able = await logInWithKey(started.address, key);
    expect((await able.call('DELETE', `/schedules/${id}`)).status).toBe(200);
  });

  it('does not reach schedules of another project', async () => {
    const { id } = await schedule(wanted);
    const other = await createProjects(started.backend.db).create({ id: 'p2', name: 'p2', grant: {}, nowMs: 0 });
    await operator.call('PUT', '/login/project', { projectId: other?.id ?? '' });
    expect(await list()).toEqual([]);
    expect((await operator.call('DELETE', `/schedules/${id}`)).status).toBe(404);
    expect((await operator.call('POST', `/schedules/${id}/confirm`)).status).toBe(404);
  });
});

describe('a task that an agent proposes', () => {
  const call = { task: 'Say good morning', cron: '0 9 * * *' };

  /**
   * Runs a session whose model proposes scheduled tasks. Returns the offered tools and the last request, which contains
   * the results.
   */
  async function propose(body: JsonObject, calls: readonly JsonObject[]): Promise<{ tools: string[]; said: string }> {
    await started.stop();
    const models = createScriptedModels(new Map([['anthropic', 'cloud']]));
    const toolCalls = calls.map((input, index) => ({ id: `c${index}`, name: 'propose_scheduled_task', input }));
    models.answering = async ({ request: { messages } }) =>
      callsTools(
        messages.length === 1 ? toolCalls : [{ id: 'f', name: 'finish', input: { success: true, text: 'ok' } }],
      );
    const agent = createAgent(defaultRules, { testTasks: true });
    started = await startBackend({ clock: createFrozenClock(beginning), models, agent });
    projectId = await readProjectId();
    operator = await enter();
    const v3 = createApiClient(started.address);
    const { id } = (await v3.call('POST', '/sessions', { task: 'Plan it', ...body })).body;
    await v3.until(String(id), ({ status }) => status === 'stopped');
    const tools = models.calls[0]?.request.tools.map(({ name }) => name) ?? [];
    return { tools, said: JSON.stringify(models.calls.at(-1)?.request.messages) };
  }

  it('does not run before a person has confirmed it', async () => {
    const { said } = await propose({ enableScheduledTasks: true }, [call]);
    expect(said).toContain('Once a person has confirmed it');
    const [{ id, proposedBy } = { id: '', proposedBy: null }] = await list();
    expect(await list()).toMatchObject([{ status: 'proposed', task: 'Say good morning', timeZone: 'UTC' }]);
    expect(proposedBy).not.toBeNull();
    started.clock.advance(2 * dayMs);
    operator = await enter();
    await sweep();
    expect(await list()).toMatchObject([{ status: 'proposed', latest: null }]);
    expect((await operator.call('POST', `/schedules/${id}/confirm`)).body).toMatchObject({
      status: 'active',
      nextAt: '2026-11-28T09:00:00.000Z',
    });
  });

  it('is possible only where the request allows it', async () => {
    const { tools, said } = await propose({}, [call]);
    expect(tools).not.toContain('propose_scheduled_task');
    expect(said).toContain('There is no tool');
    expect(await list()).toEqual([]);
  });

  it('is refused in words for a wrong time, and beyond ten of a session', async () => {
    const eleven = Array.from({ length: 11 }, (_, hour) => ({ ...call, cron: `0 ${hour} * * *` }));
    const { said } = await propose({ enableScheduledTasks: true }, [{ task: 'x', cron: 'often' }, ...eleven]);
    expect(said).toContain('expected five fields of cron');
    expect(said).toContain('too many scheduled tasks already: at most 10');
    expect(await list()).toHaveLength(10);
  });
});
