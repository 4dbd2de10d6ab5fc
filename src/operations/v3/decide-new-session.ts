import { isJsonObject } from '#lib/json.ts';
import type { Problem } from '#contract/problems.ts';
import { normaliseModel } from '#contract/models.ts';
import type { NewSession } from '#sessions/create-session.ts';
import type { Caller } from '../common/caller.ts';
import { checkCountry, ceilingOf } from '../common/check-settings.ts';
import { defaultProxyCountry } from '#contract/screen.ts';
import { checkWorkspace } from '../common/workspace-operations.ts';
import { checkProfile } from '../common/sessions.ts';
import { checkAvailability, checkBody, checkScript, sensitiveData, checkLevel } from './check-body.ts';
import type { CreateBody, CreateCommand } from './create-command.ts';

/** Decides a new session. Refusals in the order of design section 8: body, model and level, availability, existence. */
export async function decideNewSession(body: CreateBody, caller: Caller): Promise<CreateCommand | Problem> {
  const model = normaliseModel(caller.rules, 'v3', body.model ?? caller.rules.models.v3.default.model);
  const refusal =
    (await checkBody(body, caller)) ??
    checkScript(body, body.workspaceId) ??
    checkLevel(caller, { model, level: body.thinkingLevel }) ??
    (await checkAvailability(caller, { model, ownKey: wantsOwnKey(body) })) ??
    checkCountry(body, caller) ??
    (await checkProfile(body.profileId, caller)) ??
    (await checkWorkspace(caller, body.workspaceId));
  return refusal ?? { kind: 'create', wanted: { ...newSession(body, model), secrets: sensitiveData(body) } };
}

/** The own-key option in either spelling (contract section 2); `useOwnKey` wins where both are given. */
export function wantsOwnKey(body: CreateBody): boolean {
  return body.useOwnKey ?? body.use_own_key ?? false;
}

function newSession(body: CreateBody, model: string): NewSession {
  return {
    task: body.task ?? null,
    model,
    modelParams: null,
    thinkingLevel: body.thinkingLevel ?? null,
    ...modeOf(body),
    ...placeOf(body),
  };
}

type Mode = Pick<NewSession, 'keepAlive' | 'codeMode' | 'outputSchema' | 'enableRecording' | 'useOwnKey' | 'inbox'>;

/** How the agent works and what it leaves behind. */
function modeOf(body: CreateBody): Mode {
  return {
    keepAlive: body.keepAlive ?? false,
    codeMode: body.codeMode ?? false,
    outputSchema: isJsonObject(body.outputSchema) ? body.outputSchema : null,
    enableRecording: body.enableRecording ?? false,
    useOwnKey: wantsOwnKey(body),
    inbox: body.inbox ?? true,
  };
}

/** Where it works: browser, workspace, proxy, and what it may cost. */
function placeOf(body: CreateBody): Omit<NewSession, keyof Mode | 'task' | 'model' | 'modelParams' | 'thinkingLevel'> {
  const { browserScreenWidth: width, browserScreenHeight: height } = body;
  return {
    profileId: body.profileId ?? null,
    workspaceId: body.workspaceId?.toLowerCase() ?? null,
    proxyCountryCode: body.proxyCountryCode === undefined ? defaultProxyCountry : body.proxyCountryCode,
    maxCostMicros: ceilingOf(body.maxCostUsd),
    screen: typeof width === 'number' && typeof height === 'number' ? { width, height } : null,
    startUrl: null,
    persistMemory: true,
    resumable: false,
  };
}
