import { runState } from '#generated/states.ts';
import type { components } from '#generated/v4.ts';
import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { type Problem, isProblem, problem, problemDetails, validationProblem } from '#contract/problems.ts';
import { shownStatus } from '#contract/lifecycle.ts';
import type { Operation } from '../operation.ts';
import type { NewSession } from '#sessions/create-session.ts';
import type { FollowUp } from '#sessions/follow-up.ts';
import type { RequestContext } from '../common/request-context.ts';
import { checkCountry, readCeiling, checkCeiling, checkProvider, checkSchema } from '../common/check-settings.ts';
import { useProfile, checkProfileFree, oneShot } from '../common/sessions.ts';
import { checkWorkspace } from '../common/workspace-operations.ts';
import { readScreen } from '#contract/screen.ts';
import { tooMany } from '../common/refusals.ts';
import { flag } from '#store/tables/values.ts';
import type { SessionRow } from '#store/tables/sessions.ts';
import { readBody, checkSecretBindings } from './body.ts';
import { type BrowserChoice, checkSameProfile, readBrowserChoice } from './browsers.ts';
import { ownMembers } from './render.ts';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import { type ParamsQuery, listModelParamsRefusals } from '#contract/model-controls.ts';

type CreateRun = components['schemas']['CreateRun'];

type Command =
  | { readonly kind: 'create'; readonly wanted: NewSession }
  | { readonly kind: 'followUp'; readonly session: SessionRow; readonly wanted: FollowUp & { readonly model: string } };

interface Accepted {
  readonly runId: string;
  readonly sessionId: string;
  readonly workspaceId: string;
  readonly missingFileIds: readonly string[];
  readonly model: string;
  readonly state: 'queued' | 'running';
}

/** Creates a run in a new or given session: POST /runs (contract section 4; companion 7.2, 7.3 and 7.10). */
export const createRun: Operation<RequestContext, Command, Accepted> = {
  async decide(request, context) {
    const body = readBody(request, 'CreateRun');
    const model = body.model ?? context.rules.models.v4.default.model;
    const modelParams = isJsonObject(body.modelParams) ? body.modelParams : null;
    const refusal = (await checkBody(body, context)) ?? (await checkModel({ model, params: modelParams }, context));
    if (refusal !== null) return refusal;
    const choice = await readBrowserChoice(body.browserSettings, context);
    if (isProblem(choice)) return choice;
    const isNew = typeof body.sessionId !== 'string';
    // A follow-up that names no country keeps the country of its session.
    const noExit =
      isNew || isCountryNamed(body) ? checkCountry(body.browserSettings ?? {}, context, ['browserSettings']) : null;
    if (noExit !== null) return noExit;
    if (!isNew) return followUp(body, { model, modelParams, choice }, context);
    const refusedWorkspace = await checkWorkspace(context, body.workspaceId);
    return refusedWorkspace ?? { kind: 'create', wanted: { ...newSession(body, model, modelParams), ...choice } };
  },
  apply: (command, context) =>
    command.kind === 'create' ? create(command.wanted, context) : dispatch(command, context),
  render: ({ runId, sessionId, workspaceId, missingFileIds, model, state }, { addresses, rules }) => ({
    status: 200,
    body: {
      id: runId,
      status: shownStatus(rules, 'v4', state),
      model,
      sessionId,
      workspaceId,
      missingFileIds: [...missingFileIds],
      eventsUrl: addresses.api(`/api/v4/runs/${runId}/events`),
    },
  }),
};

function isCountryNamed({ browserSettings }: CreateRun): boolean {
  return typeof browserSettings?.proxyCountryCode === 'string';
}

async function checkBody(body: CreateRun, context: RequestContext): Promise<Problem | null> {
  const refusal = checkCeiling(body.maxCostUsd, '0.000001') ?? (await checkSchema(body.outputSchema, context));
  return refusal ?? checkSecretBindings(body, context.rules);
}

function newSession(body: CreateRun, model: string, modelParams: JsonObject | null): NewSession {
  const { proxyCountryCode, screenWidth, screenHeight, record } = body.browserSettings ?? {};
  return {
    ...oneShot,
    task: body.task,
    model,
    modelParams,
    keepAlive: true,
    resumable: true,
    workspaceId: body.workspaceId?.toLowerCase() ?? null,
    opensWorkspace: true,
    attachedFileIds: body.attachedFileIds ?? [],
    runCostMicros: readCeiling(body.maxCostUsd),
    inbox: body.inbox ?? false,
    ...ownMembers(body),
    ...(proxyCountryCode === undefined ? {} : { proxyCountryCode }),
    screen: readScreen(screenWidth, screenHeight),
    enableRecording: record === true,
  };
}

/**
 * Returns the command of a follow-up run, or its refusal. Browser settings that the request lacks keep their values in
 * the session. New values apply from the next browser of the session (companion 7.2.1).
 */
async function followUp(
  body: CreateRun,
  { model, modelParams, choice }: { model: string; modelParams: JsonObject | null; choice: BrowserChoice },
  context: RequestContext,
): Promise<Command | Problem> {
  const session = await context.engine.find(context.scope, body.sessionId ?? '');
  if (session === null) return problem('session_not_found', {});
  const refusal =
    checkSameProfile(choice, session) ??
    (await checkWorkspace(context, body.workspaceId)) ??
    checkSame(session, body.workspaceId);
  if (refusal !== null) return refusal;
  const { proxyCountryCode, screenWidth, screenHeight, record } = body.browserSettings ?? {};
  const settings = {
    ...(proxyCountryCode === undefined ? {} : { proxyCountryCode }),
    ...(screenWidth === undefined ? {} : { screenWidth }),
    ...(screenHeight === undefined ? {} : { screenHeight }),
    ...(typeof record === 'boolean' ? { enableRecording: flag(record) } : {}),
  };
  const run = {
    task: body.task,
    runCostMicros: readCeiling(body.maxCostUsd),
    runProxy: choice.runProxy,
    attachedFileIds: body.attachedFileIds ?? [],
    ...ownMembers(body),
  };
  const wanted = { ...run, model, modelParams, settings: { ...settings, ...mailbox(body, session, context) } };
  return { kind: 'followUp', session, wanted };
}

/**
 * Returns a new mailbox address for a session if the run requests a mailbox, the session has no mailbox, and the
 * service has mail; else {}.
 */
function mailbox({ inbox }: CreateRun, session: SessionRow, { engine }: RequestContext): { inboxEmail?: string } {
  const address = inbox === true && session.inboxEmail === null ? engine.newMailAddress() : null;
  return address === null ? {} : { inboxEmail: address };
}

/**
 * Returns the refusal of a workspace that differs from the session's workspace, which never changes; else null
 * (companion 3.1, session and workspace pairing).
 */
function checkSame({ workspaceId: own }: SessionRow, found: string | null | undefined): Problem | null {
  if (found === null || found === undefined || found.toLowerCase() === own) return null;
  return problem('workspace_differs', { own: own ?? 'none', found });
}

async function create(wanted: NewSession, context: RequestContext): Promise<Accepted | Problem> {
  const created = await context.engine.create(context.scope, { ...wanted, keyId: context.keyId });
  if ('tooMany' in created) return tooMany(created.tooMany);
  if ('profileHolder' in created) return problem('profile_in_use', { holder: created.profileHolder });
  await useProfile(wanted.profileId, context);
  if (created.runId === null) throw new Error('a session with a task was made without a run');
  const { runId, session, missingFileIds } = created;
  return { ...sessionAndWorkspace(session), runId, missingFileIds, model: wanted.model, state: runState.queued };
}

async function dispatch(
  { session, wanted }: Command & { kind: 'followUp' },
  context: RequestContext,
): Promise<Accepted | Problem> {
  const { engine, scope } = context;
  const refusal = await checkProfileFree(session, context);
  if (refusal !== null) return refusal;
  const dispatched = await engine.followUp(session, wanted);
  if (dispatched !== null && 'tooMany' in dispatched) return tooMany(dispatched.tooMany);
  if (dispatched !== null) {
    const { runId, missingFileIds } = dispatched;
    return { ...sessionAndWorkspace(session), runId, missingFileIds, model: wanted.model, state: runState.running };
  }
  const now = await engine.find(scope, session.id);
  return now === null ? problem('session_not_found', {}) : problem('run_active', {});
}

/**
 * Returns the ids of a session and of its workspace. Throws without a workspace, because every V4 session has a
 * workspace from its creation.
 */
function sessionAndWorkspace({ id, workspaceId }: SessionRow): Pick<Accepted, 'sessionId' | 'workspaceId'> {
  if (workspaceId === null) throw new Error(`the session ${id} was made without a workspace`);
  return { sessionId: id, workspaceId: workspaceId };
}

async function checkModel(
  query: ParamsQuery & { readonly model: string },
  context: RequestContext,
): Promise<Problem | null> {
  return checkParams(context.rules, query) ?? checkProvider({ model: query.model, member: 'model' }, context);
}

/**
 * Returns the refusal of unsupported modelParams; else null. The refusal has one detail for each unsupported value, at
 * most as many as the limit `requestFaults`. Runs before anything is dispatched (contract section 7).
 */
function checkParams(rules: RuleBook, query: ParamsQuery): Problem | null {
  const refusals = listModelParamsRefusals(rules, query);
  if (refusals.length === 0) return null;
  const told = refusals.slice(0, getLimit(rules, 'requestFaults'));
  return validationProblem(
    told.flatMap(({ code, values, path }) => problemDetails(problem(code, values, ['body', ...path]), rules)),
  );
}
