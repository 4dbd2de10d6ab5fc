import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { leftProcesses, type ServiceProcess, printLog, startService } from './svc-process.ts';
import { type PartResult, judgePart } from './judged-part.ts';
import { writeTarget } from './write-target.ts';

/** Browsers, cells and flags of one run of the suite against the reference. */
export interface Coverage {
  readonly title: string;
  readonly hosts: 'local' | 'simulated';
  /** Flags of `svc check` that select cells and limit the number of tasks. */
  readonly matrix: readonly string[];
}

/**
 * Run with real browsers and a sample of the cells of every matrix, because a browser for each country would take too
 * long.
 */
export const withBrowsers: Coverage = {
  title: 'Reference with a real Chromium, a sample of every matrix',
  hosts: 'local',
  matrix: ['--matrix', 'sample', '--max-dispatches', '400'],
};
/**
 * Value of `--only` that selects every matrix: the areas that contain laws over a table, and one requirement of another
 * area that covers a table.
 */
const matrixWords = 'models,v2-tasks,v3-thinking,v4-model-params,v4-runs,values,V4-BROWSER-12';
/**
 * Run with simulated browsers, restricted to the areas and the requirement in `matrixWords`, with every cell of their
 * matrices.
 */
export const everyCell: Coverage = {
  title: 'Reference with simulated browsers, every cell of every matrix',
  hosts: 'simulated',
  matrix: ['--matrix', 'full', '--max-dispatches', '400', '--only', matrixWords],
};

/**
 * Starts a reference, judges it with `--spend task` and stops it. Fails if the suite fails or a process of the
 * reference is left. Without flags of `narrowing`, also fails if an offered operation was not exercised.
 */
export async function judgeReference(coverage: Coverage, extra: readonly string[] = []): Promise<PartResult> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-'));
  // Browsers run as another user where possible: that user may enter the folder but list nothing.
  chmodSync(folder, 0o711);
  try {
    const result = await judgeIn(folder, coverage, extra);
    const left = leftProcesses(folder);
    for (const process of left) console.error(`left running: ${process}`);
    if (result.code !== 0 || left.length === 0) return result;
    return { ...result, code: 1, text: `FAILED: ${left.length} processes left running` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function judgeIn(folder: string, coverage: Coverage, extra: readonly string[]): Promise<PartResult> {
  const { hosts } = coverage;
  const [key, other] = [newKey(), newKey()];
  const log: string[] = [];
  // Sessions request the default country, so the service must offer this country.
  const place = ['--port', '0', '--hosts', hosts, '--data', join(folder, 'data'), '--exit-country', 'us'];
  const flags = [...place, '--control', '127.0.0.1:0', '--bootstrap-key', key, '--bootstrap-key', other];
  let failed = true;
  try {
    const serve = await startService({ args: flags, onLog: (line) => void log.push(line) });
    const result = await judgeServed(serve, { folder, coverage, extra, key, other });
    failed = result.code !== 0;
    return result;
  } finally {
    // The log also contains faults that the suite provokes, so it is printed only after a failure.
    if (failed) printLog(log, extra);
  }
}

interface Judged {
  readonly folder: string;
  readonly coverage: Coverage;
  readonly extra: readonly string[];
  readonly key: string;
  readonly other: string;
}

async function judgeServed(
  serve: ServiceProcess,
  { folder, coverage, extra, key, other }: Judged,
): Promise<PartResult> {
  const { title, matrix } = coverage;
  try {
    const target = join(folder, 'target.yaml');
    await writeTarget(target, serve, key);
    const flags = ['--profile', 'full', '--target', target, '--spend', 'task', ...matrix, '--rate', '0'];
    const keys = { SERVICE_API_KEY: key, SVC_OTHER_API_KEY: other };
    const everyOperation = ![...matrix, ...extra].some((word) => narrowing.has(word.split('=')[0] ?? ''));
    return await judgePart({ title, address: serve.address, flags, extra, env: keys, everyOperation });
  } finally {
    await serve.stop();
  }
}

/**
 * Flags of `svc check` that restrict a run, or that change its target or report. A run with one of them does not fail
 * for an operation that was not exercised.
 */
const narrowing = new Set(['--only', '--spend', '--dry-run', '--replay', '--report', '--target', '--help']);

/** Returns a new bootstrap key. The service creates a project for each bootstrap key; the suite uses two projects. */
function newKey(): string {
  return `svc_${randomBytes(24).toString('base64url')}`;
}
