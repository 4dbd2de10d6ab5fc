// An adapter for `svc check-client` with the typed client of this package.
import { createClient } from 'svc-contract/client';
import { askVersion, withBrowser } from '../fetch/browser.mjs';
import { exchangeFiles } from '../fetch/files.mjs';
import { listRuns, listSessions, readEvents } from '../fetch/reading.mjs';

const { SERVICE_API_URL: baseUrl, SVC_SCENARIO, SVC_INPUT } = process.env;
const input = JSON.parse(SVC_INPUT);
const { timeoutMs, pollMs: intervalMs } = input;
const client = createClient({ baseUrl, timeoutMs })[input.version];
const { path, param, wait, stop } = {
  v2: {
    path: '/tasks',
    param: 'task_id',
    wait: 'waitForTask',
    stop: (params) => client.PATCH('/tasks/{task_id}', { params, body: { action: 'stop' } }),
  },
  v3: {
    path: '/sessions',
    param: 'session_id',
    wait: 'waitForSession',
    stop: (params) => client.POST('/sessions/{session_id}/stop', { params }),
  },
  v4: {
    path: '/runs',
    param: 'run_id',
    wait: 'waitForRun',
    stop: (params) => client.POST('/runs/{run_id}/cancel', { params }),
  },
}[input.version];
const one = (id) => ({ path: { [param]: id } });

const started = [];
process.once('SIGINT', () => Promise.allSettled(started.map((id) => stop(one(id)))).then(() => process.exit(130)));
async function start(body = input.create) {
  const { id } = await client.POST(path, { body });
  started.push(id);
  return id;
}
async function end(id) {
  const { status, output, result, totalCostUsd, cost } = await client[wait](id, { intervalMs });
  return { id, status, output: output ?? result ?? null, cost: totalCostUsd ?? cost };
}
// The helpers of the fetch adapter expect a function with these parameters.
const call = (method, where, { json } = {}) => client[method](where, json && { body: json });

const scenarios = {
  run: async () => end(await start()),
  'follow-up': async () => end(await start({ ...input.followUp, sessionId: (await end(await start())).id })),
  read: () => client.GET(`${path}/{${param}}`, { params: one(input.id) }),
  stop: async () => stop(one(await start())),
  events: async () => ({ events: await readEvents({ call }, await start(), intervalMs) }),
  list: async () => ({ ids: await (input.version === 'v3' ? listSessions : listRuns)({ call }, input.limit) }),
  files: () => exchangeFiles({ call }, input.files),
  browser: () => withBrowser({ call }, input.create, (cdpUrl) => askVersion(cdpUrl, input.rounds)),
};
console.log(JSON.stringify(await scenarios[SVC_SCENARIO]()));
