/** V2 sessions, their public shares, and the account. */
import { type Answer, bodyObject, type Call, refuse, text } from './call.ts';
import { type Field, memberProblems, readQuery, requireIds, requireObject, settle, unknownMembers } from './checks.ts';
import { pageAnswer } from './pages.ts';
import { closeSession, openSession, stopTask } from './v2-life.ts';
import { sessionDetail, sessionItem } from './v2-view.ts';
import type { Session2 } from './world.ts';

const SESSION2_FIELDS: readonly Field[] = [
  { name: 'profileId', kind: 'uuid', nullable: true },
  { name: 'proxyCountryCode', kind: 'country', nullable: true },
  { name: 'startUrl', kind: 'text', nullable: true },
  { name: 'browserScreenWidth', kind: 'integer', nullable: true, min: 320, max: 6144 },
  { name: 'browserScreenHeight', kind: 'integer', nullable: true, min: 320, max: 3456 },
  { name: 'persistMemory', kind: 'boolean' },
  { name: 'keepAlive', kind: 'boolean' },
  { name: 'customProxy', kind: 'object', nullable: true },
  { name: 'enableRecording', kind: 'boolean' },
];

/** Creates a session without a task. */
export function postSession2(call: Call): Answer {
  const body = requireObject(call, true);
  const problems = memberProblems(SESSION2_FIELDS, body, ['body']);
  if (call.world.dialect.strictBodies) problems.push(...unknownMembers(SESSION2_FIELDS, body, ['body']));
  settle(call, body, problems);
  const profile = text(body, 'profileId');
  if (profile !== null && !call.project.profiles.has(profile)) refuse(call.world, 404, 'Profile not found');
  return { status: 201, body: sessionItem(call, openSession(call, bodyObject(call), false)) };
}

/** Finds a session of the project, or answers 404. */
export function findSession(call: Call, id: string): Session2 {
  const found = call.project.sessions2.get(id.toLowerCase());
  return found ?? refuse(call.world, 404, 'Session not found');
}

/** Shows one session with its tasks. */
export function getSession2(call: Call): Answer {
  requireIds(call);
  return { status: 200, body: sessionDetail(call, findSession(call, call.params['session_id'] ?? '')) };
}

/** Stops a session and its tasks. */
export function patchSession2(call: Call): Answer {
  requireIds(call);
  const body = requireObject(call);
  settle(
    call,
    body,
    memberProblems([{ name: 'action', kind: 'text', required: true, oneOf: ['stop'] }], body, ['body']),
  );
  const session = findSession(call, call.params['session_id'] ?? '');
  for (const task of call.project.tasks.values()) if (task.sessionId === session.id) stopTask(call.world, task);
  if (session.status === 'active') closeSession(call.world, session);
  return { status: 200, body: sessionDetail(call, session) };
}

/** Deletes a session with its tasks. */
export function deleteSession2(call: Call): Answer {
  requireIds(call);
  const session = findSession(call, call.params['session_id'] ?? '');
  for (const task of call.project.tasks.values()) {
    if (task.sessionId !== session.id) continue;
    stopTask(call.world, task);
    call.project.tasks.delete(task.id);
  }
  call.project.sessions2.delete(session.id);
  return { status: 204 };
}

const SESSION_PAGE: readonly Field[] = [
  { name: 'pageSize', kind: 'integer', min: 1, max: 100 },
  { name: 'pageNumber', kind: 'integer', min: 1 },
  { name: 'filterBy', kind: 'text', oneOf: ['active', 'stopped'] },
];

/** Lists sessions, newest first. */
export function listSessions2(call: Call): Answer {
  const query = readQuery(call, SESSION_PAGE);
  const all = [...call.project.sessions2.values()].toReversed();
  const isFiltered = query['filterBy'] !== undefined && !call.world.faults.has('v2-sessions-filter-ignored');
  const kept = isFiltered ? all.filter((session) => session.status === query['filterBy']) : all;
  return pageAnswer(call, { all: kept, query, show: (session) => sessionItem(call, session) });
}

/** Returns, creates or deletes the public share of a session. */
export function share(call: Call): Answer {
  requireIds(call);
  const session = findSession(call, call.params['session_id'] ?? '');
  if (call.operation === 'v2.unshare') {
    session.share = null;
    return { status: 204 };
  }
  if (call.operation === 'v2.getShare') {
    return session.share ? { status: 200, body: session.share } : refuse(call.world, 404, 'Public share not found');
  }
  const token = call.world.dialect.id();
  session.share ??= {
    shareToken: token,
    shareUrl: `${call.world.url}/share/${token}`,
    viewCount: 0,
    lastViewedAt: null,
  };
  return { status: 201, body: session.share };
}

/** Returns the billing account. */
export function account(call: Call): Answer {
  return {
    status: 200,
    body: {
      name: 'Stranger',
      totalCreditsBalanceUsd: 100,
      monthlyCreditsBalanceUsd: 60,
      additionalCreditsBalanceUsd: 40,
      rateLimit: 50,
      planInfo: {
        planName: 'plan',
        subscriptionStatus: null,
        subscriptionId: null,
        subscriptionCurrentPeriodEnd: null,
        subscriptionCanceledAt: null,
      },
      isFreeTier: false,
      projectId: call.project.id,
    },
  };
}
