import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { notExercised, readReport, renderTerminal, runVerdict } from '../../conformance/index.ts';
import { hasColours, print, printLine } from '../../src/cli/print.ts';
import { runSvc } from './svc-process.ts';

/** Options of one part of `npm run conformance`: its target, and flags of `svc check`. */
export interface PartOptions {
  readonly title: string;
  readonly address: string;
  readonly flags: readonly string[];
  /** Flags of the user, which are appended. */
  readonly extra: readonly string[];
  /** Environment variables with the keys of the target. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether an offered operation that was not exercised fails the part. @defaultValue false */
  readonly everyOperation?: boolean;
}

/** Result of a part. */
export interface PartResult {
  readonly title: string;
  readonly code: number;
  /** Verdict in one line. */
  readonly text: string;
}

/** Flags with which `svc check` prints its own output unchanged. */
const ownOutput = ['--report', '--dry-run', '--help'];

/**
 * Judges one part and prints its title and a brief report, or a complete one with `--details`. With a flag of
 * `ownOutput` in `extra`, `svc check` prints its own output instead.
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
