import { sessionStatus } from '#generated/states.ts';
import { normaliseModel } from '#contract/models.ts';
import { type Problem, problem } from '#contract/problems.ts';
import { getLimit } from '#contract/rule-book.ts';
import { defaultProxyCountry } from '#contract/screen.ts';
import { isJsonObject } from '#lib/json.ts';
import type { NewSession } from '#sessions/create-session.ts';
import type { RunSettings } from '#sessions/run-settings.ts';
import { flag } from '#store/tables/values.ts';
import type { SessionRow, SessionUpdate } from '#store/tables/sessions.ts';
import type { RequestContext } from '../common/request-context.ts';
import { readCeiling, checkCountry } from '../common/check-settings.ts';
import { tooMany } from '../common/refusals.ts';
import { checkProfile, checkProfileFree, useProfile } from '../common/sessions.ts';
import { checkWorkspace } from '../common/workspace-operations.ts';
import type { Operation, ParsedRequest } from '../operation.ts';
import {
  readBody,
  checkAvailability,
  checkBody,
  checkLevel,
  checkScript,
  readScriptSettings,
  type CreateBody,
  type CreateCommand,
  sensitiveData,
} from './check-body.ts';
import { renderSession } from './render-session.ts';

/** Creates a session, or with sessionId a follow-up task: POST /sessions (contract section 4; companion 6.2). */
export const createSession: Operation<RequestContext, CreateCommand, SessionRow> = {
  decide(request, context) {
    const body = readBody(request, 'CreateSession');
    return body.sessionId === undefined || body.sessionId === null
      ? decideNewSession(body, context)
      : decideFollowUp({ body, sessionId: body.sessionId, clientGone: request.clientGone }, context);
  },
  apply: (command, context) =>
    command.kind === 'create' ? create(command.wanted, context) : dispatch(command, context),
  render: (session, context) => ({ status: 200, body: renderSession(session, context) }),
};

async function create(wanted: NewSession, context: RequestContext): Promise<SessionRow | Problem> {
  const created = await context.engine.create(context.scope, { ...wanted, keyId: context.keyId });
  if ('tooMany' in created) return tooMany(created.tooMany);
  if ('profileHolder' in created) return problem('profile_in_use', { holder: created.profileHolder });
  await useProfile(wanted.profileId, context);
  return created.session;
}

/**
 * Dispatches a follow-up task. If the session is starting, first waits for its sandbox, at most as long as the limit
 * `followUpWait`.
 */
async function dispatch(
  command: CreateCommand & { kind: 'followUp' },
  context: RequestContext,
): Promise<SessionRow | Problem> {
  const { engine, scope } = context;
  const refusal = await checkProfileFree(command.session, context);
  if (refusal !== null) return refusal;
  let dispatched = await engine.followUp(command.session, command.wanted);
  if (dispatched === null && command.session.status === sessionStatus.created) {
    const wait = await engine.waitForSandbox(command.session, command.clientGone);
    if (wait === 'shuttingDown')
      return problem('shutting_down', { seconds: String(getLimit(context.rules, 'followUpWait') / 1_000) });
    if (wait === 'moved') dispatched = await engine.followUp(command.session, command.wanted);
  }
  if (dispatched !== null) return 'tooMany' in dispatched ? tooMany(dispatched.tooMany) : dispatched.session;
  const now = await engine.find(scope, command.session.id);
  return now === null ? problem('session_not_found', {}) : problem('session_not_idle', { status: now.status });
}

/**
 * Returns the command of a new session, or its refusal. Checks body, model and level, availability and country, and
 * then whether profile and workspace exist.
 */
async function decideNewSession(body: CreateBody, context: RequestContext): Promise<CreateCommand | Problem> {
  const model = normaliseModel(context.rules, 'v3', body.model ?? context.rules.models.v3.default.model);
  const refusal =
    (await checkBody(body, context)) ??
    checkScript(body, body.workspaceId) ??
    checkLevel(context, { model, level: body.thinkingLevel }) ??
    (await checkAvailability(context, { model, ownKey: wantsOwnKey(body) })) ??
    checkCountry(body, context) ??
    (await checkProfile(body.profileId, context)) ??
    (await checkWorkspace(context, body.workspaceId));
  return refusal ?? { kind: 'create', wanted: { ...newSession(body, model), secrets: sensitiveData(body) } };
}

/**
 * Returns whether the request asks for an own key, in either spelling of the option (contract section 2); `useOwnKey`
 * takes precedence.
 */
function wantsOwnKey(body: CreateBody): boolean {
  return body.useOwnKey ?? body.use_own_key ?? false;
}

function newSession(body: CreateBody, model: string): NewSession {
  return {
    task: body.task ?? null,
    model,
    modelParams: null,
    thinkingLevel: body.thinkingLevel ?? null,
    runSettings: taskSettings(body, body.workspaceId),
    ...readMode(body),
    ...readPlace(body),
  };
}

type Mode = Pick<NewSession, 'keepAlive' | 'codeMode' | 'outputSchema' | 'enableRecording' | 'useOwnKey' | 'inbox'>;

/** Returns the options of a session: lifetime, code mode, output schema, recording, own key and mailbox. */
function readMode(body: CreateBody): Mode {
  return {
    keepAlive: body.keepAlive ?? false,
    codeMode: body.codeMode ?? false,
    outputSchema: isJsonObject(body.outputSchema) ? body.outputSchema : null,
    enableRecording: body.enableRecording ?? false,
    useOwnKey: wantsOwnKey(body),
    inbox: body.inbox ?? true,
  };
}

/** Returns the settings that apply only to the task of this request. */
function taskSettings(body: CreateBody, workspaceId: string | null | undefined): RunSettings {
  return {
    ...readScriptSettings(body, workspaceId),
    ...(body.enableScheduledTasks === true ? { mayProposeSchedules: true } : {}),
    ...(body.skills === false ? { usesSkills: false } : {}),
  };
}

/** Returns the profile, workspace, proxy country, screen and cost limit of a session. */
function readPlace(
  body: CreateBody,
): Omit<NewSession, keyof Mode | 'task' | 'model' | 'modelParams' | 'thinkingLevel'> {
  const { browserScreenWidth: width, browserScreenHeight: height } = body;
  return {
    profileId: body.profileId ?? null,
    workspaceId: body.workspaceId?.toLowerCase() ?? null,
    proxyCountryCode: body.proxyCountryCode === undefined ? defaultProxyCountry : body.proxyCountryCode,
    maxCostMicros: readCeiling(body.maxCostUsd),
    screen: typeof width === 'number' && typeof height === 'number' ? { width, height } : null,
    startUrl: null,
    persistMemory: true,
    resumable: false,
  };
}

/** A follow-up request with its session id. */
interface FollowUpRequest {
  readonly body: CreateBody;
  readonly sessionId: string;
  readonly clientGone: ParsedRequest['clientGone'] | undefined;
}

/**
 * Returns the command of a follow-up task, or its refusal. The `model` of the request is ignored: the session keeps its
 * model, and generated clients send the default of the schema. The session is looked up before the requested level is
 * checked, because the session's model determines the valid levels (contract section 4, V3 follow-up rule 4). The write
 * itself checks that the session is idle.
 */
async function decideFollowUp(
  { body, sessionId, clientGone }: FollowUpRequest,
  context: RequestContext,
): Promise<CreateCommand | Problem> {
  const task = body.task ?? null;
  if (task === null) return problem('task_required', {}, ['body', 'task']);
  const refusedBody = await checkBody(body, context);
  if (refusedBody !== null) return refusedBody;
  const session = await context.engine.find(context.scope, sessionId);
  if (session === null) return problem('session_not_found', {});
  const refusedWorkspace = await checkWorkspace(context, body.workspaceId);
  if (refusedWorkspace !== null) return refusedWorkspace;
  const refusal =
    checkScript(body, session.workspaceId) ??
    checkLevel(context, { model: session.model, level: body.thinkingLevel }) ??
    (await checkAvailability(context, { model: session.model, ownKey: servesOwnKey(body, session) }));
  return (
    refusal ?? {
      kind: 'followUp',
      session,
      clientGone: clientGone?.() ?? never,
      wanted: {
        task,
        secrets: sensitiveData(body),
        settings: changedSettings(body, session),
        runSettings: taskSettings(body, session.workspaceId),
      },
    }
  );
}

/** Signal for requests without a connection; never aborts. */
const never = new AbortController().signal;

/** Returns whether a follow-up uses an own key: by its own option, else by the option of its session. */
function servesOwnKey(body: CreateBody, session: SessionRow): boolean {
  const isSaid = body.useOwnKey !== undefined || body.use_own_key !== undefined;
  return isSaid ? wantsOwnKey(body) : session.useOwnKey === 1;
}

/**
 * Returns the session settings that a follow-up changes (follow-up rules 1 to 3). A value in the request replaces the
 * setting, null clears the setting, and an absent member keeps the setting.
 */
function changedSettings(body: CreateBody, session: SessionRow): SessionUpdate {
  return {
    ...(body.thinkingLevel === undefined ? {} : { thinkingLevel: body.thinkingLevel }),
    useOwnKey: flag(servesOwnKey(body, session)),
    ...(body.keepAlive === undefined ? {} : { keepAlive: flag(body.keepAlive) }),
    ...(body.codeMode === undefined ? {} : { codeMode: flag(body.codeMode) }),
    ...(body.outputSchema === undefined
      ? {}
      : { outputSchema: body.outputSchema === null ? null : JSON.stringify(body.outputSchema) }),
    ...(body.maxCostUsd === undefined ? {} : { maxCostMicros: readCeiling(body.maxCostUsd) }),
  };
}
