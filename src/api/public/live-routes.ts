import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { LiveAccess, LiveLimits } from '#browsers/index.ts';
import type { Owners } from '#cluster/owners.ts';
import { isTerminal } from '#contract/lifecycle.ts';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import { browserStatus } from '#generated/states.ts';
import type { AccessTokens } from '#lib/vault.ts';
import type { Engine } from '#sessions/create-engine.ts';
import type { StandaloneBrowsers } from '#sessions/standalone/index.ts';
import { type LiveTarget, findLiveTarget } from '#store/queries/access-tokens.ts';
import { endedPage, livePage } from './live-page.ts';
import type { Executor } from '#store/executor.ts';

/**
 * Adds the live view pages: their URL grants access without a key, and any site may embed them (contract 2, liveUrl).
 */
export function addLiveRoutes(app: FastifyInstance, deps: LiveDeps): void {
  app.get<{ Params: { token: string } }>('/live/:token', async (request, reply) => {
    const { token } = request.params;
    const ownerUrl = await placeElsewhere(deps, token);
    // The page must be served by the process that runs the browser: its websocket connects to the page's origin.
    if (ownerUrl !== null) return reply.header('cache-control', 'no-store').redirect(`${ownerUrl}/live/${token}`, 307);
    const door = await findLiveAccess(deps, token);
    const nonce = randomBytes(16).toString('base64');
    const html = door === null ? endedPage(nonce) : livePage(nonce, door.mode);
    return withHeaders(reply.code(door === null ? 404 : 200), nonce).send(html);
  });
}

/** Returns the public URL of the process that owns the resource of a token, if it is another process. */
async function placeElsewhere({ db, owners }: LiveDeps, token: string): Promise<string | null> {
  const place = await findLiveTarget(db, token);
  return place === null || !owners.isElsewhere(place) ? null : place.ownerUrl;
}

/** Sets headers that allow only the page's own script, style and connection, and no referrer. */
function withHeaders(reply: FastifyReply, nonce: string): FastifyReply {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    'frame-ancestors *',
  ];
  return reply
    .headers({
      'content-security-policy': policy.join('; '),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
      'cache-control': 'private, no-store',
    })
    .type('text/html; charset=utf-8');
}

/** Dependencies of live views. */
export interface LiveDeps {
  readonly db: Executor;
  readonly tokens: Pick<AccessTokens, 'read'>;
  readonly engine: Pick<Engine, 'watch'>;
  readonly browsers: Pick<StandaloneBrowsers, 'watch'>;
  readonly rules: RuleBook;
  readonly owners: Pick<Owners, 'isElsewhere'>;
}

/** Returns the resource that a token opens; null for an unknown token, and when its session or browser has ended. */
export async function findLiveAccess(
  { db, tokens, engine, browsers, rules }: LiveDeps,
  token: string,
): Promise<LiveAccess | null> {
  const place = await findLiveTarget(db, token);
  if (place === null || hasEnded(place, rules)) return null;
  const { kind, id, right } = place;
  return {
    key: id,
    kind,
    mode: right === 'control' ? 'interactive' : 'view',
    viewOnlyPath: right === 'control' ? `/live/${tokens.read(place, 'view')}` : null,
    // In a session the agent works, and a dialog that waits for a viewer would block it.
    answersDialogs: right === 'control' && kind === 'browser',
    watch: (viewer) =>
      kind === 'browser' ? browsers.watch(id, viewer) : engine.watch(id, { viewer, isShare: right === 'share' }),
  };
}

function hasEnded(target: LiveTarget, { lifecycle }: RuleBook): boolean {
  return target.kind === 'browser' ? target.status === browserStatus.stopped : isTerminal(lifecycle, target.status);
}

/** Returns the limits of the live view from spec/rules/limits.yaml. */
export function liveLimits(rules: RuleBook): LiveLimits {
  return {
    messageBytesMax: getLimit(rules, 'liveMessage'),
    backlogBytesMax: getLimit(rules, 'liveBacklog'),
    unshownMax: getLimit(rules, 'liveUnshown'),
    viewersMax: getLimit(rules, 'liveViewers'),
    aliveIntervalMs: getLimit(rules, 'liveAliveInterval'),
    pingIntervalMs: getLimit(rules, 'cdpPingInterval'),
    pingsUnansweredMax: getLimit(rules, 'cdpPingsUnanswered'),
    turnMessagesMax: getLimit(rules, 'cdpTurnMessages'),
    turnBytesMax: getLimit(rules, 'cdpTurnBytes'),
  };
}
