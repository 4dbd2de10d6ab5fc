import { setTimeout } from 'node:timers/promises';
import { isJsonObject, textOf } from '../../conformance/core/json.ts';
import type { CallService, ServiceAnswer } from '../service/call-service.ts';

/** Requests and faults of all clients. */
export interface Deeds {
  requests: number;
  /** Unexplained responses, one sentence each, limited in number. */
  readonly faults: string[];
}

const pollMs = 50;
const faultsMax = 20;

/** Creates, uses and deletes sessions, runs, browsers, workspaces and profiles in a loop until the signal aborts. */
export async function soakClient(call: CallService, deeds: Deeds, signal: AbortSignal): Promise<void> {
  const counted: CallService = async (...request) => {
    const answer = await call(...request);
    deeds.requests += 1;
    if (answer.status >= 400 && deeds.faults.length < faultsMax)
      deeds.faults.push(`${request[0]} ${request[1]} was answered ${answer.status}: ${JSON.stringify(answer.json)}`);
    return answer;
  };
  for (let turn = 0; !signal.aborted; turn += 1) await lives[turn % lives.length]?.(counted);
}

const lives: readonly ((call: CallService) => Promise<void>)[] = [
  async (call) => {
    const id = getId(await call('POST', 'v3/sessions', { task: 'Say hello', keepAlive: true }));
    await until(call, `v3/sessions/${id}`, ({ status }) => status === 'idle');
    await call('POST', 'v3/sessions', { sessionId: id, task: 'Say it again' });
    await until(call, `v3/sessions/${id}`, ({ status }) => status === 'idle');
    await call('GET', `v3/sessions/${id}/messages`);
    await call('POST', `v3/sessions/${id}/stop`);
    await call('DELETE', `v3/sessions/${id}`);
  },
  async (call) => {
    const run = await call('POST', 'v4/runs', { task: 'Say hello' });
    const id = getId(run);
    await until(call, `v4/runs/${id}`, ({ status }) => status === 'completed');
    await call('GET', `v4/runs/${id}/events`);
    await call('DELETE', `v4/sessions/${getId(run, 'sessionId')}`);
  },
  async (call) => {
    const task = await call('POST', 'v2/tasks', { task: 'Say hello' });
    await until(call, `v2/tasks/${getId(task)}`, ({ status }) => status === 'finished');
    await call('DELETE', `v2/sessions/${getId(task, 'sessionId')}`);
  },
  async (call) => {
    const id = getId(await call('POST', 'v4/browsers', {}));
    await call('GET', `v4/browsers/${id}`);
    await call('PATCH', `v4/browsers/${id}`, { action: 'stop' });
  },
  async (call) => {
    const workspace = getId(await call('POST', 'v4/workspaces', {}));
    const profile = getId(await call('POST', 'v4/profiles', {}));
    for (const list of ['v2/tasks', 'v3/sessions', 'v4/runs', 'v4/browsers', 'v4/profiles']) await call('GET', list);
    await call('DELETE', `v4/workspaces/${workspace}`);
    await call('DELETE', `v4/profiles/${profile}`);
  },
];

function getId({ json }: ServiceAnswer, member = 'id'): string {
  return isJsonObject(json) ? textOf(json[member]) : '';
}

async function until(
  call: CallService,
  path: string,
  isThere: (record: Readonly<Record<string, unknown>>) => boolean,
): Promise<void> {
  for (;;) {
    const { status, json } = await call('GET', path);
    if (status !== 200 || (isJsonObject(json) && isThere(json))) return;
    await setTimeout(pollMs);
  }
}
