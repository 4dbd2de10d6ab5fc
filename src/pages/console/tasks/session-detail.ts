import type { ConsoleRun } from '#contract/console-messages.ts';
import { usdOfMicros } from '../format/money.ts';

type Worked = Pick<ConsoleRun, 'answeredBy' | 'llmMicros' | 'browserMicros' | 'proxyMicros'>;

const words = { offline_planner: 'offline planner', simulation: 'simulated model' } as const;

/** Names what answered runs: the model that was asked for, and what stood in its place. Before an answer the model alone. */
export function workerWords(model: string, runs: readonly Pick<ConsoleRun, 'answeredBy'>[]): string {
  const answered = new Set(runs.flatMap(({ answeredBy }) => answeredBy ?? []));
  const others = (['offline_planner', 'simulation'] as const).filter((worker) => answered.has(worker));
  const isModel = answered.has('model') || others.length === 0;
  return [...(isModel ? [model] : []), ...others.map((worker) => words[worker])].join(' and ');
}

/** The parts of what runs have cost; parts that cost nothing are left out. */
export function costRows(runs: readonly Worked[]): (readonly [string, string | null])[] {
  const sum = (pick: (run: Worked) => number): string | null => {
    const micros = runs.reduce((all, run) => all + pick(run), 0);
    return micros === 0 ? null : usdOfMicros(micros);
  };
  return [
    ['For the model', sum(({ answeredBy, llmMicros }) => (answeredBy === 'simulation' ? 0 : llmMicros))],
    ['Simulated tokens', sum(({ answeredBy, llmMicros }) => (answeredBy === 'simulation' ? llmMicros : 0))],
    ['For the browser', sum(({ browserMicros }) => browserMicros)],
    ['For the proxy', sum(({ proxyMicros }) => proxyMicros)],
  ];
}
