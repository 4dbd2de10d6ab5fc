import type { Report } from '../core/report.ts';
import { clientFacts } from '#generated/client-facts.ts';
import { clientScenarios } from '#generated/rules.ts';
import { buildClientReport } from './client-report.ts';
import { listClientRules } from './client-rules.ts';
import { noInterference } from './interference.ts';
import { judgeTrials } from './judge-trials.ts';
import { openProxy } from './proxy.ts';
import type { ClientExchange, TrialRun } from './recording.ts';

/** What is observed, and where. */
export interface ObserveOptions {
  /** Address of the deployment, without the prefix of a generation. */
  readonly url: string;
  /** Port of 127.0.0.1 that the client is pointed to. @defaultValue a free one */
  readonly port?: number;
  /** Is told of each request, by its method, its path and the status of its answer. */
  readonly onRequest?: (line: string) => void;
}

/** A proxy that records what a client sends to a deployment, and changes nothing of it. */
export interface Observation {
  /** Where the client finds the deployment. */
  readonly address: string;
  /** Judges what was sent so far. */
  judge(): Report;
  close(): Promise<void>;
}

/** Rules that can be judged without a part in what happens. */
const observed = new Set<string>(clientScenarios.observed);

/** Opens a proxy in front of a deployment. Nothing is put in: what the client sends and receives passes as it is. */
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
      const run = observedRun(proxy.exchanges);
      const rules = listClientRules().filter(({ id }) => observed.has(id));
      const judgements = judgeTrials(rules, [run]);
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

/** The requests of a client as one trial that asked for nothing. */
function observedRun(exchanges: readonly ClientExchange[]): TrialRun {
  const header = clientFacts.keyHeader.toLowerCase();
  const judges = listClientRules().flatMap(({ id }) => (observed.has(id) ? [id] : []));
  return {
    trial: { name: 'observed', scenario: 'run', version: 'v4', judges },
    input: { version: 'v4' },
    states: [],
    key: exchanges.map(({ headers }) => headers[header]).find((key) => key !== undefined && key !== ''),
    exchanges: [...exchanges],
    sockets: [],
    end: { code: 0, killed: undefined, atMs: 0, stdout: '', stderr: '' },
    interruptedMs: undefined,
    planted: { texts: [], decimal: undefined, kind: undefined, ids: [] },
    printed: undefined,
  };
}
