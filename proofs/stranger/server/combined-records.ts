/**
 * Faults of V3 records, most of which occur only with a combination of settings, in a later task or after another
 * request.
 */
import type { FaultId } from '../faults/index.ts';
import type { Answer, Call } from './call.ts';
import { count, hasEnded, isFailed, remember } from './moments.ts';
import { isObject } from './outputs.ts';
import { bill, type Json, type Session, type World } from './world.ts';

const hour = 3_600_000;

/** A V3 session that a response contains: its record in the response (`view`) and its state (`session`). */
interface Shown {
  readonly call: Call;
  readonly world: World;
  readonly view: Json;
  readonly session: Session;
  /** Session of the same project that was created directly before this session, if any. */
  readonly before: Session | undefined;
}

const isFetch = ({ call }: Shown): boolean => call.operation === 'v3.get';
const money = (millionths: number): string => String(millionths / 1e6);

/** Returns a copy of a schema without descriptions. */
function withoutDescriptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((inner) => withoutDescriptions(inner));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([name, inner]) => name !== 'description' || typeof inner !== 'string');
  return Object.fromEntries(entries.map(([name, inner]) => [name, withoutDescriptions(inner)]));
}

/** Stores a value of a session under a name, if none is stored yet. Returns the stored value. */
function first(session: Session, name: string, value: unknown): unknown {
  const kept = remember(session);
  return (kept[name] ??= value);
}

const textFaults: Partial<Record<FaultId, (shown: Shown) => void>> = {
  'cb-title-without-task': ({ view, session }) => {
    if (session.tasks === 0) view['title'] = 'Untitled';
  },
  'cb-title-in-creation': ({ view, session }) => {
    if (session.status === 'created') view['title'] = 'A task of the user';
  },
  'cb-title-empty': ({ view }) => {
    if (view['title'] !== null) view['title'] = '';
  },
  'cb-title-of-other': ({ view, before }) => {
    if (view['title'] !== null && before?.title) view['title'] = before.title;
  },
  'cb-summary-without-step': ({ view, session }) => {
    if (session.stepCount === 0) view['lastStepSummary'] = 'Nothing yet';
  },
  'cb-summary-null-at-end': ({ view, session }) => {
    if (session.work === null) view['lastStepSummary'] = null;
  },
  'cb-live-null-without-task': ({ view, call, session }) => {
    if (call.operation === 'v3.create' && isObject(call.body) && !call.body['task'] && session.tasks === 0)
      view['liveUrl'] = null;
  },
  'cb-live-shared': ({ view, world }) => void (view['liveUrl'] = `${world.url}/live/now`),
  'cb-inbox-late': ({ view, session }) => {
    if (session.inbox === null && hasEnded(session)) view['inboxEmail'] = `late-${session.id}@inbox.example`;
  },
  'cb-country-null-running': ({ view, session }) => {
    if (session.status === 'running') view['proxyCountryCode'] = null;
  },
  'cb-country-us-later': ({ view, session }) => {
    if (session.tasks > 1) view['proxyCountryCode'] = 'us';
  },
  'cb-profile-swapped': ({ view, session }) => {
    if (session.profileId !== null && session.workspaceId !== null) view['profileId'] = session.workspaceId;
  },
  'cb-profile-lost-at-stop': ({ view, session }) => {
    if (session.status === 'stopped') view['profileId'] = null;
  },
  'cb-level-null-with-own-key': ({ view, session }) => {
    if (session.ownKey) view['thinkingLevel'] = null;
  },
  'cb-level-null-without-task': (shown) => {
    if (isFetch(shown) && shown.session.tasks === 0) shown.view['thinkingLevel'] = null;
  },
  'cb-error-success': ({ view, session }) => {
    if (session.status === 'error') view['isTaskSuccessful'] = true;
  },
  'cb-success-null-second-task': ({ view, session }) => {
    if (session.tasks >= 2 && session.status !== 'running') view['isTaskSuccessful'] = null;
  },
  'cb-success-false-sticks': ({ view, session }) => {
    const kept = remember(session);
    if (isFailed(session)) kept['failed'] = true;
    else if (kept['failed'] === true && session.status !== 'running') view['isTaskSuccessful'] = false;
  },
  'cb-ceiling-two-decimals': ({ view, session }) => {
    if (session.ceiling !== null) view['maxCostUsd'] = String(Math.floor(session.ceiling / 10_000) / 100);
  },
  'cb-schema-of-other': ({ view, before }) => {
    if (view['outputSchema'] === null && before?.outputSchema) view['outputSchema'] = before.outputSchema;
  },
  'cb-schema-no-descriptions': ({ view }) => {
    view['outputSchema'] = withoutDescriptions(view['outputSchema']);
  },
  'cb-schema-hidden-in-code': ({ view, session }) => {
    if (session.codeMode) view['outputSchema'] = null;
  },
  'cb-sensitive-shown': ({ view, session }) => {
    const secret = remember(session)['secret'];
    if (typeof secret === 'string' && view['lastStepSummary'] !== null) view['lastStepSummary'] = `Typed ${secret}`;
  },
};

const counterFaults: Partial<Record<FaultId, (shown: Shown) => void>> = {
  'cb-steps-per-fetch': (shown) => {
    const { session, view } = shown;
    if (isFetch(shown) && session.status === 'idle')
      view['stepCount'] = session.stepCount + count(session, 'idleLooks');
  },
  'cb-steps-after-stop': ({ view, session }) => {
    if (remember(session)['isStopped'] === true) view['stepCount'] = session.stepCount + 1;
  },
  'cb-steps-zero-after-stop': ({ view, session }) => {
    if (remember(session)['isStopped'] === true) view['stepCount'] = 0;
  },
  'cb-tokens-per-fetch': (shown) => {
    const { session, view } = shown;
    if (isFetch(shown) && hasEnded(session))
      view['totalInputTokens'] = session.meters.inputTokens + 10 * count(session, 'endLooks');
  },
  'cb-llm-of-last-task': ({ view, session }) => {
    const { llm, proxy, browser } = bill(session.meters);
    const earlier = Number(first(session, `llm before task ${session.tasks}`, session.tasks > 1 ? llm : 0));
    view['llmCostUsd'] = money(llm - earlier);
    view['totalCostUsd'] = money(llm - earlier + proxy + browser);
  },
  'cb-proxy-zero-at-end': ({ view, session }) => {
    if (hasEnded(session)) view['proxyUsedMb'] = '0';
  },
  'cb-proxy-negative': ({ view, session }) => {
    if (session.meters.proxyKilobytes > 0) view['proxyUsedMb'] = money(-1000 * session.meters.proxyKilobytes);
  },
  'cb-browser-negative': ({ view, session }) => {
    const { llm, proxy, browser } = bill(session.meters);
    if (!hasEnded(session) || browser === 0) return;
    view['browserCostUsd'] = money(-browser);
    view['totalCostUsd'] = money(llm + proxy - browser);
  },
  'cb-total-late': ({ view, session }) => {
    const kept = remember(session);
    const shown = kept['total'] ?? view['totalCostUsd'];
    kept['total'] = view['totalCostUsd'];
    view['totalCostUsd'] = shown;
  },
  'cb-total-twice': ({ view, session }) => {
    const { llm, total } = bill(session.meters);
    if (session.tasks > 1) view['totalCostUsd'] = money(total + llm);
  },
  'cb-updated-back': ({ view, session }) => {
    if (session.tasks > 1 && session.status === 'running') view['updatedAt'] = view['createdAt'];
  },
  'cb-updated-ahead': ({ view, session, world }) => {
    if (hasEnded(session)) view['updatedAt'] = world.dialect.time(session.updatedAt + hour);
  },
  'cb-updated-not-at-stop': ({ view, session }) => {
    const kept = remember(session);
    if (session.status === 'stopped') view['updatedAt'] = kept['updatedAt'] ?? view['updatedAt'];
    else kept['updatedAt'] = view['updatedAt'];
  },
  'cb-times-ahead': ({ view, session, world }) => {
    view['createdAt'] = world.dialect.time(session.createdAt + hour);
    view['updatedAt'] = world.dialect.time(session.updatedAt + hour);
  },
};

const outputFaults: Partial<Record<FaultId, (shown: Shown) => void>> = {
  'cb-output-of-first-task': ({ view, session }) => {
    if (session.output !== null && session.work === null) view['output'] = first(session, 'output', session.output);
  },
  'cb-output-null-when-kept': ({ view, session }) => {
    if (session.keepAlive && session.outputSchema !== null) view['output'] = null;
  },
  'cb-output-text-in-follow-up': ({ view, session }) => {
    if (session.tasks > 1 && isObject(session.output)) view['output'] = JSON.stringify(session.output);
  },
  'cb-out-nested-required': ({ view, session }) => {
    if (session.outputSchema !== null && isObject(view['output'])) view['output'] = withoutLast(view['output']);
  },
  'cb-code-text-empty': ({ view, session }) => {
    if (session.codeMode && isObject(view['output'])) view['output'] = { ...view['output'], text: '' };
  },
  'cb-code-failed-text': ({ view, session }) => {
    if (session.codeMode && isFailed(session)) view['output'] = 'Not done.';
  },
  'cb-recording-once': (shown) => {
    const { session, view } = shown;
    if (session.recordingUrls.length > 0 && isFetch(shown) && count(session, 'recordingLooks') > 1)
      view['recordingUrls'] = [];
  },
  'cb-recording-is-page': ({ view, session, world }) => {
    if (session.recordingUrls.length > 0) view['recordingUrls'] = [`${world.url}/live/${session.id}`];
  },
  'cb-recording-empty': ({ view, session, world }) => {
    if (session.recordingUrls.length > 0) view['recordingUrls'] = [`${world.url}/media/${session.id}/empty.webm`];
  },
  'cb-recording-shared': ({ view, session, world }) => {
    if (session.recordingUrls.length > 0) view['recordingUrls'] = [`${world.url}/media/all/recording.webm`];
  },
  'cb-shot-alternates': ({ view, session }) => {
    if (typeof view['screenshotUrl'] !== 'string') return;
    view['screenshotUrl'] = first(session, `shot ${count(session, 'shotLooks') % 2}`, view['screenshotUrl']);
  },
  'cb-shot-same-idle': ({ view, session }) => {
    if (session.status === 'idle' && view['screenshotUrl'])
      view['screenshotUrl'] = first(session, `idle shot ${session.tasks}`, view['screenshotUrl']);
  },
  'cb-shot-of-other': (shown) => {
    const { view, call } = shown;
    const kept = remember(call.project);
    if (typeof view['screenshotUrl'] !== 'string' || !isFetch(shown)) return;
    const last = kept['shot'];
    kept['shot'] = view['screenshotUrl'];
    if (typeof last === 'string' && !last.includes(shown.session.id)) view['screenshotUrl'] = last;
  },
  'cb-shot-replaced': ({ view, session, world }) => {
    if (typeof view['screenshotUrl'] !== 'string') return;
    const serial = new URL(view['screenshotUrl']).searchParams.get('n');
    remember(world)[`shot /media/${session.id}/shot.png`] = serial;
    if (count(session, 'replaced') > 1) world.faults.has('cb-shot-replaced');
  },
};

/** Returns a copy in which each nested object lacks its last member; the outermost object is complete. */
function withoutLast(value: unknown, depth = 0): unknown {
  if (Array.isArray(value)) return value.map((inner) => withoutLast(inner, depth + 1));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, withoutLast(inner, depth + 1)] as const);
  return Object.fromEntries(depth === 0 ? entries : entries.slice(0, -1));
}

const statusFaults: Partial<Record<FaultId, (shown: Shown) => void>> = {
  'cb-stopped-returns': (shown) => {
    const { session, view } = shown;
    if (isFetch(shown) && session.status === 'stopped' && count(session, 'stoppedLooks') > 2) view['status'] = 'idle';
  },
  'cb-follow-up-shows-created': (shown) => {
    const { session, view } = shown;
    if (
      isFetch(shown) &&
      session.tasks > 1 &&
      session.status === 'running' &&
      count(session, `task ${session.tasks}`) === 1
    )
      view['status'] = 'created';
  },
  'cb-running-flaps': (shown) => {
    const { session, view } = shown;
    if (isFetch(shown) && session.status === 'running' && count(session, 'runningLooks') % 3 === 2)
      view['status'] = 'idle';
  },
  'cb-error-returns': (shown) => {
    const { session, view } = shown;
    if (isFetch(shown) && session.status === 'error' && count(session, 'errorLooks') > 1) view['status'] = 'idle';
  },
  'cb-timed-out-output-lost': ({ session, view }) => {
    if (session.status === 'timed_out') view['output'] = null;
  },
  'cb-empty-stays-created': ({ session, view }) => {
    if (session.tasks === 0 && session.status === 'idle') view['status'] = 'created';
  },
};

const groups = [textFaults, counterFaults, outputFaults, statusFaults];

/** Applies active faults to the V3 session in a response, and marks the faults that changed its record as reached. */
export function concludeRecord(call: Call, answer: Answer): Answer {
  const { world, project } = call;
  if (!isObject(answer.body) || !call.operation.startsWith('v3.')) return answer;
  const session = project.sessions.get(String(answer.body['id']));
  if (!session || answer.status >= 300) return answer;
  const all = [...project.sessions.values()];
  const before = all[all.indexOf(session) - 1];
  const view: Json = { ...answer.body };
  const plain = JSON.stringify(view);
  for (const group of groups) {
    for (const [id, change] of world.faults.entries(group)) {
      change({ call, world, view, session, before });
      if (JSON.stringify(view) !== plain) world.faults.has(id);
    }
  }
  return { ...answer, body: view };
}
