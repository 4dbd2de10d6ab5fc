import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { type JsonObject, type JsonValue, isJsonObject, parseJson, textOf } from '../../../conformance/core/json.ts';
import type { WatchedService } from '../watched-service.ts';

/** One request, its body as text or bytes. */
export interface Call {
  readonly method: string;
  /** Behind the address of the service, query included. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Sends one request. A connection that is cut is status 0. */
export type SendCall = (call: Call) => Promise<{ readonly status: number; readonly json: JsonValue }>;

/** Longer than any answer takes that is not a fault. */
const answerMs = 20_000;
/** A task of the worst kind is cancelled after this time: what blocks is seen long before. */
const taskMs = 6000;
const pollMs = 15;

/** Opens connections to a service, which end with it. */
export function openCalls(service: WatchedService, address: string = service.address): SendCall {
  const pool = new Pool(address, { connections: 4, headersTimeout: answerMs, bodyTimeout: answerMs });
  service.owned.push(() => pool.destroy());
  return async ({ method, path, headers = {}, body }) => {
    try {
      const type = body === undefined ? {} : { 'content-type': 'application/json' };
      const answer = await pool.request({
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- any token is sent as it is
        method: method as 'GET',
        path,
        headers: { 'x-service-api-key': service.key, ...type, ...headers },
        body: body ?? null,
      });
      const text = await answer.body.text();
      return { status: answer.statusCode, json: text.length < 20_000_000 ? (parseJson(text) ?? null) : null };
    } catch (error) {
      if (error instanceof Error && 'code' in error) return { status: 0, json: String(error.code) };
      throw error;
    }
  };
}

/** Starts a task of a generation with this body, waits for its end and deletes its session. Returns the answer's status and the end. */
export async function runTask(send: SendCall, generation: 'v2' | 'v3' | 'v4', body: JsonObject): Promise<string> {
  const { create, read, ended }: Way = ways[generation];
  const created = await send({ method: 'POST', path: `/api/${generation}/${create}`, body: JSON.stringify(body) });
  if (created.status >= 300 || created.status === 0) return String(created.status);
  const job = idOf(created.json, 'id');
  const session = generation === 'v3' ? job : idOf(created.json, 'sessionId');
  const until = performance.now() + taskMs;
  let state = '';
  while (performance.now() < until) {
    const { status, json } = await send({ method: 'GET', path: `/api/${generation}/${read(job)}` });
    state = isJsonObject(json) ? textOf(json['status']) : String(status);
    if (ended.includes(state)) break;
    await delay(pollMs);
  }
  await send({ method: 'DELETE', path: `/api/${generation}/sessions/${session}` });
  return ended.includes(state) ? `${created.status}, ${state}` : `${created.status}, cut off`;
}

interface Way {
  readonly create: string;
  /** Where the state of a job is read; a small answer where the API has one, for a task has up to a megabyte. */
  readonly read: (job: string) => string;
  /** States after which nothing happens any more; 404 for a job that is gone. */
  readonly ended: readonly string[];
}

const ways: Readonly<Record<'v2' | 'v3' | 'v4', Way>> = {
  v2: { create: 'tasks', read: (job) => `tasks/${job}/status`, ended: ['finished', 'stopped', '404'] },
  v3: { create: 'sessions', read: (job) => `sessions/${job}`, ended: ['idle', 'stopped', 'timed_out', 'error', '404'] },
  v4: { create: 'runs', read: (job) => `runs/${job}/status`, ended: ['completed', 'failed', 'cancelled', '404'] },
};

/** A member of an answer that names something; empty without it. */
export function idOf(json: JsonValue, member: string): string {
  return isJsonObject(json) ? textOf(json[member]) : '';
}
