import {
  createRunEnvironment,
  type Exchange,
  isLocalTarget,
  planOf,
  renderEstimate,
  renderPlan,
  run,
  type RunOptions,
  runVerdict,
  judgeRecording,
  readTextFile,
  recordingUse,
} from '#conformance/index.ts';
import { exitCodes, type EndSignal, endSignals } from '../process-end.ts';
import { hasColours, print, printError } from '../print.ts';
import { withWaitMessage } from '../with-wait-message.ts';
import { knownIds, checkKnownWritable, readKnownFailures, settleKnownFailures } from './known-failures.ts';
import { createLedgerFile, findLedgerPath, type LedgerFile } from './ledger-file.ts';
import { type Ended, keepRecording, checkOutputs, readOutputs, writeOutputs } from './outputs.ts';
import { createProgressView } from './progress.ts';
import { type Flags, readRunOptions, strictness, text } from './read-flags.ts';

/** Runs `svc check`; returns the exit code. */
export async function runCheck(url: string, flags: Flags): Promise<number> {
  const outputs = readOutputs(text(flags, 'report') ?? 'terminal', flags['details'] === true);
  const known = readKnownFailures(flags);
  const options = readRunOptions(url, flags);
  if (flags['dryRun'] === true) {
    print(renderPlan(planOf(options)));
    return exitCodes.ok;
  }
  checkOutputs(outputs, { hasRecording: true });
  checkKnownWritable(known);
  const ledgerPath = findLedgerPath(outputs.files.json);
  if (isPaid(options)) printError(renderEstimate(planOf(options).estimate));
  const asked = { ...options, known: knownIds(known), ...traced(flags) };
  const environment = createRunEnvironment();
  const head = { target: { url: options.target.url }, stamp: environment.stamp };
  const ledger = ledgerPath === undefined ? undefined : createLedgerFile(ledgerPath, head);
  const ended = await runInterruptible({ ...asked, environment }, ledger);
  if (ended.report.left.length === 0) await ledger?.remove();
  const settled = settleKnownFailures(ended.report, known);
  const report = { ...settled.report, ...strictness(flags) };
  writeOutputs(report, outputs, ended.recording);
  await ledger?.remove();
  settled.write();
  return runVerdict(report).exitCode;
}

function traced(flags: Flags): Pick<RunOptions, 'onExchange'> {
  if (flags['trace'] !== true) return {};
  return { onExchange: (exchange) => printError(`${traceText(exchange)}\n`) };
}

// Returns true if the run may create browsers or tasks, except at a target on this machine, which charges nothing.
function isPaid({ spend, target }: RunOptions): boolean {
  return (spend === 'browser' || spend === 'task') && !isLocalTarget(target);
}

// Runs the suite. Ctrl-C, SIGTERM or a closed terminal ends the run, which then removes the resources that it created.
// A second Ctrl-C or SIGTERM ends the process.
async function runInterruptible(options: RunOptions, ledger: LedgerFile | undefined): Promise<Ended> {
  const controller = new AbortController();
  const interrupt = (signal: EndSignal): void => {
    if (controller.signal.aborted && signal !== 'SIGHUP') process.exit(exitCodes.interrupted);
    controller.abort();
  };
  for (const signal of endSignals) process.on(signal, interrupt);
  const view = process.stderr.isTTY
    ? createProgressView({ screen: process.stderr, colour: hasColours(process.stderr) })
    : undefined;
  try {
    return await keepRecording((onRecording) =>
      run({
        ...options,
        onRecording,
        ...(view === undefined ? {} : { onProgress: view.listen }),
        signal: controller.signal,
        ...(ledger === undefined ? {} : { onLedger: (_entries, changed) => ledger.book(changed) }),
      }),
    );
  } finally {
    view?.close();
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
    // A closed terminal may send SIGHUP again while the report is written, so the handler of SIGHUP stays.
    if (!controller.signal.aborted) process.off('SIGHUP', interrupt);
  }
}

/** Maximum number of characters of a body in a trace; the JSON report contains bodies in full. */
const bodyMax = 2_000;

/**
 * Formats an exchange for `--trace`: its scenario, the lines of the request after `>`, and the lines of the response
 * after `<`. Secrets were redacted before. The caller prints the text with {@link printError}, which escapes control
 * sequences of the target.
 */
export function traceText({ sentBy, operation, durationMs, request, status, headers, body, fault }: Exchange): string {
  const sent = [`${request.method} ${request.url}`, ...headerLines(request.headers), ...bodyLines(request.body ?? '')];
  const got = fault === undefined ? [String(status)] : [`no answer: ${fault}`];
  got.push(...headerLines(headers), ...bodyLines(body));
  return [
    `* ${sentBy}: ${operation}, ${Math.round(durationMs)} ms`,
    ...sent.map((line) => `> ${line}`),
    ...got.map((line) => `< ${line}`),
    '',
  ].join('\n');
}

function headerLines(headers: Record<string, string>): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

function bodyLines(body: string): string[] {
  if (body === '') return [];
  return body.length <= bodyMax
    ? body.split('\n')
    : [...body.slice(0, bodyMax).split('\n'), `(${body.length} characters)`];
}

/** Runs `svc judge`; returns the exit code. */
export async function runJudge(file: string, flags: Flags): Promise<number> {
  const outputs = readOutputs(text(flags, 'report') ?? 'terminal', flags['details'] === true);
  checkOutputs(outputs, { hasRecording: true });
  const only = text(flags, 'only')
    ?.split(',')
    .map((word) => word.trim());
  const recorded = { text: readTextFile(file, recordingUse), name: file, ...(only === undefined ? {} : { only }) };
  const { report: judged, recording } = await withWaitMessage('judging the recording', () =>
    keepRecording((onRecording) => judgeRecording({ ...recorded, onRecording })),
  );
  const report = { ...judged, ...strictness(flags) };
  writeOutputs(report, outputs, recording);
  return runVerdict(report).exitCode;
}
