import type { ConsoleRun, ConsoleSessionDetail } from '#contract/console-messages.ts';
import { formatUsdMicros } from '../format.ts';
import { useSession } from '../api/hooks.ts';
import { usePoll } from '../api/polling.ts';

type Worked = Pick<ConsoleRun, 'answeredBy' | 'llmMicros' | 'browserMicros' | 'proxyMicros'>;

const words = { offline_planner: 'offline planner', simulation: 'simulated model', script: 'script' } as const;

/**
 * Returns the workers that answered the runs as text, joined by `and`: the requested model, the offline planner, a
 * simulated model, a script. Before the first answer, returns only the requested model.
 */
export function workerWords(model: string, runs: readonly Pick<ConsoleRun, 'answeredBy'>[]): string {
  const answered = new Set(runs.flatMap(({ answeredBy }) => answeredBy ?? []));
  const others = (['offline_planner', 'simulation', 'script'] as const).filter((worker) => answered.has(worker));
  const isModel = answered.has('model') || others.length === 0;
  return [...(isModel ? [model] : []), ...others.map((worker) => words[worker])].join(' and ');
}

/** Returns a row for each part of the costs of runs; its text is null for a part that cost nothing. */
export function costRows(runs: readonly Worked[]): (readonly [string, string | null])[] {
  const sum = (pick: (run: Worked) => number): string | null => {
    const micros = runs.reduce((all, run) => all + pick(run), 0);
    return micros === 0 ? null : formatUsdMicros(micros);
  };
  return [
    ['For the model', sum(({ answeredBy, llmMicros }) => (answeredBy === 'simulation' ? 0 : llmMicros))],
    ['Simulated tokens', sum(({ answeredBy, llmMicros }) => (answeredBy === 'simulation' ? llmMicros : 0))],
    ['For the browser', sum(({ browserMicros }) => browserMicros)],
    ['For the proxy', sum(({ proxyMicros }) => proxyMicros)],
  ];
}

const everyMs = 2_000;

/**
 * Reads details of a session that no documented operation returns: when `state` changes, and repeatedly while the
 * session works.
 */
export function useSessionDetail(
  sessionId: string,
  { state, isWorking }: { readonly state: string; readonly isWorking: boolean },
): Partial<ConsoleSessionDetail> & Pick<ConsoleSessionDetail, 'runs'> {
  const { api } = useSession();
  const path = `console/api/sessions/${sessionId}`;
  // Additional facts: when reading them fails, the error of the session itself is shown.
  const { value } = usePoll(
    `${path} ${state}`,
    () => api.call<ConsoleSessionDetail>('GET', path),
    isWorking ? everyMs : null,
  );
  return value ?? { runs: [] };
}
