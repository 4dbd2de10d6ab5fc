import type { JsonValue } from '#lib/json.ts';
import { endStates } from '#contract/lifecycle.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import { shownStatus } from '#contract/run-views.ts';
import type { Shared } from '#accounts/shares/index.ts';
import type { StepRow } from '#store/runs.ts';
import { type Html, html } from './html.ts';
import { shareStyle } from './share-style.ts';

type SharedTask = Shared['tasks'][number];

/**
 * The page of a shared session: its tasks with their steps and results, and as long as the session lives a link to watch its
 * browser with the same `token`. Text only; it asks for nothing and controls nothing.
 */
export function sharePage({ session, tasks }: Shared, token: string, rules: RuleBook): string {
  const title = session.title ?? 'Browser session';
  const lives = !endStates(rules.lifecycle, 'session').includes(session.status);
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
<p class="meta">Started ${time(session.created_at)} · ${count(tasks.length, 'task')}</p>
${link}
</header>
${tasks.length === 0 ? html`<p class="empty">No task has been given to this session yet.</p>` : tasks.map((task, index) => taskSection(task, index + 1, rules))}
</main>
<footer>Read-only. Reload the page to see what has happened since.</footer>
</body>
</html>
`;
  return page.markup;
}

function taskSection(task: SharedTask, number: number, rules: RuleBook): Html {
  const { run, steps } = task;
  const status = shownStatus(rules, 'v2', run.status);
  return html`<article>
<div class="row"><h2>Task ${String(number)}</h2><span class="status ${toneOf(task)}">${wordOf(task, status)}</span></div>
<p class="goal">${run.task}</p>
${steps.length === 0 ? html`` : html`<h3>${count(steps.length, 'step')}</h3><ol>${steps.map((step, index) => stepItem(step, steps[index - 1]))}</ol>`}
${result(task)}
</article>`;
}

/** The colour that goes with a state; the word beside it says the same. */
function toneOf({ run }: SharedTask): 'good' | 'bad' | 'plain' {
  if (run.status === 'succeeded') return 'good';
  return run.status === 'failed' || run.status === 'crashed' ? 'bad' : 'plain';
}

function wordOf({ run }: SharedTask, status: string): string {
  if (run.success === null) return status;
  return run.success === 1 ? `${status}, goal achieved` : `${status}, goal not achieved`;
}

/** The address stands where it is another one than before. */
function stepItem({ summary, url }: StepRow, before: StepRow | undefined): Html {
  return html`<li><span>${summary}</span>${isWorthShowing(url) && url !== before?.url ? html`<span class="url">${url}</span>` : html``}</li>`;
}

function isWorthShowing(url: string): boolean {
  return /^https?:/.test(url);
}

/** The outcome as text, else why there is none; nothing while the task works. */
function result({ run }: SharedTask): Html {
  const output: JsonValue = run.output === null ? null : JSON.parse(run.output);
  const text = typeof output === 'string' ? output : output === null ? run.reason : JSON.stringify(output, null, 2);
  return text === null || text === '' ? html`` : html`<h3>Result</h3><pre>${text}</pre>`;
}

function time(ms: number): Html {
  const iso = new Date(ms).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
