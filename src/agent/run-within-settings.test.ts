import { afterAll, expect, test } from 'vitest';
import { createSimulatedHost } from '#browsers/simulated/simulated-host.ts';
import type { Agent, AgentOutcome, AgentTask, AgentWorld, TaskSettings } from './agent.ts';
import { createOfflinePlanner } from '#planner/offline-planner.ts';
import { runWithinSettings } from './run-within-settings.ts';
import { withScripts } from './script/with-scripts.ts';
import { filesInMemory } from './testing/files-in-memory.ts';
import { createOutputJudges } from './output/schema/create-output-judges.ts';
import { defaultRules } from '#contract/rule-book.ts';

const judges = createOutputJudges(defaultRules);
afterAll(() => judges.close());

const planner = createOfflinePlanner({ testTasks: true });

interface Ran {
  readonly outcome: AgentOutcome;
  readonly steps: readonly string[];
  /** URL of the tab at the end. */
  readonly url: string;
}

interface Changes extends TaskSettings {
  readonly agent?: Agent;
  readonly task?: Partial<AgentTask>;
  readonly signal?: AbortSignal;
}

async function run(goal: string, { agent = planner, task = {}, signal, ...settings }: Changes): Promise<Ran> {
  const browser = await createSimulatedHost().launch({
    sessionId: 's',
    screen: { width: 800, height: 600 },
    proxyCountryCode: null,
  });
  const steps: string[] = [];
  const world: AgentWorld = {
    signal: signal ?? new AbortController().signal,
    tab: () => browser.tab(),
    step: async ({ summary }) => void steps.push(summary),
    wait: async () => undefined,
    files: filesInMemory({ 'notes.txt': 'some notes' }),
    model: null,
    mailbox: null,
    judge: judges.of('project'),
  };
  const whole: AgentTask = {
    goal,
    model: 'any',
    modelParams: null,
    outputSchema: null,
    codeMode: false,
    ...task,
    settings,
  };
  const outcome = await runWithinSettings(agent, whole, world);
  return { outcome, steps, url: await (await browser.tab()).url() };
}

const usedUp = (steps: number): string => `I used all ${steps} steps that the task may take.`;

test('begins on the page that is asked for', async () => {
  const { outcome, steps } = await run('Tell me the title', { startUrl: 'https://shop.example/' });
  expect(outcome).toEqual({ success: true, output: 'shop.example' });
  expect(steps).toHaveLength(1);
});

test('a page that cannot be opened ends the task before it began', async () => {
  const { outcome, steps } = await run('Say hello', { startUrl: 'https://gone.invalid/' });
  const reason = 'Could not open https://gone.invalid/: the host gone.invalid is unknown.';
  expect([outcome, steps]).toEqual([{ success: false, reason, output: reason }, []]);
});

test.each([
  { maxSteps: 3, success: true, steps: 3, url: 'https://c.example/' },
  { maxSteps: 2, success: false, steps: 2, url: 'https://b.example/' },
  { maxSteps: 1, success: false, steps: 1, url: 'https://a.example/' },
])('of three steps, with at most $maxSteps: $success', async ({ maxSteps, success, steps, url }) => {
  const ran = await run('Open https://a.example, open https://b.example, open https://c.example', { maxSteps });
  expect(ran.outcome.success).toBe(success);
  expect([ran.steps.length, ran.url]).toEqual([steps, url]);
  if (!success) expect(ran.outcome).toEqual({ success, reason: usedUp(maxSteps), output: usedUp(maxSteps) });
});

test('waiting and answering take steps too', async () => {
  for (const goal of ['Say one, wait 5 seconds', 'Wait 1 second, say two']) {
    const { outcome, steps } = await run(goal, { maxSteps: 1 });
    expect([outcome.reason, steps.length]).toEqual([usedUp(1), 1]);
  }
});

test('has no output where only a schema would be one', async () => {
  const task = { outputSchema: { type: 'object' } };
  const { outcome } = await run('Open https://a.example', { maxSteps: 1, task });
  expect(outcome).toEqual({ success: false, reason: usedUp(1), output: null });
});

test('an agent that does not care is not believed', async () => {
  const stubborn: Agent = {
    async run(_task, world) {
      const tab = await world.tab();
      await world.step({ summary: 'one', action: {}, url: '', usage: { inputTokens: 1, outputTokens: 1 } });
      for (const act of [
        () => tab.open('https://b.example'),
        () => tab.url(),
        () => tab.title(),
        () => tab.headings(),
        () => tab.links(),
        () => tab.tables(),
        () => tab.text(),
        () => tab.click('More'),
        () => tab.type('Search', 'x'),
        () => tab.press('Enter'),
        () => world.tab(),
        () => world.wait(1),
      ]) {
        await expect(act()).rejects.toThrow('the steps of the task are used up');
      }
      return { success: true, output: 'I did it' };
    },
  };
  const { outcome, url } = await run('goal', { agent: stubborn, maxSteps: 1 });
  expect([outcome.success, outcome.reason, url]).toEqual([false, usedUp(1), 'about:blank']);
});

test('the end from outside and a failure stay what they are', async () => {
  const reason = new Error('stopped');
  const signal = AbortSignal.abort(reason);
  await expect(run('Say hello', { maxSteps: 1, signal })).rejects.toBe(reason);
  await expect(run('Say hello', { startUrl: 'https://a.example', signal })).rejects.toBe(reason);
  await expect(run('svc-test: crash', { maxSteps: 5 })).rejects.toThrow('crashes on purpose');
});

test('files are out of reach after the last step', async () => {
  const { outcome, steps } = await run('Read the file notes.txt and save it as copy.txt', { maxSteps: 1 });
  expect([outcome.success, outcome.output, steps.length]).toEqual([false, usedUp(1), 1]);
});

test('the script of a run that took all of its steps is kept, and its record takes none', async () => {
  const goal = 'Open https://a.example and click More';
  const agent = withScripts(planner);
  const { outcome, steps } = await run(goal, { agent, maxSteps: 2, script: { autoHeal: false } });
  expect(outcome).toMatchObject({ success: true });
  expect(steps).toHaveLength(3);
  expect(steps.at(-1)).toMatch(/^Kept the script .*: version 1, 2 steps$/);
});
