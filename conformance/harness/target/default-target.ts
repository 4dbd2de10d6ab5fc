import { service } from '#generated/rules.ts';
import type { Target } from './target.ts';

/** The target that is assumed when no file says otherwise: the contract, and the companion facts where it is silent. */
export const defaultTarget: Omit<Target, 'url'> = {
  keyHeader: service.authentication.name,
  stateless: false,
  v2: {
    base: '/api/v2',
    idIn: 'id',
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
    cancelRun: { method: 'POST', path: '/runs/{run_id}/cancel' },
    maxCostUsd: 'maxCostUsd',
  },
  tasks: {
    succeed: 'Open https://example.com and tell me the title of the page.',
    fail: 'Open https://example.com and read the phone number of its owner. If the page shows none, give up.',
    slow: 'Open https://example.com, wait two minutes on the page, then tell me its title.',
    exceedCeiling: 'Visit two hundred different pages of https://example.com and summarise each one at length.',
    structured: 'Open https://example.com and give me the title of the page.',
    code: 'Write and run a program that prints the title of https://example.com.',
  },
  ownKeys: [],
  control: null,
  polling: { intervalMs: 2000, startDeadlineMs: 120_000, taskDeadlineMs: 600_000, settleDeadlineMs: 20_000 },
  limits: { ceilingUsd: '0.05', inactivityMs: 900_000, sessionsAtOnce: 3 },
};
