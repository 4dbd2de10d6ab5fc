import { describe, expect, it } from 'vitest';
import { type StartedTime, findFaults, runSchedules } from './run-schedules.ts';

/** Time limit in ms of the test, which starts and kills several processes of the service. */
const processesMs = 300_000;

it('starts each time of a schedule once while the service is killed', { timeout: processesMs }, async () => {
  const result = await runSchedules({ kills: 4, seed: 15 });
  expect(result.faults).toEqual([]);
  expect(result).toMatchObject({ kills: 4, singles: 20 });
  expect(result.starts).toBeGreaterThanOrEqual(20);
});

describe('the faults of starts', () => {
  const start: StartedTime = {
    scheduleId: 'a',
    dueAt: 60_000,
    startedAt: 61_000,
    sessionId: 's',
    refusal: null,
    status: 'stopped',
    runs: 1,
    runsOfSchedule: 1,
  };

  it('do not include a single time that started once', () => {
    expect(findFaults({ singles: ['a'], repeated: [], starts: [start] })).toEqual([]);
  });

  it.each([
    { name: 'a lost time', starts: [] },
    { name: 'a second start', starts: [start, { ...start, dueAt: 120_000, runsOfSchedule: 2 }] },
    { name: 'a second run', starts: [{ ...start, runs: 2, runsOfSchedule: 2 }] },
    { name: 'a run without a start', starts: [{ ...start, runsOfSchedule: 2 }] },
    { name: 'a refusal', starts: [{ ...start, sessionId: null, refusal: 'full', status: null, runs: 0 }] },
    { name: 'a session that goes on', starts: [{ ...start, status: 'running' }] },
  ])('include $name', ({ starts }) => {
    expect(findFaults({ singles: ['a'], repeated: [], starts })).not.toEqual([]);
  });

  it('include a lost minute, and no minute that passed while no process ran', () => {
    const times = (...list: readonly (readonly [due: number, started: number])[]) =>
      list.map(([dueAt, startedAt]) => ({ ...start, dueAt, startedAt, runsOfSchedule: list.length }));
    const lost = (starts: StartedTime[]) => findFaults({ singles: [], repeated: ['a'], starts });
    expect(lost(times([60_000, 61_000], [120_000, 121_000]))).toEqual([]);
    expect(lost(times([60_000, 190_000], [240_000, 241_000]))).toEqual([]);
    expect(lost(times([60_000, 61_000], [180_000, 181_000]))).toHaveLength(1);
  });
});
