import type { components } from '#generated/v2.ts';
import { isProblem, problem } from '#contract/problems.ts';
import type { Operation } from '../operation.ts';
import type { NewSession } from '#sessions/create-session.ts';
import type { Caller } from '../common/caller.ts';
import { checkCountry } from '../common/check-country.ts';
import { readCustomProxy } from '../common/custom-proxy.ts';
import { checkProfile, useProfile } from '../common/named-profile.ts';
import { oneShot } from '../common/one-shot.ts';
import { tooMany } from '../common/too-many.ts';
import type { SessionRow } from '#store/sessions.ts';
import { bodyOf } from './body-of.ts';
import { renderSession } from './render-session.ts';
import { checkStartUrl } from './run-settings.ts';
import { settingsOf } from './session-settings.ts';

type CreateSession = components['schemas']['CreateSession'];

/** POST /sessions (companion 5.1 and 5.5): a session without a task, kept alive unless the request says otherwise. */
export const createSession: Operation<Caller, NewSession, SessionRow> = {
  async decide(request, caller) {
    const body = bodyOf(request, 'CreateSession');
    const refusal = checkStartUrl(body.startUrl);
    if (refusal !== null) return refusal;
    const customProxy = readCustomProxy(body.customProxy, ['customProxy']);
    if (isProblem(customProxy)) return customProxy;
    const wanted = { ...newSession(body, caller.rules.models.v2.default.model), customProxy };
    return checkCountry(body, caller) ?? (await checkProfile(body.profileId, caller)) ?? wanted;
  },
  async apply(wanted, caller) {
    const created = await caller.engine.create(caller.scope, wanted);
    if ('tooMany' in created) return tooMany(created.tooMany);
    if ('profileHolder' in created) return problem('profile_in_use', { holder: created.profileHolder });
    await useProfile(wanted.profileId, caller);
    return created.session;
  },
  render: (session, caller) => ({ status: 201, body: renderSession(session, caller) }),
};

function newSession(body: CreateSession, model: string): NewSession {
  return {
    ...oneShot,
    task: null,
    model,
    keepAlive: body.keepAlive ?? true,
    persistMemory: body.persistMemory ?? true,
    startUrl: body.startUrl ?? null,
    ...settingsOf(body),
  };
}
