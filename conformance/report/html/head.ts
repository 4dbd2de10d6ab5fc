import type { LedgerEntry } from '../../core/ledger.ts';
import { isLocalTarget } from '../../core/target.ts';
import { registry } from '../../core/requirement.ts';
import { nextSteps } from '../next-steps.ts';
import type { Report, ReportRow, Totals, Verdict } from '../../core/report.ts';
import { type RunResult, runVerdict } from '../verdict.ts';
import { copyable, type Markup, type Part, html, prose } from './markup.ts';
import { estimatedUsd, readShard, objectAt, objectsAt, textsAt } from './optional-members.ts';
import { counted, createdText, leftText, verdictOrder, verdictWords } from '../words.ts';
import { toText, type JsonObject } from '../../core/json.ts';

/**
 * Renders the header of the page: target, verdict, certificates, baseline, facts such as duration and cost, remaining
 * resources, next steps, and the command that repeats the run.
 */
export function headSection(report: Report): Markup {
  const { result, text } = runVerdict(report);
  return html`<header class="head">
<p class="target"><span class="label">${report.client === undefined ? 'Conformance of' : 'Conformance of the client'}</span> <b>${report.target.url}</b></p>
<h1 class="${classes[result]}">${text}</h1>
${verdictBar(report.totals, 'Verdicts of the contract')}
${certificatesView(report)}${baselineView(report)}
${facts(report)}
${leftView(report.left)}
${nextView(report)}
${copyable('repeat', command(report))}
${report.client === undefined ? html`<p class="quiet small">With the keys of the first run in SERVICE_API_KEY and SVC_OTHER_API_KEY, and with its target file.</p>` : undefined}
</header>`;
}

const classes: Readonly<Record<RunResult, string>> = {
  passed: 'good',
  empty: 'unsure',
  failed: 'bad',
  unusable: 'bad',
  incomplete: 'unsure',
  fault: 'bad',
};

function nextView(report: Report): Markup | undefined {
  const steps = nextSteps(report);
  return steps.length === 0
    ? undefined
    : html`<ul class="next" aria-label="Next steps">${steps.map((step) => html`<li>${prose(step)}</li>`)}</ul>`;
}

function facts(report: Report): Markup {
  const { target, seed, startedAt, durationMs, exchangeCount, created, left, spentUsd, ended } = report;
  const estimate = estimatedUsd(report);
  const shard = readShard(report);
  const rows: [string, Part][] = [
    [
      'Started',
      html`<time datetime="${startedAt}">${startedAt.replace('T', ' ').replace(/(:\d\d\.\d+)?Z$/, ' UTC')}</time>`,
    ],
    ['Took', `${(durationMs / 1000).toFixed(1)} s`],
    ['Ended', ended === 'complete' ? 'complete' : 'early'],
    ['Profile', target.profile],
    ['Spend', target.spend],
    ['Seed', seed],
    ['Requests', exchangeCount],
    ['Created', createdText(created)],
    ['Left', html`<span class="${left.length > 0 ? 'bad' : 'good'}">${left.length}</span>`],
    ...(isLocalTarget(target)
      ? []
      : [
          ['Spent', `${spentUsd} USD${estimate === undefined ? '' : ` of at most ${estimate}`}`] satisfies [
            string,
            Part,
          ],
        ]),
    ...(shard === undefined ? [] : [['Shard', shard] satisfies [string, Part]]),
  ];
  return html`<dl class="facts">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function leftView(left: readonly LedgerEntry[]): Markup | undefined {
  if (left.length === 0) return undefined;
  const same = Map.groupBy(left, (entry) => leftText(entry));
  const lines = [...same].map(([text, entries]) => {
    const times = entries.length > 1 ? `${entries.length} times: ` : undefined;
    return html`<li>${times}${text}${describeEnding(entries[0])}</li>`;
  });
  return html`<section class="left" aria-label="What is left on the target"><h2>${counted(left.length, 'resource')} left on the target</h2><ul>${lines}</ul></section>`;
}

/** Renders the curl command that ends a resource; undefined if the report has no such command. */
function describeEnding(entry: LedgerEntry | undefined): Part {
  const curl: unknown = entry !== undefined && 'curl' in entry ? entry.curl : undefined;
  return typeof curl === 'string' ? copyable('curl', curl) : undefined;
}

function command({ target, seed, requirements, client }: Report): string {
  if (client !== undefined) return `svc check-client --seed ${seed} -- ${client.command}`;
  const rest = [
    ...listSelection(requirements),
    '--profile',
    target.profile,
    '--spend',
    target.spend,
    '--seed',
    String(seed),
  ];
  return ['svc check', target.url, ...rest].join(' ');
}

/** Maximum number of ids that a command lists. */
const idsMax = 12;

// A run of selected rows names the selection: ids, or areas for many ids.
function listSelection(rows: readonly ReportRow[]): string[] {
  if (rows.length >= registry.length) return [];
  const words = rows.length <= idsMax ? rows.map(({ id }) => id) : [...new Set(rows.map(({ area }) => area))];
  return ['--only', words.join(',')];
}

/** Members of the baseline result that list entries, each with the text that follows the number of entries. */
const lists = [
  ['stale', 'stale: their failure is gone'],
  ['expired', 'expired: they count again'],
  ['notJudged', 'not judged in this run'],
  ['unknownCells', 'for a cell that its row does not have'],
] as const;

/** Renders the result of a baseline; undefined without a baseline. */
function baselineView(report: Report): Markup | undefined {
  const baseline = objectAt(report, 'baseline');
  if (baseline === undefined) return undefined;
  const parts = lists.map(([name, words]) => {
    const entries = objectsAt(baseline, name);
    if (entries.length === 0) return undefined;
    const lines = entries.map((entry) => html`<li>${toText(entry['name'])} ${toText(entry['why'])}</li>`);
    return html`<details><summary>${counted(entries.length, 'entry', 'entries')} ${words}</summary><ul>${lines}</ul></details>`;
  });
  return html`<section class="notice" aria-label="Baseline"><h2>Baseline <span class="quiet">${toText(baseline['file'])}: ${counted(textsAt(baseline, 'accepted').length, 'requirement')} accepted</span></h2>${parts}</section>`;
}

/** Renders the certificates of the requested sets; undefined without a requested set. */
function certificatesView(report: Report): Markup | undefined {
  const certificates = objectsAt(report, 'certify');
  if (certificates.length === 0) return undefined;
  const known = new Set(report.requirements.map(({ id }) => id));
  return html`<section class="notice" aria-label="Certificates">${certificates.map((one) => certificateView(one, known))}</section>`;
}

function certificateView(certificate: JsonObject, known: ReadonlySet<string>): Markup {
  const [set, frozen, passed, total] = ['set', 'frozen', 'passed', 'total'].map((name) => toText(certificate[name]));
  const certified = certificate['certified'] === true;
  const missing = objectsAt(certificate, 'missing');
  const list = missing.map((row) => html`<li>${rowLink(toText(row['id']), known)} ${toText(row['why'])}</li>`);
  return html`<h2><span class="${certified ? 'good' : 'bad'}">${certified ? 'Certified' : 'Not certified'}</span> ${set?.toUpperCase()}
<span class="quiet">set of ${frozen}: ${passed} of ${total}</span></h2>
${missing.length === 0 ? undefined : html`<details><summary>${missing.length} not shown</summary><ul>${list}</ul></details>`}`;
}

function rowLink(id: string, known: ReadonlySet<string>): Markup {
  return known.has(id) ? html`<a href="#${id}">${id}</a>` : html`${id}`;
}

const totalNames: Readonly<Record<Verdict, keyof Totals>> = {
  pass: 'passed',
  violation: 'violations',
  warning: 'warnings',
  note: 'notes',
  notTestable: 'notTestable',
  notRun: 'notRun',
  error: 'errors',
};

/** Order of the verdicts in the bar, passes first. */
const barOrder: readonly Verdict[] = ['pass', ...verdictOrder.filter((verdict) => verdict !== 'pass')];

/** Renders the number of rows with each verdict, as one bar to scale and as numbers below it. */
function verdictBar(totals: Totals, title: string): Markup {
  const counts = barOrder
    .map((verdict) => ({ verdict, count: totals[totalNames[verdict]] }))
    .filter(({ count }) => count > 0);
  const all = counts.reduce((sum, { count }) => sum + count, 0);
  let at = 0;
  const parts = counts.map(({ verdict, count }) => {
    const x = at;
    at += (count / all) * 1000;
    return html`<rect class="${verdict}" x="${x.toFixed(2)}" y="0" width="${Math.max(2, at - x - 2).toFixed(2)}" height="10"/>`;
  });
  const numbers = counts.map(({ verdict, count }) => {
    return html`<li><span class="dot ${verdict}" aria-hidden="true"></span><b>${count}</b> ${verdictWords[verdict].plural}</li>`;
  });
  return html`<figure class="bar"><svg viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">${parts}</svg>
<figcaption><span class="unseen">${title}: </span><ul>${numbers}</ul></figcaption></figure>`;
}
