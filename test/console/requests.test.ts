import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createIssuedKeys } from '#accounts/api-keys.ts';
import { createLoginLinks } from '#api/console/login/login-links.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { createApiClient } from '../support/api-client.ts';
import type {
  ConsoleCosts,
  ConsolePicture,
  ConsoleProjectName,
  ConsoleSessionDetail,
  ConsoleWorkspaces,
} from '#contract/console-messages.ts';
import { type LoggedIn, logIn, logInWithKey } from '../support/console-client.ts';
import { createFrozenClock } from '../support/frozen-clock.ts';
import { type StartedBackend, otherKey, startBackend, testKey } from '../support/start-backend.ts';

const minuteMs = 60_000;
const hourMs = 3_600_000;

let started: StartedBackend;
let projectId: string;

beforeAll(async () => {
  started = await startBackend({ clock: createFrozenClock(Date.UTC(2026, 10, 22, 9)) });
  projectId = readProjectId(await logInWithKey(started.address, testKey).then((login) => login.call('GET', '/login')));
});
afterAll(() => started.stop());
// The time window of refused logins ends.
afterEach(() => started.clock.advance(minuteMs));

function readProjectId({ body }: { readonly body: unknown }): string {
  return (body as { project: { id: string } }).project.id;
}

function makeLink(): Promise<string> {
  return createLoginLinks({ db: started.backend.db, clock: started.clock, rules: defaultRules }).make(projectId);
}

/** Sends a request with arbitrary headers. */
async function send(method: string, path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${started.address}${path}`, { method, ...init });
}

function entry(body: object, headers: Readonly<Record<string, string>> = {}): RequestInit {
  return {
    headers: { origin: started.address, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}

describe('the way into the console', () => {
  it('is a cookie that no script reads and no other site sends, for twelve hours', async () => {
    const { cookie, attributes } = await logInWithKey(started.address, testKey);
    const { port } = new URL(started.address);
    expect(cookie).toMatch(new RegExp(`^svc_console_${port}=[A-Za-z0-9_-]{43}$`));
    expect(attributes).toEqual(['Max-Age=43200', 'Path=/', 'HttpOnly', 'SameSite=Strict']);
  });

  it('is a cookie for TLS alone where the public address has it', async () => {
    const behind = await startBackend({ publicUrl: 'https://svc.example/below' });
    onTestFinished(() => behind.stop());
    const { cookie, attributes } = await logInWithKey(behind.address, testKey);
    expect(cookie).toMatch(/^__Host-svc_console_443=/);
    expect(attributes).toEqual(['Max-Age=43200', 'Path=/', 'HttpOnly', 'SameSite=Strict', 'Secure']);
    const answer = await fetch(`${behind.address}/console/api/login`, {
      method: 'POST',
      ...entry({ key: testKey }, { origin: 'https://svc.example' }),
    });
    expect(answer.status).toBe(200);
  });

  it.each([
    ['nothing', {}],
    ['a key that nobody issued', { key: 'svc_nobody' }],
    ['an empty key', { key: '' }],
    ['a link that nobody made', { link: 'a'.repeat(43) }],
    ['an empty link', { link: '' }],
  ])('is closed for %s', async (_what, body) => {
    const answer = await send('POST', '/console/api/login', entry(body));
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([401, null]);
    expect(await answer.json()).toEqual({ detail: expect.stringContaining('This key or link is not accepted') });
  });

  it.each([
    ['another site', { origin: 'https://elsewhere.example' }],
    ['no page', { origin: 'null' }],
    ['a page that hides where it is from', { 'sec-fetch-site': 'cross-site' }],
    ['another port of the host', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }],
    ['another port that hides its origin', { 'sec-fetch-site': 'same-site' }],
  ])('is closed for a request of %s', async (_what, headers) => {
    const answer = await send('POST', '/console/api/login', entry({ key: testKey }, headers));
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([403, null]);
  });

  it('is closed for a form and for text, which any page can send', async () => {
    const answer = await send('POST', '/console/api/login', entry({ key: testKey }, { 'content-type': 'text/plain' }));
    expect(answer.status).toBe(422);
    const without = await send('POST', '/console/api/login', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key: testKey }),
    });
    expect(without.status).toBe(403);
  });

  it('accepts a link once, for one of many concurrent requests', async () => {
    const link = await makeLink();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => send('POST', '/console/api/login', entry({ link }))),
    );
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      200, 401, 401, 401, 401, 401, 401, 401,
    ]);
  });

  it('is closed for a link after ten minutes', async () => {
    const [early, late] = [await makeLink(), await makeLink()];
    started.clock.advance(10 * minuteMs - 1);
    expect((await send('POST', '/console/api/login', entry({ link: early }))).status).toBe(200);
    started.clock.advance(1);
    expect((await send('POST', '/console/api/login', entry({ link: late }))).status).toBe(401);
  });

  it('is closed for an address that has guessed ten times, and open again a minute later', async () => {
    const guess = (): Promise<Response> => send('POST', '/console/api/login', entry({ key: 'svc_guess' }));
    for (let count = 0; count < 10; count += 1) expect((await guess()).status).toBe(401);
    const right = await send('POST', '/console/api/login', entry({ key: testKey }));
    expect(right.status).toBe(429);
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(0);
    started.clock.advance(minuteMs);
    expect((await send('POST', '/console/api/login', entry({ key: testKey }))).status).toBe(200);
  });
});

describe('a login', () => {
  it('ends when it is ended, for its cookie as for the operations of the documents', async () => {
    const login = await logInWithKey(started.address, testKey);
    const headers = { cookie: login.cookie, 'x-service-console': login.token };
    expect((await send('GET', '/api/v4/runs', { headers })).status).toBe(200);
    expect((await login.call('DELETE', '/login')).status).toBe(204);
    expect((await login.call('GET', '/login')).status).toBe(401);
    expect((await send('GET', '/api/v4/runs', { headers })).status).toBe(401);
  });

  it('ends after twelve hours', async () => {
    const login = await logInWithKey(started.address, testKey);
    started.clock.advance(12 * hourMs - 1);
    expect((await login.call('GET', '/keys')).status).toBe(200);
    started.clock.advance(1);
    expect((await login.call('GET', '/keys')).status).toBe(401);
  });

  it.each(['is revoked', 'expires'])('ends when its key %s', async (how) => {
    const keys = createIssuedKeys(started.backend.db);
    const nowMs = started.clock.now();
    const { key, issued } = await keys.issue({ projectId, name: null, nowMs, expiresAtMs: nowMs + hourMs });
    const login = await logInWithKey(started.address, key);
    if (how === 'expires') started.clock.advance(hourMs);
    else await keys.revoke(issued.id, nowMs);
    expect((await login.call('GET', '/login')).status).toBe(401);
  });

  it('has two random secrets of which the database has neither, and no answer repeats the token', async () => {
    const [one, other] = [await logInWithKey(started.address, testKey), await logInWithKey(started.address, testKey)];
    const again = await one.call('GET', '/login');
    expect([again.status, JSON.stringify(again.body)]).toEqual([200, expect.not.stringContaining(one.token)]);
    const mixed = { cookie: one.cookie, 'x-service-console': other.token };
    expect((await send('GET', '/console/api/login', { headers: mixed })).status).toBe(401);
    const kept = JSON.stringify(await started.backend.db.selectFrom('console_sessions').selectAll().execute());
    for (const { cookie, token } of [one, other])
      for (const secret of [cookie.split('=')[1] ?? '', token]) expect(kept).not.toContain(secret);
  });

  it('is refused beside a second console cookie, which another service of the host has set', async () => {
    const { cookie, token } = await logInWithKey(started.address, testKey);
    const name = cookie.split('=')[0];
    for (const both of [`${cookie}; ${name}=${'a'.repeat(43)}`, `${name}=${'a'.repeat(43)}; ${cookie}`]) {
      const headers = { cookie: both, 'x-service-console': token, origin: started.address };
      const answer = await send('GET', '/console/api/keys', { headers });
      expect([answer.status, await answer.json()]).toEqual([
        400,
        { detail: expect.stringContaining('several console cookies') },
      ]);
      expect((await send('POST', '/console/api/login', entry({ key: testKey }, { cookie: both }))).status).toBe(400);
      expect((await send('GET', '/api/v4/runs', { headers })).status).toBe(401);
    }
  });

  const guarded: readonly (readonly [string, string])[] = [
    ['GET', '/login'],
    ['DELETE', '/login'],
    ['PATCH', '/project'],
    ['GET', '/costs'],
    ['GET', '/keys'],
    ['POST', '/keys'],
    ['DELETE', '/keys/0123456789abcdef'],
    ['GET', '/provider-keys'],
    ['PUT', '/provider-keys/openai'],
    ['DELETE', '/provider-keys/openai'],
    ['GET', '/examination'],
    ['POST', '/examination'],
    ['DELETE', '/examination'],
    ['GET', `/runs/${crypto.randomUUID()}/pictures`],
    ['GET', `/sessions/${crypto.randomUUID()}/recordings`],
  ];
  it.each(guarded)('opens nothing by its cookie alone: %s %s', async (method, path) => {
    const { cookie, token } = await logInWithKey(started.address, testKey);
    const ways = [{}, { cookie }, { cookie, 'x-service-console': 'x' }, { 'x-service-console': token }];
    for (const headers of ways) {
      const answer = await send(method, `/console/api${path}`, { headers: { ...headers, origin: started.address } });
      expect([answer.status, await answer.json()]).toEqual([401, { detail: 'Log in to the console first' }]);
    }
    const elsewhere = { cookie, 'x-service-console': token, origin: 'https://elsewhere.example' };
    expect((await send(method, `/console/api${path}`, { headers: elsewhere })).status).toBe(403);
  });
});

describe('keys', () => {
  it('are made once visible, listed by their beginnings, and revoked at once', async () => {
    const login = await logInWithKey(started.address, testKey);
    const made = await login.call('POST', '/keys', { name: 'ci', expiresAt: null });
    const { key, issued } = made.body as { key: string; issued: { id: string } };
    const api = createApiClient(started.address, key, 'v4');
    expect((await api.call('GET', '/runs')).status).toBe(200);
    const listed = await login.call('GET', '/keys');
    expect(JSON.stringify(listed.body)).not.toContain(key);
    expect(listed.body).toContainEqual(expect.objectContaining({ id: issued.id, name: 'ci', state: 'active' }));
    expect((await login.call('DELETE', `/keys/${issued.id}`)).body).toMatchObject({ state: 'revoked' });
    expect((await api.call('GET', '/runs')).status).toBe(401);
  });

  it('of another project are not there', async () => {
    const [mine, theirs] = [
      await logInWithKey(started.address, testKey),
      await logInWithKey(started.address, otherKey),
    ];
    const [first] = (await mine.call('GET', '/keys')).body as { id: string }[];
    expect(await theirs.call('DELETE', `/keys/${first?.id}`)).toEqual({
      status: 404,
      body: { detail: 'Key not found' },
    });
    expect((await mine.call('GET', '/keys')).status).toBe(200);
  });

  it.each([
    { expiresAt: '2020-01-01T00:00:00Z' },
    { expiresAt: 'tomorrow' },
    { name: '' },
    { name: 'a\u0007' },
    { name: 'x'.repeat(101) },
    { other: 1 },
  ])('are not made of %j', async (wanted) => {
    const login = await logInWithKey(started.address, testKey);
    const before = await login.call('GET', '/keys');
    expect((await login.call('POST', '/keys', wanted)).status).toBe(422);
    expect((await login.call('GET', '/keys')).body).toEqual(before.body);
  });

  it('of providers are stored, shown by their ends, and forgotten', async () => {
    const login = await logInWithKey(started.address, testKey);
    const path = '/provider-keys/openai';
    expect((await login.call('PUT', path, { key: 'sk-secret-1234' })).status).toBe(204);
    const { body } = await login.call('GET', '/provider-keys');
    expect(body).toEqual([expect.objectContaining({ provider: 'openai', lastFour: '1234' })]);
    expect((await login.call('DELETE', path)).status).toBe(204);
    expect((await login.call('DELETE', path)).status).toBe(404);
    const refused = await login.call('PUT', path, { key: 'with a space 1234' });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      422,
      expect.not.stringContaining('with a space 1234'),
    ]);
    expect((await login.call('PUT', '/provider-keys/nobody', { key: 'sk-secret-1234' })).status).toBe(422);
  });
});

describe('credit and limits', () => {
  it('can be changed by a login with a link, and not by a login with a key', async () => {
    const wanted = { creditMicros: 2_500_000, sessionsMax: 3, zeroDataRetention: false };
    const holder = await logInWithKey(started.address, testKey);
    expect((await holder.call('PATCH', '/project', wanted)).status).toBe(403);
    const operator: LoggedIn = await logIn(started.address, { link: await makeLink() });
    expect((await operator.call('PATCH', '/project', wanted)).body).toMatchObject({
      creditMicros: 2_500_000,
      activeMax: 3,
    });
    expect((await operator.call('PATCH', '/project', { sessionsMax: 0 })).status).toBe(422);
    const taken = await operator.call('PATCH', '/project', { creditMicros: null, sessionsMax: null });
    expect(taken.body).toMatchObject({ creditMicros: null, sessionsMax: null, activeMax: 25 });
  });
});

async function fetchCosts(login: LoggedIn): Promise<ConsoleCosts> {
  return (await login.call('GET', '/costs?days=2')).body as ConsoleCosts;
}

function sumCosts({ days }: ConsoleCosts): number {
  const totals = days.map((day) => day.llmMicros + day.simulatedMicros + day.browserMicros + day.proxyMicros);
  return totals.reduce((sum, micros) => sum + micros, 0);
}

async function spentBy(login: LoggedIn): Promise<number> {
  return ((await login.call('GET', '/login')).body as { project: { spentMicros: number } }).project.spentMicros;
}

describe('costs', () => {
  it('are those of the days, with what lives', async () => {
    const login = await logInWithKey(started.address, testKey);
    const v4 = createApiClient(started.address, testKey, 'v4');
    const { body: run } = await v4.call('POST', '/runs', { task: 'Say one' });
    await expect
      .poll(async () => (await v4.call('GET', `/runs/${String(run['id'])}/status`)).body)
      .toEqual({ status: 'completed' });
    const { body: browser } = await v4.call('POST', '/browsers', {});
    started.clock.advance(90_000);
    expect(sumCosts(await fetchCosts(login))).toBe(await spentBy(login));
    await v4.call('PATCH', `/browsers/${String(browser['id'])}`, { action: 'stop' });
    const { days, models } = await fetchCosts(login);
    const { totalCostUsd } = (await v4.call('GET', `/runs/${String(run['id'])}`)).body;
    expect(days).toHaveLength(2);
    // Two browsers cost two started minutes each, at 20,000 micro-dollars an hour. The browser of the session waits for
    // a follow-up.
    const spent = days.map(({ browserMicros }) => browserMicros);
    expect(spent.reduce((sum, micros) => sum + micros, 0)).toBe(1334);
    expect(days.reduce((sum, day) => sum + day.sessions + day.browsers, 0)).toBe(2);
    expect(Number(totalCostUsd)).toBeGreaterThan(0);
    expect(models).toEqual([{ answeredBy: 'offline_planner', model: null, runs: 1, llmMicros: 0 }]);
    expect(days.map(({ llmMicros }) => llmMicros)).toEqual([0, 0]);
    expect((await login.call('GET', '/costs?days=91')).status).toBe(422);
    const other = await (await logInWithKey(started.address, otherKey)).call('GET', '/costs?days=2');
    expect(other.body).toMatchObject({ models: [] });
  });

  it('add up to what the project has spent, whatever runs, and to the bills of its sessions', async () => {
    const login = await logInWithKey(started.address, testKey);
    const [v3, v4] = [createApiClient(started.address, testKey, 'v3'), createApiClient(started.address, testKey, 'v4')];
    for (const task of ['Say one', 'svc-test: fail', 'Open https://example.com and tell me the title']) {
      const { id } = (await v3.call('POST', '/sessions', { task, keepAlive: task === 'Say one' })).body;
      await v3.until(String(id), ({ status }) => status === 'stopped' || status === 'idle');
    }
    const { id, sessionId } = (await v4.call('POST', '/runs', { task: 'Say two' })).body;
    await v4.until(String(id), ({ status }) => status === 'completed');
    const { id: browser } = (await v4.call('POST', '/browsers', { timeout: 5 })).body;
    for (const ms of [1_000, 61_000, 400_000]) {
      started.clock.advance(ms);
      expect(sumCosts(await fetchCosts(login))).toBe(await spentBy(login));
    }
    await v4.call('PATCH', `/browsers/${String(browser)}`, { action: 'stop' });
    expect(sumCosts(await fetchCosts(login))).toBe(await spentBy(login));
    const detail = (await login.call('GET', `/sessions/${String(sessionId)}`)).body as ConsoleSessionDetail;
    const ofRuns = detail.runs.map((run) => run.llmMicros + run.browserMicros + run.proxyMicros);
    expect(detail.totalMicros).toBeGreaterThanOrEqual(Math.max(...ofRuns));
  });
});

describe('the projects of a service', () => {
  it('can be selected by an operator, and not by a login with a key', async () => {
    const operator = await logIn(started.address, { link: await makeLink() });
    const projects = (await operator.call('GET', '/projects')).body as ConsoleProjectName[];
    expect(projects.map(({ id }) => id)).toContain(projectId);
    const other = readProjectId(
      await logInWithKey(started.address, otherKey).then((login) => login.call('GET', '/login')),
    );
    const moved = await operator.call('PUT', '/login/project', { projectId: other });
    expect([moved.status, readProjectId(moved)]).toEqual([200, other]);
    expect(moved.body).toMatchObject({ isOperator: true });
    expect(moved.body).not.toHaveProperty('csrf');
    expect(readProjectId(await operator.call('GET', '/login'))).toBe(other);
    const { body: run } = await createApiClient(started.address, otherKey, 'v4').call('POST', '/runs', {
      task: 'Say x',
    });
    expect((await operator.call('GET', `/sessions/${String(run['sessionId'])}`)).status).toBe(200);
    expect((await operator.call('PUT', '/login/project', { projectId: 'none' })).status).toBe(404);
    const holder = await logInWithKey(started.address, testKey);
    expect((await holder.call('GET', '/projects')).status).toBe(403);
    expect((await holder.call('PUT', '/login/project', { projectId: other })).status).toBe(403);
    expect(readProjectId(await holder.call('GET', '/login'))).toBe(projectId);
  });
});

describe('the workspaces of a project', () => {
  it('come in pages, newest first, and are searched by name and id within the project alone', async () => {
    const login = await logInWithKey(started.address, testKey);
    const v4 = createApiClient(started.address, testKey, 'v4');
    const ids: string[] = [];
    for (const name of ['Notes 1', 'Notes 2', 'Other', null]) {
      ids.push(String((await v4.call('POST', '/workspaces', { name })).body['id']));
      started.clock.advance(1_000);
    }
    const found = async (query: string, asker = login): Promise<[ids: string[], total: number]> => {
      const { workspaces, total } = (await asker.call('GET', `/workspaces?${query}`)).body as ConsoleWorkspaces;
      return [workspaces.map(({ id }) => id), total];
    };
    const [one = '', two = '', , unnamed = ''] = ids;
    expect((await found('limit=1'))[0]).toEqual([unnamed]);
    expect(await found('search=%20NOTES&limit=1&page=2')).toEqual([[one], 2]);
    expect(await found(`search=${two}`)).toEqual([[two], 1]);
    expect(await found('search=no_es')).toEqual([[], 0]);
    expect(await found('search=notes', await logInWithKey(started.address, otherKey))).toEqual([[], 0]);
    expect((await login.call('GET', '/workspaces?page=0')).status).toBe(422);
  });
});

describe('pictures and recordings', () => {
  const goal = 'Open https://example.com and tell me the title';
  const wanted = { task: goal, browserSettings: { record: true } };

  it('of a V4 run are named by the events of its steps, and played at addresses that need no login', async () => {
    const v4 = createApiClient(started.address, testKey, 'v4');
    const { id, sessionId } = (await v4.call('POST', '/runs', wanted)).body;
    await v4.until(String(id), ({ status }) => status === 'completed');
    const login = await logInWithKey(started.address, testKey);
    const pictures = (await login.call('GET', `/runs/${String(id)}/pictures`)).body as ConsolePicture[];
    const { events } = (await v4.call('GET', `/runs/${String(id)}/events`)).body as {
      events: Record<string, unknown>[];
    };
    const steps = events.filter(({ type }) => type === 'agent.step').map((event) => event['id']);
    expect(steps.length).toBeGreaterThan(1);
    expect(pictures.map(({ eventId }) => eventId)).toEqual(steps);
    const picture = await fetch(String(pictures[0]?.url));
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    const recordings = async (): Promise<string[]> =>
      (await login.call('GET', `/sessions/${String(sessionId)}/recordings`)).body as string[];
    expect(await recordings()).toEqual([]);
    // The browser waits for a follow-up. When it ends, its recording ends too.
    started.clock.advance(hourMs);
    await expect.poll(async () => (await recordings()).length).toBe(1);
    const video = await fetch(String((await recordings())[0]));
    expect([video.status, video.headers.get('content-type')]).toEqual([200, 'video/webm']);
  });

  it('of another project, of what was deleted and of what never was are not there', async () => {
    const v4 = createApiClient(started.address, testKey, 'v4');
    const { id, sessionId } = (await v4.call('POST', '/runs', { task: goal })).body;
    await v4.until(String(id), ({ status }) => status === 'completed');
    const [mine, theirs] = [
      await logInWithKey(started.address, testKey),
      await logInWithKey(started.address, otherKey),
    ];
    const statuses = async (login: LoggedIn, run: unknown, session: unknown): Promise<number[]> => [
      (await login.call('GET', `/runs/${String(run)}/pictures`)).status,
      (await login.call('GET', `/sessions/${String(session)}/recordings`)).status,
    ];
    expect(await statuses(mine, id, sessionId)).toEqual([200, 200]);
    expect(await statuses(theirs, id, sessionId)).toEqual([404, 404]);
    expect(await statuses(mine, crypto.randomUUID(), crypto.randomUUID())).toEqual([404, 404]);
    expect(await statuses(mine, 'x', 'x')).toEqual([422, 422]);
    await v4.call('DELETE', `/sessions/${String(sessionId)}`);
    expect(await statuses(mine, id, sessionId)).toEqual([404, 404]);
  });
});

describe('the page', () => {
  it('runs nothing but its own files, which are sent once', async () => {
    const page = await send('GET', '/');
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy.split('; ')).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "media-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
      ]),
    );
    expect(policy).not.toContain('unsafe');
    const script = await send('GET', '/console/console.js');
    const etag = script.headers.get('etag') ?? '';
    const again = await send('GET', '/console/console.js', { headers: { 'if-none-match': etag } });
    expect([script.status, again.status]).toEqual([200, 304]);
  });

  it('is small', async () => {
    const sizes = await Promise.all(
      ['/', '/console/console.js', '/console/console.css'].map(
        async (path) => (await (await send('GET', path)).text()).length,
      ),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(160_000);
  });

  it('and what is below it answer nothing else', async () => {
    expect((await send('GET', '/console/api/none')).status).toBe(404);
    expect((await send('PUT', '/console/api/login')).status).toBe(405);
    expect((await send('GET', '/console/none')).status).toBe(404);
  });
});
