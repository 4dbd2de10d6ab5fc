import type { Report } from '../core/report.ts';
import { buildClientReport } from './client-report.ts';
import { planClient } from './client-rules.ts';
import { judgeTrials } from './judge-trials.ts';
import { SuiteError } from '../core/suite-error.ts';
import type { Command } from './program.ts';
import type { TrialRun } from './recording.ts';
import { endText } from './rules/judged.ts';
import { type OpenService, runTrial } from './run-trial.ts';
import type { Trial } from './trial.ts';

export type { ServiceUnderClient } from './controlled-service.ts';
export type { OpenService } from './run-trial.ts';

/** Options of {@link checkClient}. */
export interface CheckClientOptions {
  /** Program and arguments, started once for each trial. */
  readonly command: Command;
  readonly openService: OpenService;
  /** Rules and trials to run: rule ids, areas, scenarios, trials or generations. @defaultValue everything */
  readonly only?: readonly string[];
  /** Seed of texts, statuses and faults. @defaultValue 1 */
  readonly seed?: number;
  /** Number of programs that run at the same time. @defaultValue 6 */
  readonly concurrency?: number;
  /** Called after each trial with the number of trials that have ended so far, and the number of all trials. */
  readonly onTrial?: (done: number, total: number) => void;
}

/**
 * Runs a client program and judges it by the rules for clients. Throws SuiteError `usage` if `only` contains an unknown
 * id or name, if the program cannot be started, or if the program fails in every trial without sending a request.
 */
export async function checkClient(options: CheckClientOptions): Promise<Report> {
  const { command, only, seed = 1, concurrency = 6 } = options;
  const plan = planClient(only);
  const startedAt = new Date();
  const startedMs = performance.now();
  const runs = await runAll(plan.trials, { ...options, seed, concurrency });
  refuseBrokenProgram(runs);
  const judgements = judgeTrials(plan.rules, runs);
  const durationMs = performance.now() - startedMs;
  return buildClientReport({ command: shellText(command), seed, startedAt, durationMs, judgements, runs });
}

type Settled = CheckClientOptions & Required<Pick<CheckClientOptions, 'seed' | 'concurrency'>>;

async function runAll(trials: readonly Trial[], options: Settled): Promise<TrialRun[]> {
  const waiting = trials.map((trial, index) => ({ trial, index }));
  const runs: TrialRun[] = [];
  let done = 0;
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      runs[next.index] = await runTrial(next.trial, options);
      done += 1;
      options.onTrial?.(done, trials.length);
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, work));
  return runs;
}

/**
 * Throws SuiteError `usage` when the program sent no request in any trial and ended each time with an error exit code.
 * Such a program, for example a script whose file is missing, cannot be judged.
 */
function refuseBrokenProgram(runs: readonly TrialRun[]): void {
  const [first] = runs;
  const isBroken = ({ exchanges, sockets, end }: TrialRun): boolean =>
    exchanges.length === 0 && sockets.length === 0 && end.killed === undefined && end.code !== 0 && end.code !== null;
  if (first === undefined || !runs.every(isBroken)) return;
  throw new SuiteError('usage', {
    found: `a program that sent no request in any of ${runs.length} trials: ${endText(first)}`,
    expected: 'a program that calls the service at SERVICE_API_URL and does the scenario in SVC_SCENARIO',
    next: 'run the program alone with these variables, see docs/guides/check-client.md',
  });
}

/** Quotes a command for a shell. */
function shellText(command: Command): string {
  return command
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`))
    .join(' ');
}
