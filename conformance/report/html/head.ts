import type { LedgerEntry } from '../../harness/ledger.ts';
import { isLocalTarget } from '../../harness/target/target.ts';
import { registry } from '../../registry/requirement.ts';
import { nextSteps } from '../next-steps.ts';
import type { Report, ReportRow } from '../report.ts';
import { type RunResult, runVerdict } from '../verdict.ts';
import { baselineView } from './baseline-view.ts';
import { certificatesView } from './certificate-view.ts';
import { copyable } from './copyable.ts';
import { type Markup, type Part, html } from './markup.ts';
import { estimatedUsd, shardOf } from './optional-members.ts';
import { prose } from './prose.ts';
import { verdictBar } from './verdict-bar.ts';
import { counted } from '../words.ts';

/** Where the run went, what it found in one sentence, and what it has cost. */
export function headSection(report: Report): Markup {
  const { result, text } = runVerdict(report);
  return html`<header class="head">
<p class="target"><span class="label">Conformance of</span> <b>${report.target.url}</b></p>
<h1 class="${classes[result]}">${text}</h1>
${verdictBar(report.totals, 'Verdicts of the contract')}
${certificatesView(report)}${baselineView(report)}
${facts(report)}
${leftView(report.left)}
${nextView(report)}
${copyable('repeat', command(report))}
<p class="quiet small">With the keys of the first run in SERVICE_API_KEY and SVC_OTHER_API_KEY, and with its target file.</p>
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
  const shard = shardOf(report);
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
    ['Created', created.length],
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
    return html`<li>${times}${text}${endingOf(entries[0])}</li>`;
  });
  return html`<section class="left" aria-label="What is left on the target"><h2>${counted(left.length, 'thing')} left on the target</h2><ul>${lines}</ul></section>`;
}

/** What a person can do about it, where the report knows. */
function endingOf(entry: LedgerEntry | undefined): Part {
  const curl: unknown = entry !== undefined && 'curl' in entry ? entry.curl : undefined;
  return typeof curl === 'string' ? copyable('curl', curl) : undefined;
}

function leftText({ generation, kind, id, createdBy, state }: LedgerEntry): string {
  const what = `${generation.toUpperCase()} ${kind} ${id ?? 'of unknown id'}`;
  return state === 'requested'
    ? `${what}, asked for by ${createdBy} and never answered`
    : `${what}, which could not be ended`;
}

function command({ target, seed, requirements }: Report): string {
  const rest = [...onlyOf(requirements), '--profile', target.profile, '--spend', target.spend, '--seed', String(seed)];
  return ['svc check', target.url, ...rest].join(' ');
}

/** Most ids that a command names one by one. */
const idsMax = 12;

// A run of a part says which one; areas are the next larger unit where there are many ids.
function onlyOf(rows: readonly ReportRow[]): string[] {
  if (rows.length >= registry.length) return [];
  const words = rows.length <= idsMax ? rows.map(({ id }) => id) : [...new Set(rows.map(({ area }) => area))];
  return ['--only', words.join(',')];
}
