import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { notExercised, readReport, renderTerminal, runVerdict } from '#conformance/index.ts';
import { hasColours, print, printLine } from '../../src/cli/print.ts';
import { runSvc } from './svc-process.ts';

/** One part of `npm run conformance`: a service to judge, and the flags of `svc check` for it. */
export interface PartOptions {
  readonly title: string;
  readonly address: string;
  readonly flags: readonly string[];
  /** Flags of the user, which are appended. */
  readonly extra: readonly string[];
  /** Environment variables with the keys of the target. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether the part fails if an operation that the service offers was not exercised. @defaultValue false */
  readonly everyOperation?: boolean;
}

/** Result of a part. */
export interface PartResult {
  readonly title: string;
  readonly code: number;
  /** Verdict of the part in one line. */
  readonly text: string;
}

/** Flags of `svc check` that change its output. With one of them, `judgePart` prints no report of its own. */
const ownOutput = ['--report', '--dry-run', '--help'];

/**
 * Runs `svc check` for one part; prints the title and a brief report, or a complete report with `--details`. With a
 * flag of `ownOutput` in `extra`, `svc check` prints its output instead, and its exit code is the verdict.
 */
export async function judgePart(options: PartOptions): Promise<PartResult> {
  const { title, address, flags, extra, env } = options;
  printLine(`\n== ${title}`);
  const words = extra.map((word) => word.split('=')[0] ?? '');
  if (words.some((word) => ownOutput.includes(word))) {
    const code = await runSvc(['check', address, ...flags, ...extra], env);
    return { title, code, text: `exit code ${code}` };
  }
  const folder = mkdtempSync(join(tmpdir(), 'svc-part-'));
  try {
    const file = join(folder, 'report.json');
    const code = await runSvc(['check', address, ...flags, ...extra, '--report', `json=${file}`], env);
    return shown({ options, file, code });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function shown({ options, file, code }: { options: PartOptions; file: string; code: number }): PartResult {
  const { title, extra, everyOperation = false } = options;
  // Exit codes 2 and 3 precede a run: the command has printed the reason, and no report exists.
  if (code === 2 || code === 3) return { title, code, text: `not judged, exit code ${code}` };
  const report = readReport(readFileSync(file, 'utf8'), file);
  const extent = extra.includes('--details') ? 'full' : 'brief';
  print(renderTerminal(report, { columns: process.stdout.columns ?? 100, colour: hasColours(process.stdout), extent }));
  const missing = everyOperation ? notExercised(report.coverage) : [];
  if (missing.length === 0) return { title, code, text: runVerdict(report).text };
  const names = missing.map(({ operation }) => operation).join(', ');
  return {
    title,
    code: code === 0 ? 1 : code,
    text: `FAILED: ${missing.length} operations were not exercised: ${names}`,
  };
}
