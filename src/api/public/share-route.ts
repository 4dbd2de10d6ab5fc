import { runState } from '#generated/states.ts';
import type { FastifyInstance } from 'fastify';
import type { Shared, Shares } from '#accounts/shares.ts';
import { isTerminal, shownStatus } from '#contract/lifecycle.ts';
import { problem } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { JsonValue } from '#lib/json.ts';
import type { StepRow } from '#store/tables/runs.ts';
import { sendProblem } from '../http/refuse.ts';
import { type Html, html } from './html.ts';

/** Dependencies of the share page. */
export interface ShareRouteDeps {
  readonly shares: Shares;
  readonly rules: RuleBook;
}

/** Headers of a share page: no scripts, no requests, no indexing by search engines. */
const headers = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
  'cache-control': 'private, no-store',
};

/** Adds the page of a shareUrl: the URL grants access without a key. */
export function addShareRoute(app: FastifyInstance, { shares, rules }: ShareRouteDeps): void {
  app.get<{ Params: { token: string } }>('/share/:token', async (request, reply) => {
    const shared = await shares.view(request.params.token);
    if (shared !== null) {
      const page = sharePage(shared, request.params.token, rules);
      return reply.headers(headers).type('text/html; charset=utf-8').send(page);
    }
    return sendProblem(reply, problem('share_not_found', {}), rules);
  });
}

type SharedTask = Shared['tasks'][number];

/**
 * Renders the page of a shared session: its tasks with steps and results. For an active session, the page also has a
 * link to the live view with the same `token`. The page has no other links and no controls.
 */
function sharePage({ session, isCut, tasks }: Shared, token: string, rules: RuleBook): string {
  const title = session.title ?? 'Browser session';
  const lives = !isTerminal(rules.lifecycle, session.status);
  const link = lives ? html`<p class="meta"><a href="../live/${token}">Watch its browser live</a></p>` : html``;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
${shareStyle}
</head>
<body>
<main>
<header>
<p class="kicker">Shared browser session</p>
<h1>${title}</h1>
<p class="meta">Started ${time(session.createdAt)} · ${isCut ? 'the latest ' : ''}${count(tasks.length, 'task')}</p>
${link}
</header>
${tasks.length === 0 ? html`<p class="empty">No task has been given to this session yet.</p>` : tasks.map((task, index) => taskSection(task, isCut ? null : index + 1, rules))}
</main>
<footer>Read-only. Reload the page to see what has happened since.</footer>
</body>
</html>
`;
  return page.markup;
}

/** Maximum number of characters of a task or result, and of a summary or URL; the rest of a longer text is cut off. */
const textMax = 20_000;
const stepMax = 500;

function cut(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}…` : text;
}

/** Renders a task. The number is null if it is unknown because earlier tasks are left out. */
function taskSection(task: SharedTask, number: number | null, rules: RuleBook): Html {
  const { run, steps } = task;
  const status = shownStatus(rules, 'v2', run.status);
  return html`<article>
<div class="row"><h2>Task${number === null ? '' : ` ${number}`}</h2><span class="status ${selectTone(task)}">${statusWord(task, status)}</span></div>
<p class="goal">${cut(run.task, textMax)}</p>
${steps.length === 0 ? html`` : html`<h3>${count(steps.length, 'step')}</h3><ol>${steps.map((step, index) => stepItem(step, steps[index - 1]))}</ol>`}
${result(task)}
</article>`;
}

/** Returns the colour of a state; the text beside it has the same meaning. */
function selectTone({ run }: SharedTask): 'good' | 'bad' | 'plain' {
  if (run.status === runState.succeeded) return 'good';
  return run.status === runState.failed || run.status === runState.crashed ? 'bad' : 'plain';
}

function statusWord({ run }: SharedTask, status: string): string {
  if (run.success === null) return status;
  return run.success === 1 ? `${status}, goal achieved` : `${status}, goal not achieved`;
}

/** Renders a step. Shows its URL only if that is an http(s) URL, and differs from the URL of the previous step. */
function stepItem({ summary, url }: StepRow, before: StepRow | undefined): Html {
  const shownUrl =
    isWorthShowing(url) && url !== before?.url ? html`<span class="url">${cut(url, stepMax)}</span>` : html``;
  return html`<li><span>${cut(summary, stepMax)}</span>${shownUrl}</li>`;
}

function isWorthShowing(url: string): boolean {
  return /^https?:/.test(url);
}

/**
 * Renders the output of a task as text, or the reason why it has no output. Renders nothing if both are missing or the
 * text is empty.
 */
function result({ run }: SharedTask): Html {
  const text = (run.output === null ? null : outputText(run.output)) ?? run.reason;
  return text === null || text === '' ? html`` : html`<h3>Result</h3><pre>${cut(text, textMax)}</pre>`;
}

/**
 * Returns an output as text: a text as it is, and other JSON with indentation, unless it is too long to be shown. Null
 * for the output null.
 */
function outputText(stored: string): string | null {
  if (stored.length > textMax && !stored.startsWith('"')) return stored;
  const output: JsonValue = JSON.parse(stored);
  return typeof output === 'string' || output === null ? output : JSON.stringify(output, null, 2);
}

function time(ms: number): Html {
  const iso = new Date(ms).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Style of a share page: one column, for light and dark themes and all screen sizes. */
const shareStyle: Html = {
  markup: `<style>
  :root {
    color-scheme: light dark;
    --back: light-dark(#f6f7f9, #101215); --card: light-dark(#ffffff, #1a1d21); --line: light-dark(#dfe3e8, #2e3339);
    --text: light-dark(#1a1d21, #eceff2); --soft: light-dark(#56606b, #a3adb8);
    --good: light-dark(#0f6b3a, #6fd39b); --bad: light-dark(#a3261d, #ff9d93);
    --good-back: light-dark(#e3f4ea, #14301f); --bad-back: light-dark(#fbe9e7, #3a1b18); --plain-back: light-dark(#eceff2, #2a2f35);
  }
  * { box-sizing: border-box; }
  body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
  main, footer { max-width: 46rem; margin: 0 auto; padding: 0 1rem; }
  header { padding: 2.5rem 0 1rem; }
  h1 { margin: .15rem 0; font-size: clamp(1.35rem, 4.5vw, 1.9rem); line-height: 1.25; }
  a { color: inherit; }
  h2 { margin: 0; font-size: 1rem; }
  h3 { margin: 1.5rem 0 .4rem; font-size: .9rem; color: var(--soft); font-weight: 600; }
  .kicker, .meta, footer, .url { color: var(--soft); font-size: .9rem; }
  .kicker, .meta { margin: 0; }
  article, .empty { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1.25rem; margin: 1rem 0; }
  .row { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; justify-content: space-between; }
  .status { font-size: .85rem; font-weight: 600; padding: .15rem .65rem; border-radius: 1rem; background: var(--plain-back); }
  .good { color: var(--good); background: var(--good-back); }
  .bad { color: var(--bad); background: var(--bad-back); }
  .goal { margin: .6rem 0 0; white-space: pre-wrap; }
  ol { margin: 0; padding-left: 1.6rem; }
  li { padding: .2rem 0; }
  .url { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
  pre { margin: 0; padding: .85rem 1rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--back);
    font: .875rem/1.5 ui-monospace, monospace; white-space: pre-wrap; }
  footer { padding-top: .5rem; padding-bottom: 2.5rem; }
</style>`,
};
