import type { components } from '#generated/v2.ts';
import { type Problem, problem } from '#domain/problems.ts';
import type { Operation } from '#http/operation.ts';
import type { NewSession } from '../engine/create-session.ts';
import type { Caller } from '../shared/caller.ts';
import { oneShot } from '../shared/one-shot.ts';
import { tooMany } from '../shared/too-many.ts';
import type { SessionRow } from '../storage/sessions.ts';
import { bodyOf } from './body-of.ts';
import { renderSession } from './render-session.ts';
import { checkSessionSettings, settingsOf } from './session-settings.ts';

type CreateSession = components['schemas']['CreateSession'];

const shownLength = 200;
const openSchemes = new Set(['http:', 'https:']);

/** POST /sessions (companion 5.1 and 5.5): a session without a task, kept alive unless the request says otherwise. */
export const createSession: Operation<Caller, NewSession, SessionRow> = {
  decide(request, { rules }) {
    const body = bodyOf(request, 'CreateSession');
    return checkSessionSettings(body, []) ?? checkStartUrl(body) ?? newSession(body, rules.models.v2.default.model);
  },
  async apply(wanted, { engine, scope }) {
    const created = await engine.create(scope, wanted);
    return 'tooMany' in created ? tooMany(created.tooMany) : created.session;
  },
  render: (session, caller) => ({ status: 201, body: renderSession(session, caller) }),
};

function checkStartUrl({ startUrl }: CreateSession): Problem | null {
  if (startUrl === undefined || startUrl === null || openSchemes.has(URL.parse(startUrl)?.protocol ?? '')) return null;
  return problem('start_url_invalid', { found: startUrl.slice(0, shownLength) }, ['body', 'startUrl']);
}

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
