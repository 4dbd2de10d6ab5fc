import type { components } from '#generated/v2.ts';
import type { Operation } from '#http/operation.ts';
import type { NewSession } from '../engine/create-session.ts';
import type { Caller } from '../shared/caller.ts';
import { oneShot } from '../shared/one-shot.ts';
import { tooMany } from '../shared/too-many.ts';
import type { SessionRow } from '../storage/sessions.ts';
import { bodyOf } from './body-of.ts';
import { renderSession } from './render-session.ts';
import { checkStartUrl } from './run-settings.ts';
import { checkSessionSettings, settingsOf } from './session-settings.ts';

type CreateSession = components['schemas']['CreateSession'];

/** POST /sessions (companion 5.1 and 5.5): a session without a task, kept alive unless the request says otherwise. */
export const createSession: Operation<Caller, NewSession, SessionRow> = {
  decide(request, { rules }) {
    const body = bodyOf(request, 'CreateSession');
    return (
      checkSessionSettings(body, []) ?? checkStartUrl(body.startUrl) ?? newSession(body, rules.models.v2.default.model)
    );
  },
  async apply(wanted, { engine, scope }) {
    const created = await engine.create(scope, wanted);
    return 'tooMany' in created ? tooMany(created.tooMany) : created.session;
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
