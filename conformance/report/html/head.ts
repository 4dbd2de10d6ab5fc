import type { LedgerEntry } from '../../harness/ledger.ts';
import { registry } from '../../registry/requirement.ts';
import { endings } from '../endings.ts';
import type { Report, ReportRow, Totals } from '../report.ts';
import { baselineView } from './baseline-view.ts';
import { certificatesView } from './certificate-view.ts';
import { copyable } from './copyable.ts';
import { type Markup, type Part, html } from './markup.ts';
import { acceptanceOf, estimatedUsd, shardOf } from './optional-members.ts';
import { verdictBar } from './verdict-bar.ts';
import { counted } from './words.ts';

/** Where the run went, what it found in one sentence, and what it has cost. */
export function headSection(report: Report): Markup {
  const contract = report.requirements.filter(({ profile }) => profile === 'documented');
  const violated = contract.filter(isOpen);
  return html`<header class="head">
<p class="target"><span class="label">Conformance of</span> <b>${report.target.url}</b></p>
<h1 class="${violated.length > 0 ? 'bad' : 'good'}">${sentence(report, contract, violated)}</h1>
${remarks(report)}
${verdictBar(report.totals, 'Verdicts of the contract')}
${certificatesView(report)}${baselineView(report)}
${facts(report)}
${leftView(report.left)}
${copyable('repeat', command(report))}
<p class="quiet small">With the keys of the first run in SERVICE_API_KEY and SVC_OTHER_API_KEY, and with its target file.</p>
</header>`;
}

function isOpen(row: ReportRow): boolean {
  return row.verdict === 'violation' && acceptanceOf(row) === undefined;
}

function sentence({ totals }: Report, contract: readonly ReportRow[], violated: readonly ReportRow[]): string {
  if (violated.length === 0) return `No violation in ${totals.passed} of ${counted(contract.length, 'requirement')}.`;
  return violated.length === 1
    ? `1 of ${contract.length} requirements is violated.`
    : `${violated.length} of ${contract.length} requirements are violated.`;
}

function remarks(report: Report): Markup {
  const { ended, beyond, totals } = report;
  const accepted = report.requirements.filter((row) => row.verdict === 'violation' && acceptanceOf(row) !== undefined);
  const errors = totals.errors + beyond.errors;
  const texts = [
    ended === 'complete' ? undefined : `The run ended early: ${endings[ended]}.`,
    errors === 0 ? undefined : `${counted(errors, 'check')} ended in a fault of the suite itself.`,
    accepted.length === 0 ? undefined : `${counted(accepted.length, 'known failure')} accepted by the baseline.`,
    beyondText(beyond),
  ];
  return html`${texts.map((text) => (text === undefined ? undefined : html`<p class="lead">${text}</p>`))}`;
}

function beyondText({ passed, violations }: Totals): string | undefined {
  return passed + violations === 0 ? undefined : `Beyond the contract: ${passed} passed, ${violations} violated.`;
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
    ['Spent', `${spentUsd} USD${estimate === undefined ? '' : ` of at most ${estimate}`}`],
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
