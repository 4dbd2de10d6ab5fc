import { expect, it } from 'vitest';
import { browserStatus, type RunState, runState, type SessionStatus, sessionStatus } from '#generated/states.ts';
import { endStates, findTransition, isBrowserStatus, isTerminal, liveStates, shownStatus } from './lifecycle.ts';
import { defaultRules } from './rule-book.ts';

const { lifecycle } = defaultRules;

it('does not compile a misspelt state', () => {
  // @ts-expect-error -- a session is never "runing"
  const status: SessionStatus = 'runing';
  // @ts-expect-error -- the states of a session have no "succeeded"
  const misspelt = sessionStatus.succeeded;
  // @ts-expect-error -- a run is never "idle"
  const state: RunState = sessionStatus.idle;
  // @ts-expect-error -- a comparison with a state of another machine is always false
  const isNever = (found: SessionStatus): boolean => found === runState.queued;
  // @ts-expect-error -- no transition leaves a state of another machine
  const query = (): unknown => findTransition(lifecycle, { id: 'dispatch', from: browserStatus.active });
  expect([status, misspelt, state, isNever, query]).toHaveLength(5);
});

it('divides the states of a session into living ones and end states', () => {
  expect(liveStates(lifecycle)).toEqual(['created', 'idle', 'running']);
  expect(endStates(lifecycle)).toEqual(['stopped', 'timed_out', 'error']);
  expect(isTerminal(lifecycle, sessionStatus.timed_out)).toBe(true);
  expect(isTerminal(lifecycle, sessionStatus.idle)).toBe(false);
});

it('finds a transition by its id, its condition and the state that it leaves', () => {
  const kept = findTransition(lifecycle, { id: 'complete', condition: 'keepAlive is true' });
  expect(kept).toEqual({ from: ['running'], to: 'idle' });
  expect(findTransition(lifecycle, { id: 'dispatch', from: sessionStatus.created }).to).toBe('running');
  expect(findTransition(lifecycle, { id: 'stop' })).toEqual({ from: ['created', 'idle', 'running'], to: 'stopped' });
  expect(() => findTransition(lifecycle, { id: 'vanish' })).toThrow('lifecycle: no move {"id":"vanish"}');
});

it('shows a run state by the word of the API version', () => {
  expect(shownStatus(defaultRules, 'v2', runState.crashed)).toBe('finished');
  expect(shownStatus(defaultRules, 'v4', runState.crashed)).toBe('failed');
  const views = lifecycle.views.map((view) => ({ ...view, status: 'vanished' }));
  const broken = { lifecycle: { ...lifecycle, views } };
  expect(() => shownStatus(broken, 'v4', runState.crashed)).toThrow('lifecycle: no view of a crashed run in v4');
});

it('knows the statuses of browsers', () => {
  expect(['active', 'stopped', 'idle', null].filter(isBrowserStatus)).toEqual(['active', 'stopped']);
});
