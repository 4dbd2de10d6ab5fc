import { beyondReason, busyReason, dispatchReason, waitReason, type Report, type ReportRow } from '../core/report.ts';
import { isNotServed } from '../core/exchange.ts';
import { generations } from '../core/target.ts';
import { counted } from './words.ts';

/** Maximum number of ids in a proposed command. */
const idsShown = 3;

/**
 * Returns the next steps for a user, one text each, the most useful first; empty if nothing was violated or left
 * unjudged.
 */
export function nextSteps(report: Report): string[] {
  const contract = report.requirements.filter(({ profile }) => profile === 'documented');
  return [
    ...restart(report),
    ...absentGenerations(report),
    ...repetition(report),
    ...unblocking(report),
    ...lowering(report),
    ...spending(contract),
    ...dispatching(contract),
    ...waiting(contract),
    ...wholeProfile(report),
    ...targetFile(contract),
  ];
}

function restart({ ended, left }: Report): string[] {
  if (ended !== 'unreachable') return [];
  const ends = left.length === 0 ? '' : ' `svc clean` ends what is left alive.';
  return [`Start the service again, and look in its log for the request that ended it.${ends}`];
}

/**
 * Returns a hint for each generation that the target does not serve at the paths of the suite: every response to a
 * request of this generation has the status 404, 405 or 501.
 */
function absentGenerations({ coverage, exchanges, target }: Report): string[] {
  return generations.flatMap((generation) => {
    const called = coverage.filter(({ operation, requests }) => operation.startsWith(`${generation}.`) && requests > 0);
    const failed = exchanges.filter((exchange) => exchange.generation === generation);
    const statuses = [...called.flatMap(({ statuses: { seen } }) => seen), ...failed.map(({ status }) => status)];
    if (failed.length === 0 || !statuses.every(isNotServed)) return [];
    const name = generation.toUpperCase();
    return [
      `${target.url} serves nothing at the paths of ${name}. In a target file (\`svc init\`), \`${generation}: null\` leaves ${name} out, and \`${generation}.base\` names another path.`,
    ];
  });
}

function repetition({ requirements }: Report): string[] {
  const open = requirements.filter(({ verdict, accepted }) => verdict === 'violation' && accepted === undefined);
  if (open.length === 0) return [];
  const ids = open.slice(0, idsShown).map(({ id }) => id);
  return [
    `After a fix, \`--only ${ids.join(',')}\` judges ${open.length > ids.length ? 'the first of them' : 'this'} again.`,
  ];
}

function unblocking({ requirements }: Report): string[] {
  const blocked = requirements.filter((row) => row.blocked !== undefined);
  if (blocked.length === 0) return [];
  const ids = blocked.map(({ id }) => id).join(',');
  return [
    `With a key that has credit, rights and free capacity, or a corrected target file, \`--only ${ids}\` shows whether the operation works.`,
  ];
}

/** Proposes a lower load if rows have no verdict because the target answered 429. */
function lowering({ requirements }: Report): string[] {
  const rows = requirements.filter(({ verdict, reason = '' }) => verdict === 'notRun' && reason.includes(busyReason));
  if (rows.length === 0) return [];
  return [
    `The target answered 429, which left ${counted(rows.length, 'requirement')} without a verdict: \`limits.sessionsAtOnce\` of the target file and \`--rate\` lower the load.`,
  ];
}

function spending(rows: readonly ReportRow[]): string[] {
  const needs = ['storage', 'browser', 'task'].flatMap((level) => {
    const count = rows.filter(
      ({ verdict, reason }) => verdict === 'notRun' && reason === `needs --spend ${level}`,
    ).length;
    return count === 0 ? [] : [{ level, count }];
  });
  const [first, ...others] = needs;
  if (first === undefined) return [];
  const more = others.map(({ level, count }) => `, \`--spend ${level}\` ${count} more`);
  return [
    `\`--spend ${first.level}\` adds ${counted(first.count, 'requirement')}${more.join('')}; \`--dry-run\` shows what is created.`,
  ];
}

/** Proposes a higher limit of tasks if rows have no verdict because of the limit. */
function dispatching(rows: readonly ReportRow[]): string[] {
  const count = rows.filter(
    ({ verdict, reason = '' }) => verdict === 'notRun' && reason.includes(dispatchReason),
  ).length;
  if (count === 0) return [];
  return [`A higher \`--max-dispatches\` adds up to ${counted(count, 'requirement')}.`];
}

function waiting(rows: readonly ReportRow[]): string[] {
  const count = rows.filter(({ reason = '' }) => reason.startsWith(waitReason)).length;
  if (count === 0) return [];
  return [`\`--patient\` adds ${counted(count, 'requirement')}, with waits of minutes.`];
}

function wholeProfile({ requirements }: Report): string[] {
  const count = requirements.filter(({ reason }) => reason === beyondReason).length;
  if (count === 0) return [];
  return [`\`--profile full\` adds ${counted(count, 'requirement')} beyond the contract at no further cost.`];
}

function targetFile(rows: readonly ReportRow[]): string[] {
  const count = rows.filter(
    ({ verdict, reason = '' }) => verdict === 'notTestable' && /\btarget file\b/.test(reason),
  ).length;
  return count === 0 ? [] : [`A target file (\`svc init\`) makes up to ${counted(count, 'requirement')} testable.`];
}
