import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { LiveAccess, LiveLimits } from '#browsers/index.ts';
import type { Owners } from '#cluster/owners.ts';
import { isTerminal } from '#contract/lifecycle.ts';
import { type RuleBook, getLimit } from '#contract/rule-book.ts';
import { browserStatus } from '#generated/states.ts';
import type { AccessTokens } from '#lib/vault.ts';
import type { Engine } from '#sessions/create-engine.ts';
import type { StandaloneBrowsers } from '#sessions/standalone/index.ts';
import { type LiveTarget, findLiveTarget } from '#store/queries/access-tokens.ts';
import type { Executor } from '#store/executor.ts';
import type { LiveMode } from '#contract/live-messages.ts';
import { liveViewScript } from '#generated/live-view.ts';
import { type Html, html } from './html.ts';

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
    const page = door === null ? endedPage(nonce) : livePage(nonce, door.mode);
    return withHeaders(reply.code(door === null ? 404 : 200), nonce).send(page);
  });
}

/**
 * Returns the public URL of the process that owns the session or browser of a token. Null if this process is the owner,
 * if no owner is known, and for an unknown token.
 */
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
interface LiveDeps {
  readonly db: Executor;
  readonly tokens: Pick<AccessTokens, 'read'>;
  readonly engine: Pick<Engine, 'watch'>;
  readonly browsers: Pick<StandaloneBrowsers, 'watch'>;
  readonly rules: RuleBook;
  readonly owners: Pick<Owners, 'isElsewhere'>;
}

/** Returns the access that a token grants; null for an unknown token, and when its session or browser has ended. */
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

/**
 * Renders the page of a live view: one document that only connects to its own websocket. `nonce` allows its script and
 * style in the content security policy. The script of the page is in src/pages/live-view.
 */
function livePage(nonce: string, mode: LiveMode): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
<meta name="robots" content="noindex">
<title>Live browser</title>
<style nonce="${nonce}">${liveStyle}</style>
</head>
<body data-mode="${mode}">
<header>
<div id="tabs" role="group" aria-label="Tabs of the browser" hidden></div>
<div class="row">
${mode === 'view' ? html`<p id="address" aria-label="Address of the page"></p>` : navigation}
<span id="badge" class="badge">${mode === 'view' ? 'View only' : 'Not connected'}</span>
${mode === 'view' ? html`` : tools}
</div>
</header>
<main id="stage">
<canvas id="picture" role="img" aria-label="The page that the browser shows" width="16" height="10"></canvas>
${mode === 'view' ? html`` : keys}
<div id="notice" role="status" aria-live="polite"><p id="notice-text">Connecting…</p><button id="notice-action" type="button" hidden></button></div>
<form id="dialog" role="alertdialog" aria-labelledby="dialog-title" aria-describedby="dialog-message" hidden>
<h1 id="dialog-title">The page says</h1>
<p id="dialog-message"></p>
<input id="dialog-text" aria-label="Answer" autocomplete="off">
<div class="buttons"><button id="dialog-dismiss" type="button">Cancel</button><button id="dialog-accept" type="submit">OK</button></div>
</form>
${mode === 'view' ? html`` : panel}
</main>
<script nonce="${nonce}">${{ markup: liveViewScript }}</script>
</body>
</html>
`;
  return page.markup;
}

const navigation: Html = html`<div id="navigation" role="group" aria-label="Navigation">
<button id="back" type="button" aria-label="Back" title="Back">←</button>
<button id="reload" type="button" aria-label="Reload" title="Reload">↻</button>
<button id="new-tab" type="button" aria-label="New tab" title="New tab">+</button>
</div>
<form id="go"><input id="address" aria-label="Address of the page" inputmode="url" maxlength="2000" autocapitalize="off" autocomplete="off" autocorrect="off" spellcheck="false" placeholder="Type an address"></form>`;

const tools: Html = html`<div id="tools" role="group" aria-label="Tools">
<button id="keyboard" type="button">Keyboard</button>
<button id="copy" type="button">Copy</button>
<button id="text" type="button" aria-controls="panel" title="Sends text to the page">Text</button>
<button id="fit" type="button" aria-pressed="false" hidden>Fit size</button>
<button id="link" type="button" title="Copies an address at which this can be watched and not touched">Share view</button>
</div>`;

const keys: Html = html`<textarea id="keys" aria-label="The watched page. What you type goes to it. Shift and Escape together leave it." autocapitalize="off" autocomplete="off" autocorrect="off" spellcheck="false"></textarea>
<p id="way-out" aria-hidden="true">Keys go to the page. <kbd>Shift</kbd>+<kbd>Esc</kbd> leaves it.</p>`;

const panel: Html = html`<form id="panel" aria-labelledby="panel-title" hidden>
<h1 id="panel-title">Send text to the page</h1>
<textarea id="panel-text" rows="4" aria-labelledby="panel-title"></textarea>
<div class="buttons"><button id="panel-close" type="button">Close</button><button id="panel-send" type="submit">Send</button></div>
</form>`;

/** Renders the page of a token without an active live view. */
function endedPage(nonce: string): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>No live view</title>
<style nonce="${nonce}">${liveStyle}</style>
</head>
<body>
<main id="stage"><div id="notice"><p>There is no live view at this address: its browser has ended, or the address is not complete.</p></div></main>
</body>
</html>
`;
  return page.markup;
}

/** Style of a live view: a thin bar with the picture below it, for light and dark themes and all screen sizes. */
const liveStyle: Html = {
  markup: `
  :root {
    color-scheme: light dark;
    --back: light-dark(#eceff2, #0c0e10); --bar: light-dark(#ffffff, #1a1d21); --line: light-dark(#d5dae0, #343a41);
    --text: light-dark(#1a1d21, #eceff2); --soft: light-dark(#505a65, #a9b3bd); --accent: light-dark(#0b57b0, #8fc1ff);
    --cover: light-dark(#eceff2e6, #0c0e10e6);
  }
  * { box-sizing: border-box; }
  [hidden] { display: none !important; }
  html, body { height: 100%; margin: 0; }
  body { display: flex; flex-direction: column; background: var(--back); color: var(--text); font: 14px/1.4 system-ui, sans-serif; }
  header { flex: none; background: var(--bar); border-bottom: 1px solid var(--line); }
  .row { display: flex; flex-wrap: wrap; align-items: center; gap: .375rem .5rem; padding: .375rem .5rem; }
  #navigation { display: flex; gap: .25rem; }
  #go { flex: 1 1 12rem; min-width: 0; display: flex; }
  #address { flex: 1 1 12rem; min-width: 0; border: 0; font: inherit; margin: 0; padding: .3rem .6rem; border-radius: 1rem; background: var(--back);
    color: var(--soft); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; min-height: 2em; }
  .badge { color: var(--soft); font-size: .8125rem; }
  #tools { display: flex; flex-wrap: wrap; gap: .25rem; }
  #tabs { display: flex; gap: .25rem; padding: .375rem .5rem 0; overflow-x: auto; }
  #tabs button { flex: 0 1 12rem; min-width: 5rem; overflow: hidden; text-overflow: ellipsis; text-align: left; }
  #tabs button[aria-pressed=true] { border-color: var(--accent); }
  button { font: inherit; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: .5rem;
    padding: .3rem .6rem; min-height: 2rem; white-space: nowrap; cursor: pointer; }
  button:hover:enabled { background: var(--back); }
  button:disabled { cursor: default; }
  button[aria-pressed=true] { color: var(--accent); border-color: var(--accent); }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
  #keyboard { display: none; }
  #stage { flex: 1; min-height: 0; position: relative; display: grid; place-items: center; overflow: hidden; }
  #picture { display: block; touch-action: pinch-zoom; user-select: none; -webkit-user-select: none; -webkit-touch-callout: none; outline-offset: -2px; }
  [data-mode=view] #picture { touch-action: auto; }
  #keys { position: absolute; left: 0; top: 0; width: 1px; height: 1px; padding: 0; border: 0; opacity: 0; resize: none; font-size: 16px; }
  #keys:focus ~ #notice { outline: none; }
  #stage:has(#keys:focus-visible) #picture { outline: 2px solid var(--accent); }
  #way-out { position: absolute; bottom: .5rem; left: 50%; transform: translateX(-50%); margin: 0; padding: .2rem .75rem; border-radius: 1rem;
    background: var(--cover); font-size: .8125rem; white-space: nowrap; pointer-events: none; visibility: hidden; }
  #keys:focus ~ #way-out { visibility: visible; }
  #notice { position: absolute; inset: 0; place-self: stretch; display: grid; place-content: center; justify-items: center; gap: .75rem; padding: 1rem;
    text-align: center; background: var(--cover); font-size: 1rem; }
  #notice p { margin: 0; max-width: 32rem; }
  #dialog, #panel { position: absolute; top: 1rem; width: min(26rem, calc(100% - 2rem)); padding: 1rem; background: var(--bar);
    border: 1px solid var(--line); border-radius: .75rem; box-shadow: 0 8px 32px #0004; }
  #dialog h1, #panel h1 { margin: 0 0 .5rem; font-size: 1rem; }
  #dialog p { margin: 0 0 .75rem; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 40vh; overflow-y: auto; }
  #dialog input, #panel textarea { width: 100%; font: inherit; font-size: 16px; padding: .4rem .5rem; margin-bottom: .75rem;
    color: inherit; background: var(--back); border: 1px solid var(--line); border-radius: .5rem; }
  .buttons { display: flex; justify-content: flex-end; gap: .5rem; }
  [type=submit] { background: var(--accent); border-color: var(--accent); color: var(--bar); }
  [type=submit]:hover:enabled { background: var(--accent); filter: brightness(1.1); }
  @media (pointer: coarse) { button { min-height: 2.75rem; } #keyboard { display: inline-block; } #way-out { display: none; } #go #address { font-size: 16px; } }
  @media (max-width: 40rem) {
    #address { flex-basis: 55%; }
    #go { flex-basis: 55%; }
    #tools button { padding: .25rem .5rem; font-size: .8125rem; }
    #stage { place-items: start center; }
  }
`,
};
