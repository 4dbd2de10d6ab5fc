import { unwatchable } from '../../core/job-target.ts';
import { sample } from '../../core/random.ts';
import type { Drive, Scenario } from '../../core/scenario.ts';
import type { Generation, Target } from '../../core/target/target.ts';
import { narrowed } from '../common/scenarios-part-narrowed.ts';
import { type ProviderCell, isServed, providerCells } from './cells.ts';
import { type ProviderSeen, sendProviderTask, unseen } from './scenarios-part-provider-task.ts';

/** What reached the model providers of one generation. */
export interface ProviderCalls {
  tasks: ProviderSeen[];
}

/** V2 tasks whose requests to the model providers are looked at. */
export const providerTasks: Scenario<ProviderCalls> = {
  ...sendsTasks('v2'),
  name: 'provider-tasks',
  creates: 'one V2 task per cell of the mapping drawn, each until its end',
};

/** V3 sessions whose requests to the model providers are looked at. */
export const providerSessions: Scenario<ProviderCalls> = {
  ...sendsTasks('v3'),
  name: 'provider-sessions',
  creates: 'one V3 session per cell of the mapping drawn, each until its end',
};

/** V4 runs whose requests to the model providers are looked at. */
export const providerRuns: Scenario<ProviderCalls> = {
  ...sendsTasks('v4'),
  name: 'provider-runs',
  creates: 'one V4 run per modelParams value, default and empty object drawn, each until its end',
};

function sendsTasks(generation: Generation): Omit<Scenario<ProviderCalls>, 'name' | 'creates'> {
  return {
    spend: 'task',
    dispatches: 'cells',
    cells: providerCells[generation].length,
    stateful: true,
    unavailable: (target) =>
      unseen(target) ?? (generation === 'v3' ? undefined : unwatchable(target, kinds[generation])),
    drive: (drive) => sendAll(drive, drawProviderCells(drive, generation)),
  };
}

const kinds = { v2: 'task', v4: 'run' } as const;

/** The cells that one run sends: those that every row needs first, the others drawn by the seed; in table order. */
function drawProviderCells({ target, allowance, seed, onlyCell }: Drive, generation: Generation): ProviderCell[] {
  const possible = possibleCells(target, generation);
  const one = narrowed(possible, onlyCell);
  if (one.length < possible.length) return withPartners(one, possible);
  const leading = possible.filter(({ leads }) => leads).slice(0, allowance);
  const others = possible.filter((cell) => !leading.includes(cell));
  const drawn = new Set([...leading, ...sample(others, allowance - leading.length, seed)]);
  return possible.filter((cell) => drawn.has(cell));
}

/** Cells that the account of a target has a provider key for. */
export function possibleCells(target: Target, generation: Generation): ProviderCell[] {
  return providerCells[generation].filter((cell) => isServed(cell, target));
}

// What is compared with another task of the same model needs it too.
function withPartners(wanted: readonly ProviderCell[], all: readonly ProviderCell[]): ProviderCell[] {
  const models = wanted.filter(({ generation }) => generation === 'v2').map(({ model }) => model);
  return all.filter((cell) => wanted.includes(cell) || (models.includes(cell.model) && cell.option !== 'level'));
}

async function sendAll(drive: Drive, cells: readonly ProviderCell[]): Promise<ProviderCalls> {
  // All of them come to rest before the first error is told: nothing may be dispatched after the scenario has ended.
  const sent = await Promise.allSettled(cells.map((cell) => drive.live(() => sendProviderTask(drive, cell))));
  return {
    tasks: sent.map((one) => {
      if (one.status === 'rejected') throw one.reason;
      return one.value;
    }),
  };
}
