import { writeFileSync } from 'node:fs';
import {
  clean,
  diffReports,
  explain,
  leftText,
  listRequirements,
  mergeReports,
  notExercised,
  parseJsonFile,
  readCoverage,
  readEntries,
  readReplayToken,
  readReportFile,
  readTextFile,
  renderCoverage,
  renderDiff,
  type ReplayToken,
  reportUse,
  runVerdict,
  SuiteError,
  targetDigest,
  targetTemplate,
  explainClientRules,
  listClientRules,
  readClientToken,
} from '#conformance/index.ts';
import { exitCodes } from '../process-end.ts';
import { formatTable, print, printError } from '../print.ts';
import { withWaitMessage } from '../with-wait-message.ts';
import { checkOutputs, readOutputs, terminalStyle, writeOutputs } from './outputs.ts';
import {
  type Flags,
  readApiKey,
  readHeaders,
  readNetwork,
  readOtherApiKey,
  readTarget,
  strictness,
  text,
} from './read-flags.ts';
import { runCheck } from './run-check.ts';

/** Runs `svc clean`; returns the exit code. */
export async function runClean(file: string, flags: Flags): Promise<number> {
  const { url, stamp, entries } = readEntries(readTextFile(file, reportUse), file);
  const otherApiKey = readOtherApiKey(flags);
  const options = {
    target: readTarget(url, text(flags, 'target')),
    apiKey: readApiKey(flags),
    ...(otherApiKey === undefined ? {} : { otherApiKey }),
    headers: readHeaders(flags['header']),
    network: readNetwork(flags),
    ...(stamp === undefined ? {} : { stamp }),
    entries,
  };
  const after = await withWaitMessage('ending what is left', () => clean(options));
  const ended = after.entries.filter(({ state }) => state === 'ended').length;
  print(`${ended} ended, ${after.left.length} left\n`);
  for (const entry of after.left) {
    const { candidates, curl } = entry;
    print(`left: ${leftText(entry)}\n`);
    if (candidates !== undefined) print(`  may be one of: ${candidates.join(', ')}\n`);
    if (curl !== undefined) print(`  ${entry.id === undefined ? 'list' : 'end'}: ${curl}\n`);
  }
  return after.left.length === 0 ? exitCodes.ok : exitCodes.violation;
}

/** Runs `svc coverage`; returns the exit code. */
export function runCoverage(file: string, flags: Flags): number {
  const coverage = readCoverage(parseJsonFile(readTextFile(file, reportUse), { ...reportUse, name: file }), file);
  const output = flags['json'] === true ? `${JSON.stringify(coverage, null, 2)}\n` : renderCoverage(coverage);
  print(output);
  return flags['strict'] === true && notExercised(coverage).length > 0 ? exitCodes.violation : exitCodes.ok;
}

/** Runs `svc diff`; returns the exit code. */
export function runDiffReports(before: string, after: string, isJson: boolean): number {
  const difference = diffReports(readReportFile(before), readReportFile(after));
  const output = isJson ? `${JSON.stringify(difference, null, 2)}\n` : renderDiff(difference, terminalStyle());
  print(output);
  return difference.worse ? exitCodes.violation : exitCodes.ok;
}

/** Runs `svc explain`; returns the exit code. */
export function runExplain(id: string): number {
  print(/^client-/i.test(id) ? explainClientRules(id) : explain(id));
  return exitCodes.ok;
}

/** Runs `svc init`; returns the exit code. */
export function runInit(file: string, force: boolean): number {
  writeNew(file, force);
  print(`wrote ${file}; use it with \`svc check <url> --target ${file}\`\n`);
  return exitCodes.ok;
}

function writeNew(file: string, force: boolean): void {
  try {
    writeFileSync(file, targetTemplate, { flag: force ? 'w' : 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    const exists = error.code === 'EEXIST';
    throw new SuiteError('usage', {
      found: exists ? `that ${file} exists` : `that ${file} cannot be written (${String(error.code)})`,
      expected: 'a new file',
      next: exists ? 'name another file or pass --force' : 'correct the path',
    });
  }
}

/** Flags of `svc list`. */
interface ListFlags {
  readonly json: boolean;
  readonly side: string;
}

/** Runs `svc list`; returns the exit code. */
export function runList(words: readonly string[], { json, side }: ListFlags): number {
  if (side === 'client') return listClients(words, json);
  const rows = listRequirements(words.length === 0 ? undefined : words);
  const texts = rows.map(({ id, level, profile, treatment, text: title, covers }) => {
    const how = profile === 'full' ? `${treatment} (profile full)` : treatment;
    return [id, level, how, covers > 0 ? `${title} (${covers} rows)` : title];
  });
  print(json ? `${JSON.stringify(rows, null, 2)}\n` : `${formatTable(texts)}\n`);
  return exitCodes.ok;
}

function listClients(words: readonly string[], json: boolean): number {
  const rules = listClientRules(words.length === 0 ? undefined : words);
  const texts = rules.map(({ id, level, source, text: sentence }) => {
    const basis = source.startsWith('practice ') ? 'recommended' : 'contract';
    return [id, level, basis, sentence];
  });
  print(json ? `${JSON.stringify(rules, null, 2)}\n` : `${formatTable(texts)}\n`);
  return exitCodes.ok;
}

/** Runs `svc report merge`; returns the exit code. */
export function runMerge(files: readonly string[], flags: Flags): number {
  const outputs = readOutputs(text(flags, 'report') ?? 'terminal', flags['details'] === true);
  checkOutputs(outputs, { hasRecording: false });
  const merged = mergeReports(files.map((file) => readReportFile(file)));
  const report = { ...merged, ...strictness(flags) };
  writeOutputs(report, outputs);
  return runVerdict(report).exitCode;
}

/** Runs `svc replay`; returns the exit code. */
export async function runReplay(word: string, command: readonly string[], flags: Flags): Promise<number> {
  const ofClient = readClientToken(word);
  if (ofClient !== undefined) {
    const { trial, seed } = ofClient;
    const { runCheckClient } = await import('../check-client/run-check-client.ts');
    return await runCheckClient(command, { details: flags['details'], only: trial, seed, concurrency: 1 });
  }
  const token = readReplayToken(word);
  const url = text(flags, 'url') ?? token.url;
  if (url === undefined) {
    const expected = 'the address of the target';
    throw new SuiteError('usage', { found: 'a token without an address', expected, next: 'pass --url' });
  }
  warnOfTarget(url, token, text(flags, 'target'));
  return await runCheck(url, { ...flags, replay: word, spend: token.spend ?? 'none' });
}

// A target file changes the requests and the expected responses, so a replay without it may differ.
function warnOfTarget(url: string, { target }: ReplayToken, file: string | undefined): void {
  if (target === undefined || target === targetDigest(readTarget(url, file))) return;
  const found =
    file === undefined
      ? 'no --target is given, and the report was made with a target file'
      : `${file} is not the target file of the report, or has changed`;
  printError(`note: ${found}; the case may come out otherwise\n`);
}

/** Runs `svc report show`; returns the exit code, which does not depend on the verdicts. */
export function runShow(file: string, flags: Flags): number {
  const outputs = readOutputs(text(flags, 'report') ?? 'terminal', flags['details'] === true);
  checkOutputs(outputs, { hasRecording: false });
  writeOutputs(readReportFile(file), outputs);
  return exitCodes.ok;
}
