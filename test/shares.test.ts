import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { type ScriptedAgent, createScriptedAgent, waitForTask } from './support/scripted-agent.ts';
import { type StartedBackend, otherKey, startBackend, testKey } from './support/start-backend.ts';

let started: StartedBackend;
let agent: ScriptedAgent;
let api: ApiClient;

beforeEach(async () => {
  agent = createScriptedAgent();
  started = await startBackend({ agent });
  api = createApiClient(started.address, testKey, 'v2');
});
afterEach(() => started.stop());

const nobody = '00000000-0000-4000-8000-000000000000';
const share = (id: string, method = 'GET') => api.call(method, `/sessions/${id}/public-share`);
const notFound = { status: 404, body: { detail: 'Public share not found' } };

async function task(text: string): Promise<{ id: string; sessionId: string }> {
  const { body } = await api.call('POST', '/tasks', { task: text });
  await waitForTask(agent, text);
  return { id: String(body['id']), sessionId: String(body['sessionId']) };
}

async function page(sessionId: string): Promise<{ response: Response; text: string; url: string }> {
  const url = String((await share(sessionId, 'POST')).body['shareUrl']);
  const response = await fetch(url);
  return { response, text: await response.text(), url };
}

describe('a share', () => {
  it('is made once, shown by the session, counted with every view, and ended', async () => {
    const { sessionId } = await task('one');
    expect(await share(sessionId)).toEqual(notFound);
    const made = await share(sessionId, 'POST');
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ viewCount: 0, lastViewedAt: null });
    expect(String(made.body['shareToken'])).toMatch(/^[A-Za-z0-9_-]{32,}$/);
    expect(made.body['shareUrl']).toBe(`${started.address}/share/${String(made.body['shareToken'])}`);
    const shown = async (): Promise<unknown> =>
      (await api.call('GET', `/sessions/${sessionId}`)).body['publicShareUrl'];
    expect(await shown()).toBe(made.body['shareUrl']);
    expect((await page(sessionId)).response.status).toBe(200);
    started.clock.advance(60_000);
    const viewed = started.clock.now();
    await fetch(String(made.body['shareUrl']));
    const again = await share(sessionId, 'POST');
    expect(again.status).toBe(201);
    expect(again.body).toEqual({ ...made.body, viewCount: 2, lastViewedAt: expect.any(String) });
    expect(Date.parse(String(again.body['lastViewedAt']))).toBeGreaterThanOrEqual(viewed);
    expect(await share(sessionId)).toEqual({ status: 200, body: again.body });
    expect((await share(sessionId, 'DELETE')).status).toBe(204);
    expect((await fetch(String(made.body['shareUrl']))).status).toBe(404);
    expect(await share(sessionId)).toEqual(notFound);
    expect(await share(sessionId, 'DELETE')).toEqual(notFound);
    expect(await shown()).toBeNull();
    expect((await share(sessionId, 'POST')).body['shareToken']).not.toBe(made.body['shareToken']);
  });

  it('ends with its session', async () => {
    const { sessionId } = await task('one');
    const { url } = await page(sessionId);
    await api.call('DELETE', `/sessions/${sessionId}`);
    expect((await fetch(url)).status).toBe(404);
    expect((await share(sessionId)).body).toEqual({ detail: 'Session not found' });
  });

  it('of a session that the caller may not see does not exist', async () => {
    const { sessionId } = await task('one');
    const other = createApiClient(started.address, otherKey, 'v2');
    for (const method of ['GET', 'POST', 'DELETE']) {
      expect((await other.call(method, `/sessions/${sessionId}/public-share`)).status).toBe(404);
      expect((await share(nobody, method)).status).toBe(404);
    }
  });

  it('made by many at once is one', async () => {
    const { sessionId } = await task('one');
    const all = await Promise.all(Array.from({ length: 8 }, () => share(sessionId, 'POST')));
    expect(new Set(all.map(({ body }) => body['shareToken'])).size).toBe(1);
  });
});

describe('the page of a share', () => {
  const evil = `<script>alert("x")</script><img src=x onerror='y'> & </pre></html>`;

  it('shows tasks, steps and results as text and nothing else', async () => {
    const { id, sessionId } = await task(evil);
    const running = await waitForTask(agent, evil);
    await running.world.step({
      summary: `step ${evil}`,
      action: { kind: 'test' },
      url: `https://a.example/?${evil}`,
      usage: { inputTokens: 1, outputTokens: 1 },
    });
    running.finish({ success: true, output: { result: evil } });
    await api.until(id, ({ status }: JsonObject) => status === 'finished');
    const { response, text } = await page(sessionId);
    expect(text).not.toMatch(/<script|<img|<form|<iframe|<a (?!href="\.\.\/live\/)/);
    expect(text).toContain('step &lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;');
    expect(text).toContain('finished, goal achieved');
    expect(text.match(/<\/pre>/g)).toHaveLength(1);
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'unsafe-inline'/);
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(response.headers.get('cache-control')).toContain('no-store');
    expect(text).not.toContain(String((await api.call('GET', `/sessions/${sessionId}`)).body['liveUrl']));
  });

  it('has a bounded size: the latest 20 tasks, and the beginning of long texts', async () => {
    const { id, sessionId } = await task('one');
    const running = await waitForTask(agent, 'one');
    for (let count = 0; count < 60; count += 1) await running.step(1);
    running.finish({ success: true, output: { long: 'x'.repeat(900_000) } });
    await api.until(id, ({ status }: JsonObject) => status === 'finished');
    const { db } = started.backend;
    const run = await db.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const steps = await db.selectFrom('steps').selectAll().where('runId', '=', id).execute();
    for (let count = 0; count < 30; count += 1) {
      const copy = { ...run, id: randomUUID(), task: `copy ${count}`, createdAt: run.createdAt + 1 + count };
      await db.insertInto('runs').values(copy).execute();
      for (const step of steps) {
        const { id: _, ...values } = step;
        await db
          .insertInto('steps')
          .values({ ...values, runId: copy.id })
          .execute();
      }
    }
    const { text } = await page(sessionId);
    expect(text).toContain('the latest 20 tasks');
    expect([...text.matchAll(/copy (\d+)</g)].map(([, count]) => Number(count))).toEqual(
      Array.from({ length: 20 }, (_, index) => 10 + index),
    );
    expect(text.match(/<li>/g)).toHaveLength(1_000);
    expect(text.length).toBeLessThan(1_000_000);
  });

  it('of a session without tasks, and of one that works', async () => {
    const { body } = await api.call('POST', '/sessions', {});
    expect((await page(String(body['id']))).text).toContain('No task has been given');
    const { sessionId } = await task('works');
    expect((await page(sessionId)).text).toContain('<span class="status plain">started</span>');
  });

  it('of an unknown token is 404', async () => {
    const response = await fetch(`${started.address}/share/unknown`);
    expect([response.status, await response.json()]).toEqual([404, notFound.body]);
  });
});
