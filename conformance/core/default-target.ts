import { pricing, service } from '#generated/rules.ts';
import { formatDecimal } from './decimal.ts';
import type { Target, TargetPolling, TargetProviderStub } from './target.ts';

/**
 * Default target description, which a target file can change. It states the paths and members of the contract, and
 * those of the companion where the contract is silent.
 */
export const defaultTarget: Omit<Target, 'url'> = {
  keyHeader: service.authentication.name,
  keyPrefix: null,
  stateless: false,
  v2: {
    base: '/api/v2',
    idIn: 'id',
    getTask: { method: 'GET', path: '/tasks/{task_id}' },
    taskStatus: { method: 'GET', path: '/tasks/{task_id}/status' },
    statusIn: 'status',
    states: { pending: ['created', 'started'], completed: ['finished'], ended: ['failed', 'stopped'] },
    output: 'output',
    cost: 'cost',
    stopTask: { method: 'PATCH', path: '/tasks/{task_id}', body: { action: 'stop_task_and_session' } },
    list: { method: 'GET', path: '/tasks', items: 'items' },
  },
  v3: {
    base: '/api/v3',
    idIn: 'id',
    followUp: { method: 'POST', path: '/sessions', idMember: 'sessionId' },
    stop: { method: 'POST', path: '/sessions/{session_id}/stop' },
    list: { method: 'GET', path: '/sessions', items: 'sessions' },
    delete: { method: 'DELETE', path: '/sessions/{session_id}' },
    description: null,
    recordings: true,
    unrouted: [],
    members: {
      maxCostUsd: 'maxCostUsd',
      proxyCountryCode: 'proxyCountryCode',
      inbox: 'inbox',
      profileId: 'profileId',
      workspaceId: 'workspaceId',
    },
    existing: { profileId: null, workspaceId: null },
  },
  v4: {
    base: '/api/v4',
    getRun: { method: 'GET', path: '/runs/{run_id}' },
    runStatus: { method: 'GET', path: '/runs/{run_id}/status' },
    statusIn: 'status',
    states: { pending: ['queued', 'dispatching', 'running'], completed: ['completed'], ended: ['failed', 'cancelled'] },
    result: 'result',
    cost: 'totalCostUsd',
    events: {
      method: 'GET',
      path: '/runs/{run_id}/events',
      items: 'events',
      cursor: 'after',
      nextCursor: 'nextAfter',
      id: 'id',
    },
    listRuns: { method: 'GET', path: '/runs', items: 'runs' },
    cancelRun: { method: 'POST', path: '/runs/{run_id}/cancel' },
    maxCostUsd: 'maxCostUsd',
    browsers: {
      get: { method: 'GET', path: '/browsers/{session_id}' },
      list: { method: 'GET', path: '/browsers', items: 'items' },
      statusIn: 'status',
      ended: ['stopped'],
      costs: ['browserCost', 'proxyCost'],
      drivable: true,
    },
  },
  operations: { v2: {}, v3: {}, v4: {} },
  tasks: {
    succeed: 'Open https://example.com/?run={run} and tell me the title of the page.',
    fail: 'Open https://example.com/?run={run} and read the phone number of its owner. If the page shows none, give up.',
    slow: 'Open https://example.com/?run={run}, wait two minutes on the page, then tell me its title.',
    exceedCeiling:
      'Visit two hundred different pages of https://example.com/?run={run} and summarise each one at length.',
    structured: 'Open https://example.com/?run={run} and give me the title of the page.',
    code: 'Write and run a program that prints the title of https://example.com/?run={run}.',
    readFile: 'Read the file {file} and tell me what it says, word for word.',
    writeFile: 'Write the text {text} to a new file named {file}.',
    country: null,
  },
  ownKeys: [],
  control: null,
  providerStub: null,
  checkers: { country: null, countryIn: 'country', addressIn: 'ip' },
  polling: { intervalMs: 2000, startDeadlineMs: 60_000, taskDeadlineMs: 120_000, settleDeadlineMs: 20_000 },
  prices: {
    taskV2: null,
    taskV3: null,
    taskV4: null,
    browserHour: formatDecimal({ value: BigInt(pricing.browser.microUsdPerHour), scale: 6 }),
    proxyGigabyte: formatDecimal({ value: BigInt(pricing.proxy.microUsdPerGigabyte), scale: 6 }),
  },
  limits: { ceilingUsd: '0.05', inactivityMs: 900_000, sessionsAtOnce: 3 },
};

/** Polling of a target on this machine: every 100 ms, with the default deadlines. */
export const localPolling: TargetPolling = { ...defaultTarget.polling, intervalMs: 100 };

/** Default members of a provider stub. */
export const defaultProviderStub: Omit<TargetProviderStub, 'listen'> = {
  task: 'Repeat this word and do nothing else, without opening a page: {mark}',
  ceilingUsd: '1',
  reply: null,
  ownKeyEndings: {},
  models: {},
};
