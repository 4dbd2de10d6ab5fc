import type { Secret } from '#agent/redaction/secrets.ts';
import { hasInputs } from '#agent/script/template.ts';
import { checkOwnKey, checkThinkingLevel } from '#contract/model-controls.ts';
import { isNative, modelRow } from '#contract/models.ts';
import { type Problem, problem } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { components } from '#generated/v3.ts';
import type { NewSession } from '#sessions/create-session.ts';
import type { FollowUp } from '#sessions/follow-up.ts';
import type { RunSettings } from '#sessions/run-settings.ts';
import type { SessionRow } from '#store/tables/sessions.ts';
import { type ReadBody, type RequestContext, createBodyReader } from '../common/request-context.ts';
import { checkCeiling, checkProvider, checkSchema, checkScreen } from '../common/check-settings.ts';
import { checkSecrets, readSecrets } from '../common/secrets.ts';

/**
 * Returns the refusal of a body with a fault that the validator of its schema does not check: an incomplete screen
 * size, a cost limit out of range, an unusable output schema, unusable secrets. Null for a valid body.
 */
export async function checkBody(body: CreateBody, context: RequestContext): Promise<Problem | null> {
  const screen = { width: body.browserScreenWidth, height: body.browserScreenHeight };
  return (
    checkScreen(screen, ['body', 'browserScreenWidth']) ??
    checkCeiling(body.maxCostUsd, '0') ??
    (await checkSchema(body.outputSchema, context)) ??
    checkSensitiveData(body, context.rules)
  );
}

/**
 * Returns the refusal of `cacheScript` without a workspace; else null. `workspaceId` is the workspace of the session;
 * for a new session, the workspace of the request.
 */
export function checkScript({ cacheScript }: CreateBody, workspaceId: string | null | undefined): Problem | null {
  const isLacking = cacheScript === true && typeof workspaceId !== 'string';
  return isLacking ? problem('script_without_workspace', {}, ['body', 'cacheScript']) : null;
}

/**
 * Returns the script settings of a task (companion 6.2, `cacheScript`); {} for a task without a script. When
 * `cacheScript` is absent or null, a task uses a script if its text has marked inputs and it has a workspace.
 */
export function readScriptSettings(body: CreateBody, workspaceId: string | null | undefined): RunSettings {
  const { cacheScript = null, autoHeal = true, task } = body;
  const isWanted = cacheScript ?? (typeof task === 'string' && hasInputs(task));
  return isWanted && typeof workspaceId === 'string' ? { script: { autoHeal } } : {};
}

/** Returns the secrets of a task (companion 6.2, `sensitiveData`). Their values may be typed on all pages. */
export function sensitiveData(body: CreateBody): Secret[] {
  return readSecrets(body.sensitiveData, () => null);
}

/** Returns the refusal of secrets in a request without a task, or of secret values that are too long; else null. */
function checkSensitiveData(body: CreateBody, rules: RuleBook): Problem | null {
  const secrets = sensitiveData(body);
  if (secrets.length === 0) return null;
  if (typeof body.task !== 'string') return problem('secrets_without_task', {}, ['body', 'sensitiveData']);
  return checkSecrets(secrets, ({ name }) => ['sensitiveData', name], rules);
}

/**
 * Returns the refusal of a model that the caller cannot use; else null (contract section 2, availability; companion
 * 6.2). Refuses a model that requires an own key if the request does not ask for the own key, an own key that the
 * project has not stored, and a model without a route. In a service without providers, the offline planner serves all
 * native models (decision record 2), unless the service requires a provider.
 */
export async function checkAvailability(
  context: RequestContext,
  wanted: { model: string; ownKey: boolean },
): Promise<Problem | null> {
  const { rules, modelRoutes } = context;
  const refusal = checkOwnKey(rules, wanted);
  if (refusal !== null) return problem(refusal.code, refusal.values, ['body', ...refusal.path]);
  const row = modelRow(rules, 'v3', wanted.model);
  const provider = row?.provider ?? 'unknown';
  if (!wanted.ownKey) {
    const isServed = row === undefined || isNative(row, modelRoutes);
    if (!isServed) return problem('model_without_route', { model: wanted.model, provider }, ['body', 'model']);
    return checkProvider({ model: wanted.model, member: 'model' }, context);
  }
  if (await context.hasProviderKey(provider)) return null;
  return problem('own_key_missing', { model: wanted.model, provider }, ['body', 'useOwnKey']);
}

/**
 * Returns the refusal of a level that the model does not support, before anything is dispatched; else null (contract
 * section 7).
 */
export function checkLevel(
  { rules }: RequestContext,
  pair: { model: string; level: string | null | undefined },
): Problem | null {
  const refusal = checkThinkingLevel(rules, { version: 'v3', ...pair });
  return refusal === null ? null : problem(refusal.code, refusal.values, ['body', ...refusal.path]);
}

/** Reads the body of a V3 request. */
export const readBody: ReadBody<components['schemas']> = createBodyReader();

/** The parsed body of POST /sessions. */
export type CreateBody = components['schemas']['CreateSession'];

/** The decided command of a POST /sessions: a new session or a follow-up. */
export type CreateCommand =
  | { readonly kind: 'create'; readonly wanted: NewSession }
  | {
      readonly kind: 'followUp';
      readonly session: SessionRow;
      readonly wanted: FollowUp;
      /** Aborts when the client disconnects. */
      readonly clientGone: AbortSignal;
    };
