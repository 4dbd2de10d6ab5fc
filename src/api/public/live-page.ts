import type { LiveMode } from '#contract/live-messages.ts';
import { liveViewScript } from '#generated/live-view.ts';
import { type Html, html } from './html.ts';

/**
 * Renders the page of a live view: one document that only connects to its own websocket. `nonce` allows its script and
 * style in the content security policy. Its behaviour is in src/pages/live-view.
 */
export function livePage(nonce: string, mode: LiveMode): string {
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
export function endedPage(nonce: string): string {
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
