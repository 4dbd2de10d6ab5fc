import { readFileSync } from 'node:fs';
import { pino } from 'pino';
import { type Report, parseTarget, run } from '#conformance/index.ts';
import { defaultRules } from '#domain/rule-book.ts';
import { createMock } from '#mock/create-mock.ts';
import { startBackend, testKey } from '../support/start-backend.ts';
import type { Mutant } from './mutant.ts';
import { startTamperingProxy } from './tampering-proxy.ts';

/** What the suite found on a server. */
export interface Judged {
  readonly report: Report;
  /** Ids with the verdict violation, warning or note, in report order. */
  readonly failing: string[];
  /** Ids with the verdict error: the suite's own fault. */
  readonly errors: string[];
}

const seed = 1;

/** Runs the whole suite against a mutant, or against the good server when `mutant` changes nothing. */
export async function judge(mutant: Pick<Mutant, 'server' | 'rules' | 'tamper'>): Promise<Judged> {
  const good = await startGood(mutant);
  const tamper = typeof mutant.tamper === 'function' ? mutant.tamper() : mutant.tamper;
  const proxy = tamper === undefined ? null : await startTamperingProxy(good.address, tamper);
  try {
    const report = await run({
      target: parseTarget({ url: proxy?.address ?? good.address, text: good.target }),
      apiKey: testKey,
      spend: mutant.server === 'mock' ? 'none' : 'task',
      ratePerSecond: 0,
      // A flipped cell has to be sent to be found; elsewhere a few cells will do.
      matrix: mutant.rules === undefined ? 'sample' : 'full',
      seed,
    });
    const withVerdict = (...verdicts: string[]): string[] =>
      report.requirements.filter((row) => verdicts.includes(row.verdict)).map((row) => row.id);
    return { report, failing: withVerdict('violation', 'warning', 'note'), errors: withVerdict('error') };
  } finally {
    await proxy?.close();
    await good.stop();
  }
}

interface Good {
  readonly address: string;
  /** Text of its target file. */
  readonly target: string;
  stop(): Promise<void>;
}

async function startGood({ server, rules }: Pick<Mutant, 'server' | 'rules'>): Promise<Good> {
  const book = rules?.(defaultRules) ?? defaultRules;
  if (server === 'mock') {
    const mock = await createMock({ apiKey: testKey, rules: book, log: pino({ level: 'silent' }) });
    return { address: await mock.listen(0, '127.0.0.1'), target: 'stateless: true\n', stop: () => mock.close() };
  }
  const started = await startBackend({ rules: book, verifyEveryNth: Number.MAX_SAFE_INTEGER });
  return { address: started.address, target: referenceTarget(started.control), stop: () => started.stop() };
}

/** The target file of the reference, with waits that suit browsers that are simulated. */
function referenceTarget(control: string): string {
  const text = readFileSync('examples/targets/reference.yaml', 'utf8');
  const polling = 'intervalMs: 3\n  startDeadlineMs: 1500\n  taskDeadlineMs: 1500\n  settleDeadlineMs: 300';
  return `${text.replace(/intervalMs: \d+/, polling).replace(/slow \d+/, 'slow 1')}control: ${control}\n`;
}
