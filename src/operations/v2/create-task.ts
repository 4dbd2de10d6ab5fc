import type { components } from '#generated/v2.ts';
import { isTerminal } from '#contract/lifecycle.ts';
import { type Problem, isProblem, problem } from '#contract/problems.ts';
import { checkThinkingLevel } from '#contract/model-controls.ts';
import type { Operation } from '../operation.ts';
import type { NewSession } from '#sessions/create-session.ts';
import type { FollowUp } from '#sessions/follow-up.ts';
import type { RunSettings } from '#sessions/run-settings.ts';
import type { RequestContext } from '../common/request-context.ts';
import { checkCountry, checkProvider } from '../common/check-settings.ts';
import { checkProfile, useProfile, checkProfileFree, oneShot } from '../common/sessions.ts';
import { tooMany } from '../common/refusals.ts';
import type { SessionRow } from '#store/tables/sessions.ts';
import { readBody, checkTaskSecrets, runSettings, taskSecrets } from './run-settings.ts';
import { readSettings } from './sessions.ts';

type CreateTask = components['schemas']['CreateTask'];

type Command =
  | { readonly kind: 'create'; readonly wanted: NewSession }
  | { readonly kind: 'followUp'; readonly session: SessionRow; readonly wanted: FollowUp };

interface Accepted {
  readonly id: string;
  readonly sessionId: string;
}

/**
 * Creates a task in a given session, or in a new one that ends with it: POST /tasks (contract section 4; companion 5.1
 * and V2S4).
 */
export const createTask: Operation<RequestContext, Command, Accepted> = {
  async decide(request, context) {
    const body = readBody(request, 'CreateTask');
    const model = body.llm ?? context.rules.models.v2.default.model;
    const refusal = await checkBody(body, model, context);
    if (refusal !== null) return refusal;
    const settings = await runSettings(body, context);
    if (isProblem(settings)) return settings;
    const { sessionId = null } = body;
    if (sessionId !== null) return followUp(body, { model, sessionId, runSettings: settings }, context);
    return (await checkSettings(body, context)) ?? create(body, model, settings);
  },
  apply: (command, context) => (command.kind === 'create' ? open(command.wanted, context) : dispatch(command, context)),
  render: (accepted) => ({ status: 202, body: accepted }),
};

async function checkBody(body: CreateTask, model: string, context: RequestContext): Promise<Problem | null> {
  return (
    checkSettingsPlace(body) ??
    checkLevel(body, model, context) ??
    checkTaskSecrets(body, context.rules) ??
    (await checkProvider({ model, member: 'llm' }, context)) ??
    checkJudge(body, context)
  );
}

function checkJudge({ judge, judgeLlm }: CreateTask, context: RequestContext): Promise<Problem | null> | null {
  const isAsked = judge === true && typeof judgeLlm === 'string';
  return isAsked ? checkProvider({ model: judgeLlm, member: 'judgeLlm' }, context) : null;
}

function checkSettingsPlace({ sessionId, sessionSettings }: CreateTask): Problem | null {
  if (sessionSettings === undefined || sessionSettings === null || typeof sessionId !== 'string') return null;
  return problem('settings_with_session', {}, ['body', 'sessionSettings']);
}

/** Refuses settings of a new session that name an unknown profile or workspace. */
async function checkSettings({ sessionSettings }: CreateTask, context: RequestContext): Promise<Problem | null> {
  const settings = sessionSettings ?? {};
  return checkCountry(settings, context, ['sessionSettings']) ?? (await checkProfile(settings.profileId, context));
}

/**
 * Refuses an unsupported thinkingLevel. The legacy switch `thinking` neither selects a level nor replaces it (contract
 * section 4).
 */
function checkLevel({ thinkingLevel }: CreateTask, model: string, { rules }: RequestContext): Problem | null {
  const refusal = checkThinkingLevel(rules, { version: 'v2', model, level: thinkingLevel });
  return refusal === null ? null : problem(refusal.code, refusal.values, ['body', ...refusal.path]);
}

function create(body: CreateTask, model: string, settings: RunSettings): Command {
  const { task, thinkingLevel = null, sessionSettings } = body;
  const chosen = readSettings(sessionSettings ?? {});
  const run = { task, model, thinkingLevel, runSettings: settings, secrets: taskSecrets(body) };
  return { kind: 'create', wanted: { ...oneShot, ...run, ...chosen } };
}

async function followUp(
  body: CreateTask,
  { sessionId, ...run }: { model: string; sessionId: string; runSettings: RunSettings },
  { engine, scope }: RequestContext,
): Promise<Command | Problem> {
  const session = await engine.find(scope, sessionId);
  if (session === null) return problem('session_not_found', {});
  const { task, thinkingLevel = null } = body;
  const settings = { thinkingLevel };
  return { kind: 'followUp', session, wanted: { task, ...run, secrets: taskSecrets(body), settings } };
}

async function open(wanted: NewSession, context: RequestContext): Promise<Accepted | Problem> {
  const created = await context.engine.create(context.scope, { ...wanted, keyId: context.keyId });
  if ('tooMany' in created) return tooMany(created.tooMany);
  if ('profileHolder' in created) return problem('profile_in_use', { holder: created.profileHolder });
  await useProfile(wanted.profileId, context);
  if (created.runId === null) throw new Error('a session with a task was made without a run');
  return { id: created.runId, sessionId: created.session.id };
}

/**
 * Dispatches a task to an idle session at once, and queues it for a starting session (companion 3.1: otherwise 400). A
 * session that becomes idle between both attempts gets the task too.
 */
async function dispatch(
  { session, wanted }: Command & { kind: 'followUp' },
  context: RequestContext,
): Promise<Accepted | Problem> {
  const { engine, scope, rules } = context;
  const refusal = await checkProfileFree(session, context);
  if (refusal !== null) return refusal;
  const accepted =
    (await engine.followUp(session, wanted)) ??
    (await engine.waitForStart(session, wanted)) ??
    (await engine.followUp(session, wanted));
  if (accepted !== null && 'tooMany' in accepted) return tooMany(accepted.tooMany);
  if (accepted !== null) return { id: accepted.runId, sessionId: session.id };
  const now = await engine.find(scope, session.id);
  if (now === null) return problem('session_not_found', {});
  const hasEnded = isTerminal(rules.lifecycle, now.status);
  return hasEnded ? problem('session_stopped', {}) : problem('session_busy', {});
}
