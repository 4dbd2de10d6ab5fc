import { testTasks } from '#generated/rules.ts';
import { isJsonObject } from '#lib/json.ts';
import type { Valid } from '../http/interrupt.ts';
import { readTestTask } from '#planner/index.ts';
import type { Caller } from '#operations/common/caller.ts';

/** The test tasks whose requests are refused before anything is made. */
export interface TestRefusals {
  /** What a request is refused with; null where it goes on. */
  statusOf(valid: Pick<Valid<Caller>, 'parsed' | 'caller'>): 429 | 500 | null;
  clear(): void;
}

const { refusals, refusalsMax } = testTasks.numbers;

/** By name: the status, and how often without a parameter. */
const refused = {
  'rate-limited': { status: 429, times: refusals },
  'server-error': { status: 500, times: 1 },
} as const;

/** Counts for each project and goal on its own; a goal that has got through is refused anew the next time. */
export function createTestRefusals(): TestRefusals {
  const counts = new Map<string, number>();
  return {
    statusOf({ parsed, caller }) {
      const found = refusalIn(goalOf(parsed.body));
      if (found === null) return null;
      const name = JSON.stringify([caller.scope, found.goal]);
      const count = counts.get(name) ?? 0;
      if (count >= found.times) {
        counts.delete(name);
        return null;
      }
      counts.set(name, count + 1);
      return found.status;
    },
    clear: () => counts.clear(),
  };
}

function refusalIn(goal: string | null): { goal: string; status: 429 | 500; times: number } | null {
  const read = goal === null ? null : readTestTask(goal);
  if (goal === null || read === null || (read.name !== 'rate-limited' && read.name !== 'server-error')) return null;
  const { status, times } = refused[read.name];
  const asked = read.parameter === '' ? times : Number(read.parameter);
  return { goal, status, times: Number.isInteger(asked) && asked >= 1 ? Math.min(asked, refusalsMax) : times };
}

/** The goal that a body asks for: of a task, session or run, or of a message to one. */
function goalOf(body: unknown): string | null {
  if (!isJsonObject(body)) return null;
  const goal = body['task'] ?? body['text'];
  return typeof goal === 'string' ? goal : null;
}
