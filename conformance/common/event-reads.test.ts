import { expect, it } from 'vitest';
import type { ScenarioContext } from '../core/scenario.ts';
import { defaultTarget } from '../core/default-target.ts';
import { createEventReader } from './event-reads.ts';

/** Creates the context of a run whose event list has `count` pages of one event each. */
function createContext(count: () => number): ScenarioContext {
  const send = async ({ path }: { path: string }): Promise<object> => {
    const after = Number(/after=(\d+)/.exec(path)?.[1] ?? 0);
    const events = after < count() ? [{ id: after + 1 }] : [];
    return { status: 200, json: { events, nextAfter: after + events.length } };
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the event reader uses only these members
  return { target: defaultTarget, send } as unknown as ScenarioContext;
}

it('marks a read beyond the page limit as cut, and continues it from its cursor', async () => {
  const reader = createEventReader(
    createContext(() => 201),
    'run',
  );
  await reader?.readAll();
  await reader?.readOn();
  await reader?.readOn();
  expect(reader?.reads.map(({ served, isCut, events }) => [served, isCut, events.length])).toEqual([
    [true, true, 200],
    [true, true, 200],
    [true, false, 201],
  ]);
});

it('marks a read up to the end of the list as complete', async () => {
  const reader = createEventReader(
    createContext(() => 3),
    'run',
  );
  await reader?.readAll();
  expect(reader?.reads).toMatchObject([{ served: true, isCut: false, events: [{ id: 1 }, { id: 2 }, { id: 3 }] }]);
});
