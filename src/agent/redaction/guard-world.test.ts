import { afterAll, expect, it } from 'vitest';
import type { AgentStep, AgentWorld } from '../agent.ts';
import { createOfflinePlanner } from '#planner/index.ts';
import { filesInMemory } from '../testing/files-in-memory.ts';
import { guardWorld } from './guard-world.ts';
import { createRedactor } from './redactor.ts';
import { createOutputJudges } from '../index.ts';
import { defaultRules } from '#contract/rule-book.ts';

const judges = createOutputJudges(defaultRules);
afterAll(() => judges.close());

const value = 'correct-horse-battery';
const secrets = [{ name: 's', value, domains: null }];

function worldOf(files: Readonly<Record<string, string>>) {
  const steps: AgentStep[] = [];
  const stored = filesInMemory(files, Object.keys(files));
  const world: AgentWorld = {
    tab: () => Promise.reject(new Error('no page is needed')),
    files: stored,
    model: null,
    mailbox: null,
    judge: judges.of('project'),
    signal: new AbortController().signal,
    step: async (step) => void steps.push(step),
    wait: async () => undefined,
  };
  const guard = { secrets, redactor: createRedactor(secrets), onTyped: () => undefined, hasTyped: () => false };
  return { steps, stored: stored.stored, world: guardWorld(world, guard) };
}

async function outcomeOf(goal: string, world: AgentWorld) {
  const task = { goal, model: 'm', modelParams: null, outputSchema: null, codeMode: false };
  return createOfflinePlanner({ testTasks: false }).run(task, world);
}

it('a summary that is cut off within a value of a file shows no part of it', async () => {
  const { steps, world } = worldOf({ 'notes.txt': `${'x'.repeat(90)} ${value} and more` });
  const { output } = await outcomeOf('Read the file notes.txt', world);
  expect(JSON.stringify([steps, output])).toContain('<secret:s>');
  expect(JSON.stringify([steps, output])).not.toContain('correct');
});

it('paths of files show no value, and are found by their placeholders', async () => {
  const { steps, world } = worldOf({ [`${value}.txt`]: 'hello' });
  for (const goal of ['List the files', 'Read the attached file', 'Read the file <secret:s>.txt']) {
    const { success, output } = await outcomeOf(goal, world);
    expect(success).toBe(true);
    expect(JSON.stringify([steps, output])).not.toContain(value);
  }
});

it('a file that is put into a page has its own bytes', async () => {
  const { world } = worldOf({ 'notes.txt': value });
  expect(new TextDecoder().decode((await world.files.read('notes.txt')).bytes)).toBe(value);
});

it('an error about a file shows no value, and stays an error about a file', async () => {
  const { world } = worldOf({});
  const { success, output } = await outcomeOf(`Read the file <secret:s>.txt`, world);
  expect([success, output]).toEqual([false, 'There is no file <secret:s>.txt.']);
});
