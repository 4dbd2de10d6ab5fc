import { expect, it, test } from 'vitest';
import type { JsonValue } from '#lib/json.ts';
import { evaluation, stepGoal } from './render-task.ts';

const rows: readonly { readonly given: JsonValue; readonly want: string }[] = [
  { given: { kind: 'open', url: 'https://a.example/' }, want: 'Open https://a.example/.' },
  { given: { kind: 'type', text: '<secret:pin>', field: 'PIN' }, want: 'Type "<secret:pin>" into "PIN".' },
  { given: { kind: 'check', name: 'Terms', isOn: false }, want: 'Clear "Terms".' },
  { given: { kind: 'wait', seconds: 2 }, want: 'Wait 2 s.' },
  { given: { kind: 'say', text: 'hello world' }, want: 'Answer "hello world".' },
  { given: { kind: 'waitForMail', from: null, subject: 'Code' }, want: 'Wait for a mail with the subject "Code".' },
  { given: { kind: 'run_code', source: '1' }, want: 'Use the tool run_code.' },
  { given: { kind: 'run_code', said: 'I count the rows.' }, want: 'I count the rows.' },
  { given: { kind: 'constructor' }, want: 'Use the tool constructor.' },
  { given: {}, want: 'Work on the task.' },
  { given: 'x', want: 'Work on the task.' },
];

test.each(rows)('renders the goal of $given as $want', ({ given, want }) => {
  expect(stepGoal({ action: JSON.stringify(given) })).toBe(want);
});

it('truncates long texts', () => {
  const goal = stepGoal({ action: JSON.stringify({ kind: 'say', text: 'ab '.repeat(100_000) }) });
  expect(goal.length).toBeLessThan(250);
  expect(goal).toMatch(/…"\.$/);
});

it('shows a text of 200 characters completely, and truncates a longer text to 200', () => {
  const goal = (length: number): string =>
    stepGoal({ action: JSON.stringify({ kind: 'say', text: 'a'.repeat(length) }) });
  expect(goal(200)).toBe(`Answer "${'a'.repeat(200)}".`);
  expect(goal(201)).toBe(`Answer "${'a'.repeat(199)}…".`);
});

it('renders the evaluation of a step from the previous summary', () => {
  expect(evaluation(null)).toBe('There is no step before this step.');
  expect(evaluation({ number: 2, summary: 'Pressed Enter' })).toBe('Step 2: Pressed Enter');
});
