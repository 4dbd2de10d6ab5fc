import { liveViewScript } from '#generated/live-view.ts';
import type { LiveMode } from '#contract/live-messages.ts';
import { type Html, html } from '../html.ts';
import { liveStyle } from './live-style.ts';

/**
 * The page of a live view: one document that asks for nothing but its own websocket. `nonce` lets its script and style through
 * the page's policy. What it shows and does is in src/pages/live-view.
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
