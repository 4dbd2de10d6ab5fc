import type { Report } from '../core/report.ts';
import { clientFacts } from '#generated/client-facts.ts';
import { clientScenarios } from '#generated/rules.ts';
import { buildClientReport, observedName } from './client-report.ts';
import { type ClientRule, listClientRules } from './client-rules.ts';
import { noInterference } from './interference.ts';
import { type RuleJudgement, combineJudgements } from './judge-trials.ts';
import { openProxy } from './proxy.ts';
import type { ClientExchange, ClientSocket, TrialRun } from './recording.ts';
import { open } from './rules/judged.ts';
import { observedJudges } from './rules/observed.ts';

/** Options of {@link observeClient}. */
export interface ObserveOptions {
  /** Base URL of the deployment, without the prefix of a generation. */
  readonly url: string;
  /** Port of the proxy on 127.0.0.1. @defaultValue a free port */
  readonly port?: number;
  /** Called for each request with a line of its method, path and status. */
  readonly onRequest?: (line: string) => void;
}

/** A proxy that records the requests of a client to a deployment. */
export interface Observation {
  /** Base URL for the client. */
  readonly address: string;
  /** Judges the requests recorded so far. */
  judge(): Report;
  close(): Promise<void>;
}

/**
 * Opens a recording proxy in front of a deployment. The proxy injects no fault and forwards requests unchanged. In
 * responses, it replaces URLs of the deployment with URLs of the proxy.
 */
export async function observeClient({ url, port, onRequest }: ObserveOptions): Promise<Observation> {
  const startedAt = new Date();
  const startedMs = performance.now();
  const notice = ({ method, target, status }: ClientExchange): void => {
    onRequest?.(`${method} ${target.split('?')[0] ?? ''} ${status}`);
  };
  const upstream = { address: url.replace(/(?<!\/)\/+$/, '') };
  const proxy = await openProxy({
    upstream,
    interference: noInterference,
    notice,
    ...(port === undefined ? {} : { port }),
  });
  return {
    address: proxy.address,
    judge() {
      const run = observedRun(proxy);
      const judgements = listClientRules().map((rule) => judgeObserved(rule, run));
      const durationMs = performance.now() - startedMs;
      return buildClientReport({
        command: `client of ${url}`,
        seed: 0,
        startedAt,
        durationMs,
        judgements,
        runs: [run],
      });
    },
    close: () => proxy.close(),
  };
}

/**
 * Judges a rule by the recorded traffic. A rule that traffic alone cannot show gets no verdict; the reason names the
 * missing input.
 */
function judgeObserved(rule: ClientRule, run: TrialRun): RuleJudgement {
  const judge = Object.entries(observedJudges).find(([id]) => id === rule.id)?.[1];
  const missing = clientScenarios.unobserved.find(({ rules }) => rules.some((id) => id === rule.id));
  if (judge === undefined)
    return combineJudgements(rule, [{ run, judged: open(`--observe does not see ${missing?.needs}: run its trials`) }]);
  if (run.exchanges.length === 0) return combineJudgements(rule, [{ run, judged: open('the client sent nothing') }]);
  return combineJudgements(rule, [{ run, judged: judge(run) }]);
}

interface Traffic {
  readonly exchanges: readonly ClientExchange[];
  readonly sockets: readonly ClientSocket[];
}

/** Returns recorded traffic in the form of a trial run, so that the rules can judge the traffic. */
function observedRun({ exchanges, sockets }: Traffic): TrialRun {
  const header = clientFacts.keyHeader.toLowerCase();
  return {
    trial: { name: observedName, scenario: 'run', version: 'v4', judges: [] },
    input: { version: 'v4' },
    states: [],
    key: exchanges.map(({ headers }) => headers[header]).find((key) => key !== undefined && key !== ''),
    exchanges: [...exchanges],
    sockets: [...sockets],
    end: { code: 0, killed: undefined, atMs: 0, stalledMs: 0, stdout: '', stderr: '' },
    interruptedMs: undefined,
    planted: { texts: [], decimal: undefined, kind: undefined, ids: [] },
    printed: undefined,
  };
}
