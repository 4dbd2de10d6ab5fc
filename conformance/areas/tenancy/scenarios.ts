import type { RequestSpec } from '../../core/request.ts';
import { describeAnswer, type Exchange, succeeded } from '../../core/exchange.ts';
import { type JobKind, unwatchableReason } from '../../core/job-target.ts';
import type { ResourceKind } from '../../core/ledger.ts';
import { NotTestable, settleAll } from '../../core/outcome.ts';
import { pathWithId } from '../../core/path-with-id.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import type { Generation, OperationTarget } from '../../core/target.ts';
import { freeRequests } from '../../common/free-requests.ts';
import { createSession, poll, type TaskObservation } from '../../common/observed-session.ts';
import { createJob } from '../../common/observed-job.ts';
import { runBody, runCeiling } from '../../common/probe-bodies.ts';
import { readAsOwner } from './foreign-requests.ts';
import {
  furtherJobAttempts,
  endRunSession,
  prepareJob,
  deletePendingMessage,
  tryEverything,
  type TwoKeys,
} from './scenarios-two-keys.ts';
import { noBrowsers } from '../../ledger/browser-api.ts';
import { endBrowser, launch, persist, useBrowser } from '../../common/observed-browser.ts';

/** Attempts of another project on one resource, and the owner's snapshots before and after them. */
export interface Attempts {
  id: string;
  /**
   * The owner's snapshot right before the attempts: the record, or the status if the target names only the status
   * operation.
   */
  before: Exchange;
  /** The owner's snapshot after the attempts, from the same operation as `before`. */
  after: Exchange;
  /** Attempts in the order of sending; an operation that the target does not name is missing. */
  attempts: Attempt[];
}

/**
 * Attempts of another project on one resource: `attempts` with the operations that the target file names, and `all`
 * with every documented operation.
 */
export interface Tenancy extends Attempts {
  /** Further attempts on the resource, with every documented operation that names it. */
  all: TwoKeys;
}

/** One attempt of the other project. */
export interface Attempt {
  does: 'read' | 'events' | 'list' | 'followUp' | 'end';
  spec: RequestSpec;
  exchange: Exchange;
  /**
   * The owner's response to the same request; absent if the owner did not send this request. The response shows whether
   * a refusal concerns the other project or the operation itself.
   */
  own?: Exchange;
}

/** Creates one idle V3 session without a task; records the attempts of another project on it. */
export const tenancySession: Scenario<Tenancy> = {
  ...withOtherKey(),
  name: 'tenancy-session',
  creates: 'one V3 session without a task, for another project to try',
  dispatches: 0,
  run: (context) => context.live(() => trySession(context)),
};

/** Creates one V2 task; records the attempts of another project on it. */
export const tenancyTask: Scenario<Tenancy> = {
  ...withOtherKey(),
  name: 'tenancy-task',
  creates: 'one V2 task for another project to try',
  unavailable: (target) => unwatchableReason(target, 'task'),
  run: (context) => context.live(() => tryJob(context, 'task')),
};

/**
 * Sends a free request with the key of another project, and returns true if this key is not refused. Makes no attempts:
 * the scenarios of V4 runs make the attempts on a run.
 */
export const otherProject: Scenario<boolean> = {
  name: 'other-project',
  creates: 'nothing',
  spend: 'none',
  dispatches: 0,
  stateful: true,
  needsOtherKey: true,
  run: async (context) => {
    await asOther(context, 'v4');
    return true;
  },
};

/** Creates one V4 run; records the attempts of another project on it. */
export const tenancyRun: Scenario<Tenancy> = {
  ...withOtherKey(),
  name: 'tenancy-run',
  creates: 'one V4 run for another project to try',
  unavailable: (target) => unwatchableReason(target, 'run'),
  run: (context) => context.live(() => tryJob(context, 'run')),
};

function withOtherKey(): Pick<Scenario<unknown>, 'spend' | 'dispatches' | 'stateful' | 'needsOtherKey'> {
  return { spend: 'task', dispatches: 1, stateful: true, needsOtherKey: true };
}

async function trySession(context: ScenarioContext): Promise<Tenancy> {
  const v3 = context.target.v3;
  if (v3 === null) throw new NotTestable('this target does not offer V3');
  const send = await asOther(context, 'v3');
  const session = await createSession(context, { keepAlive: true });
  const { id } = session;
  const { startDeadlineMs } = context.target.polling;
  const isIdle = ({ end }: TaskObservation): boolean => end.record['status'] === 'idle';
  await poll(context, session, { id, until: isIdle, deadlineMs: startDeadlineMs });
  if (!isIdle(session)) throw new NotTestable(`the session was not idle within ${startDeadlineMs} ms`);
  const member = v3.followUp?.idMember ?? null;
  const body = {
    ...v3.followUp?.body,
    ...(member === null ? {} : { [member]: id }),
    task: context.target.tasks.succeed,
  };
  const steps: [Attempt['does'], string, OperationTarget | null][] = [
    ['read', 'getSession', { method: 'GET', path: '/sessions/{session_id}' }],
    ['list', 'listSessions', v3.list],
    ['followUp', 'followUpSession', v3.followUp === null ? null : { ...v3.followUp, body }],
    ['end', 'stopSession', v3.stop],
    ['end', 'deleteSession', v3.delete],
  ];
  const before = await context.sessions.get(id);
  const resources = { ids: { v3Session: id } };
  const looks = await readAsOwner(context, resources);
  const attempts = await makeAttempts(
    send,
    steps.map(([does, operation, place]) => ({ does, spec: buildSpec(operation, place, { generation: 'v3', id }) })),
    context.send,
  );
  const after = await context.sessions.get(id);
  const all = await tryEverything(context, resources, { lists: ['v3.listSessions'], before: looks });
  await endAsOwner(context, attempts);
  const gone = attempts.some(
    ({ spec, own }) => spec.operation === 'deleteSession' && own !== undefined && succeeded(own),
  );
  await endOwn(context, { kind: 'session', id, gone });
  return { id, before, after, attempts, all };
}

async function tryJob(context: ScenarioContext, kind: JobKind): Promise<Tenancy> {
  const { target } = context;
  const jobs = context.jobs[kind];
  const { generation } = jobs.target();
  const send = await asOther(context, generation);
  // A slow task leaves time for the attempts; an ended task can no longer be changed.
  const task = target.tasks.slow ?? target.tasks.succeed;
  const { id } = await createJob(jobs, kind === 'run' ? { ...runBody(target, task), ...runCeiling(target) } : { task });
  const { own, before } = await lookAsOwner(context, kind, id);
  const resources = await prepareJob(context, kind, { id, before });
  const looks = await readAsOwner(context, resources);
  const attempts = await makeAttempts(send, listJobSteps(context, kind, id), context.send);
  const after = await context.send(own);
  const all = await tryEverything(context, resources, { ...furtherJobAttempts[kind], before: looks });
  // A waiting message would start as soon as the run is cancelled.
  await deletePendingMessage(context, all);
  await endAsOwner(context, attempts);
  if (kind === 'run') await endRunSession(context, all);
  await endOwn(context, { kind, id, gone: false });
  return { id, before, after, attempts, all };
}

/** Makes the attempts of another project on a run that works. The owner sends none of the requests that end the run. */
export async function tryRun(context: ScenarioContext, id: string): Promise<Attempts> {
  const send = await asOther(context, 'v4');
  const { own, before } = await lookAsOwner(context, 'run', id);
  const [reads, ends] = [true, false].map((isRead) =>
    listJobSteps(context, 'run', id).filter(({ does }) => readActions.includes(does) === isRead),
  );
  // The reads are sent together, because the run may end by itself soon.
  const seen = await settleAll((reads ?? []).map((step) => makeAttempts(send, [step], context.send)));
  const attempts = [...seen.flat(), ...(await makeAttempts(send, ends ?? [], context.send))];
  return { id, before, after: await context.send(own), attempts };
}

/** Fetches a task or run as its owner. Throws NotTestable if the target offers no fetch or refuses it. */
async function lookAsOwner(
  context: ScenarioContext,
  kind: JobKind,
  id: string,
): Promise<{ own: RequestSpec; before: Exchange }> {
  const jobs = context.jobs[kind];
  const own = jobs.request('record', id) ?? jobs.request('status', id);
  if (own === undefined) throw new NotTestable(`the target file names no way to look at a ${kind}`);
  const before = await context.send(own);
  if (!succeeded(before)) throw new NotTestable(`the owner's own look at the ${kind} ${describeAnswer(before)}`);
  return { own, before };
}

/** Returns the attempts to make on a task or run. */
function listJobSteps({ jobs: all, target }: ScenarioContext, kind: JobKind, id: string): Step[] {
  const jobs = all[kind];
  const { generation } = jobs.target();
  const events = kind === 'run' ? buildSpec('listRunEvents', target.v4?.events ?? null, { generation, id }) : undefined;
  return [
    { does: 'read', spec: jobs.request('record', id) },
    { does: 'read', spec: jobs.request('status', id) },
    { does: 'events', spec: events },
    { does: 'list', spec: jobs.request('list', id) },
    { does: 'end', spec: jobs.request('stop', id) },
  ];
}

async function endOwn(
  { ledger, resources }: ScenarioContext,
  { kind, id, gone }: { kind: ResourceKind; id: string; gone: boolean },
): Promise<void> {
  const entry = ledger.find(kind, id);
  if (entry === undefined) return;
  if (gone) ledger.update(entry, { state: 'ended' });
  else await resources.end(entry);
}

type SendAs = (spec: RequestSpec) => Promise<Exchange>;

/**
 * Returns a sender with the key of the other project. Throws NotTestable without such a key, or if a request that costs
 * nothing gets 401, 403 or no answer with this key.
 */
export async function asOther(context: ScenarioContext, generation: Generation): Promise<SendAs> {
  const other = context.otherApiKey;
  if (other === undefined) throw new NotTestable('--other-api-key is not given');
  const send: SendAs = (spec) => context.send({ ...spec, key: { other } });
  const answer = await send(freeRequests[generation]);
  if (answer.status === 0 || [401, 403].includes(answer.status)) {
    throw new NotTestable(`the target ${describeAnswer(answer)} to the key of --other-api-key`);
  }
  return send;
}

/** An attempt to make. `spec` is undefined if the target names no operation for it. */
interface Step {
  does: Attempt['does'];
  spec: RequestSpec | undefined;
}

/** Actions that only read. The owner can send these requests first without changing the resource. */
const readActions: readonly Attempt['does'][] = ['read', 'events', 'list'];

/**
 * Makes the attempts whose operations the target names, one after the other. If `own` is given, it sends each request
 * that only reads with the key of the owner first.
 */
async function makeAttempts(send: SendAs, steps: readonly Step[], own?: SendAs): Promise<Attempt[]> {
  const attempts: Attempt[] = [];
  for (const { does, spec } of steps) {
    if (spec === undefined) continue;
    const asked = own !== undefined && readActions.includes(does) ? { own: await own(spec) } : {};
    attempts.push({ does, spec, exchange: await send(spec), ...asked });
  }
  return attempts;
}

/** Sends the owner's requests that end the resource. Called after all other attempts. */
async function endAsOwner(context: ScenarioContext, attempts: readonly Attempt[]): Promise<void> {
  for (const attempt of attempts) if (attempt.does === 'end') attempt.own = await context.send(attempt.spec);
}

function buildSpec(
  operation: string,
  place: OperationTarget | null,
  { generation, id }: { generation: Generation; id: string },
): RequestSpec | undefined {
  if (place === null) return undefined;
  const spec = { generation, operation, method: place.method, path: pathWithId(place.path, id) };
  return place.body === undefined ? spec : { ...spec, body: place.body };
}

/** Attempts of another project on a browser. */
export interface TenancyBrowser extends Tenancy {
  /**
   * True when a client could still drive the browser after the attempts; undefined if no second client could be
   * attached before them.
   */
  works: boolean | undefined;
}

/** Creates one standalone browser; records the attempts of another project on it. */
export const tenancyBrowser: Scenario<TenancyBrowser> = {
  name: 'tenancy-browser',
  creates: 'one V4 browser for another project to try',
  spend: 'browser',
  dispatches: 0,
  stateful: true,
  needsOtherKey: true,
  unavailable: noBrowsers,
  run: (context) => context.live(() => tryBrowser(context)),
};

async function tryBrowser(context: ScenarioContext): Promise<TenancyBrowser> {
  const { browsers } = context;
  const { startDeadlineMs, settleDeadlineMs } = context.target.polling;
  const send = await asOther(context, 'v4');
  const { created, browser } = await launch(context, {});
  if (browser === undefined) throw new NotTestable('no browser was created, or its answer lacks id or cdpUrl');
  const { id } = browser;
  const ping = (): Promise<void> => useBrowser(context, { browser, client: 'raw' }, (client) => client.ping());
  const started = await persist(context, startDeadlineMs, ping);
  if ('fault' in started) throw new NotTestable(`no client could be attached to the browser: ${started.fault}`);
  const takesSecond = !('fault' in (await persist(context, settleDeadlineMs, ping)));
  const before = (await browsers.get(id)) ?? created;
  if (!succeeded(before)) throw new NotTestable(`the owner's own look ${describeAnswer(before)}`);
  const looks = await readAsOwner(context, { ids: { browser: id } });
  const attempts = await makeAttempts(send, [
    { does: 'read', spec: browsers.request('get', id) },
    { does: 'list', spec: browsers.request('list', id) },
    { does: 'end', spec: browsers.request('stop', id) },
  ]);
  const after = (await browsers.get(id)) ?? created;
  const all = await tryEverything(context, { ids: { browser: id } }, { lists: ['v4.listBrowsers'], before: looks });
  const works = takesSecond ? !('fault' in (await persist(context, settleDeadlineMs, ping))) : undefined;
  await endBrowser(context, { id });
  return { id, before, after, attempts, works, all };
}
