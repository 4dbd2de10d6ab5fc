import type { ConsoleRun } from '../../../contract/console-messages.ts';
import { usdOfMicros } from '../format/money.ts';

type Worked = Pick<ConsoleRun, 'workedBy' | 'llmMicros' | 'browserMicros' | 'proxyMicros'>;

/** Names what worked on runs: the model that was asked for, unless no model has answered. */
export function workerWords(model: string, runs: readonly Pick<ConsoleRun, 'workedBy'>[]): string {
  const [hasModel, hasPlanner] = (['model', 'planner'] as const).map((worker) =>
    runs.some(({ workedBy }) => workedBy === worker),
  );
  if (hasPlanner !== true) return model;
  return hasModel === true ? `${model} and offline planner` : 'offline planner';
}

/** The parts of what runs have cost; a model that has not answered has none. */
export function costRows(runs: readonly Worked[]): (readonly [string, string | null])[] {
  const sum = (pick: (run: Worked) => number): string | null => {
    const micros = runs.reduce((all, run) => all + pick(run), 0);
    return micros === 0 ? null : usdOfMicros(micros);
  };
  return [
    ['For the model', sum(({ workedBy, llmMicros }) => (workedBy === 'model' ? llmMicros : 0))],
    ['For the planner', sum(({ workedBy, llmMicros }) => (workedBy === 'planner' ? llmMicros : 0))],
    ['For the browser', sum(({ browserMicros }) => browserMicros)],
    ['For the proxy', sum(({ proxyMicros }) => proxyMicros)],
  ];
}
