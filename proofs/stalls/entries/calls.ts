import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { type JsonObject, type JsonValue, isJsonObject, parseJson, toText } from '#conformance/core/json.ts';
import type { WatchedService } from '../watched-service.ts';

/** A request with its body as text or bytes. */
export interface Call {
  readonly method: string;
  /** Path after the URL of the service, with query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/**
 * Sends a request. After a transport failure, such as a closed connection or a timeout, the status is 0 and `json` is
 * the error code. `json` is null for a body that is not JSON, or of 20 million characters and more.
 */
export type SendCall = (call: Call) => Promise<{ readonly status: number; readonly json: JsonValue }>;

/** Deadline of a response, longer than any correct response takes. */
const answerMs = 20_000;
/** Time after which a task with a worst-case input is ended. A blocked event loop is noticed much earlier. */
const taskMs = 6000;
const pollMs = 15;

/**
 * Returns a function that sends requests over up to four connections to a service. The connections are closed when the
 * service closes.
 */
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

/**
 * Starts a task of a generation, waits for its end and deletes its session. Returns the status of the creation and the
 * final state of the task, or `cut off` if the task has not ended after `taskMs`. Returns only the status if the
 * creation fails.
 */
export async function runTask(send: SendCall, generation: 'v2' | 'v3' | 'v4', body: JsonObject): Promise<string> {
  const { create, read, ended }: Way = ways[generation];
  const created = await send({ method: 'POST', path: `/api/${generation}/${create}`, body: JSON.stringify(body) });
  if (created.status >= 300 || created.status === 0) return String(created.status);
  const job = getId(created.json, 'id');
  const session = generation === 'v3' ? job : getId(created.json, 'sessionId');
  const until = performance.now() + taskMs;
  let state = '';
  while (performance.now() < until) {
    const { status, json } = await send({ method: 'GET', path: `/api/${generation}/${read(job)}` });
    state = isJsonObject(json) ? toText(json['status']) : String(status);
    if (ended.includes(state)) break;
    await delay(pollMs);
  }
  await send({ method: 'DELETE', path: `/api/${generation}/sessions/${session}` });
  return ended.includes(state) ? `${created.status}, ${state}` : `${created.status}, cut off`;
}

interface Way {
  readonly create: string;
  /**
   * Returns the path of the operation with the smallest response that contains the state of a job, because a larger
   * response can contain a task of up to a megabyte.
   */
  readonly read: (job: string) => string;
  /** Final states of a job. `404` stands for a deleted job. */
  readonly ended: readonly string[];
}

const ways: Readonly<Record<'v2' | 'v3' | 'v4', Way>> = {
  v2: { create: 'tasks', read: (job) => `tasks/${job}/status`, ended: ['finished', 'failed', 'stopped', '404'] },
  v3: { create: 'sessions', read: (job) => `sessions/${job}`, ended: ['idle', 'stopped', 'timed_out', 'error', '404'] },
  v4: { create: 'runs', read: (job) => `runs/${job}/status`, ended: ['completed', 'failed', 'cancelled', '404'] },
};

/** Returns an id in a response by the name of its member; an empty string without this member. */
export function getId(json: JsonValue, member: string): string {
  return isJsonObject(json) ? toText(json[member]) : '';
}
