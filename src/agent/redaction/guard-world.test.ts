import { afterAll, expect, it, test } from 'vitest';
import { defaultRules } from '#contract/rule-book.ts';
import { createOfflinePlanner } from '#planner/index.ts';
import type { AgentStep, AgentWorld } from '../agent.ts';
import { createOutputJudges } from '../output/schema/create-output-judges.ts';
import { call, scriptedModel } from '../loop/testing/scripted-model.ts';
import type { Mail, Mailbox, MailSummary } from '../mailbox.ts';
import type { ModelReply } from '../model/model-call.ts';
import { filesInMemory } from '../testing/files-in-memory.ts';
import { guardMailbox, guardModel, guardWorld } from './guard-world.ts';
import { createRedactor } from './redactor.ts';

const judges = createOutputJudges(defaultRules);
afterAll(() => judges.close());

const value = 'correct-horse-battery';
const secrets = [{ name: 's', value, domains: null }];

function getWorld(files: Readonly<Record<string, string>>) {
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

async function getOutcome(goal: string, world: AgentWorld) {
  const task = { goal, model: 'm', modelParams: null, outputSchema: null, codeMode: false };
  return createOfflinePlanner({ testTasks: false }).run(task, world);
}

it('a summary that is cut off within a value of a file shows no part of it', async () => {
  const { steps, world } = getWorld({ 'notes.txt': `${'x'.repeat(90)} ${value} and more` });
  const { output } = await getOutcome('Read the file notes.txt', world);
  expect(JSON.stringify([steps, output])).toContain('<secret:s>');
  expect(JSON.stringify([steps, output])).not.toContain('correct');
});

it('paths of files show no value, and are found by their placeholders', async () => {
  const { steps, world } = getWorld({ [`${value}.txt`]: 'hello' });
  for (const goal of ['List the files', 'Read the attached file', 'Read the file <secret:s>.txt']) {
    const { success, output } = await getOutcome(goal, world);
    expect(success).toBe(true);
    expect(JSON.stringify([steps, output])).not.toContain(value);
  }
});

it('a file that is put into a page has its own bytes', async () => {
  const { world } = getWorld({ 'notes.txt': value });
  expect(new TextDecoder().decode((await world.files.read('notes.txt')).bytes)).toBe(value);
});

it('an error about a file shows no value, and stays an error about a file', async () => {
  const { world } = getWorld({});
  const { success, output } = await getOutcome(`Read the file <secret:s>.txt`, world);
  expect([success, output]).toEqual([false, 'There is no file <secret:s>.txt.']);
});

const valueGuardMailbox = 'hunter2-hunter2';
const summary: MailSummary = {
  number: 1,
  from: `${valueGuardMailbox}@example.com`,
  fromName: valueGuardMailbox,
  subject: `Your ${valueGuardMailbox}`,
  receivedAt: 0,
  isNew: true,
};
const mail: Mail = {
  ...summary,
  text: `It is ${valueGuardMailbox}.`,
  links: [{ text: valueGuardMailbox, url: `https://a.example/?p=${valueGuardMailbox}` }],
  codes: [valueGuardMailbox],
  attachments: [{ name: `${valueGuardMailbox}.txt`, contentType: 'text/plain', size: 1 }],
};
const mailbox: Mailbox = {
  address: 'a@inbox.localhost',
  list: async () => [summary],
  wait: async () => mail,
  read: async (number) => (number === 1 ? mail : null),
};

test('shows no value of a secret anywhere in a mail', async () => {
  const guarded = guardMailbox(mailbox, createRedactor([{ name: 'pin', value: valueGuardMailbox, domains: null }]));
  const shown = [await guarded.list(), await guarded.wait({}, new AbortController().signal), await guarded.read(1)];
  const text = JSON.stringify(shown);
  expect(text).not.toContain(valueGuardMailbox);
  expect(text).toContain('It is <secret:pin>.');
  expect(await guarded.read(2)).toBeNull();
  expect(guarded.address).toBe('a@inbox.localhost');
});

const redactor = createRedactor([{ name: 's', value, domains: null }]);

it('a request that holds values reaches the model without any, and what the model said itself as it was', async () => {
  const model = scriptedModel(() => call('finish'), { seesImages: true });
  const reply: ModelReply = {
    text: 'I go on',
    toolCalls: [],
    end: 'done',
    usage: { inputTokens: 0, outputTokens: 0 },
    replay: { signature: 'abc' },
  };
  const text = { kind: 'text', text: `x ${value} y` } as const;
  const guarded = guardModel(model, redactor);
  await guarded.call({
    system: value,
    messages: [
      { role: 'user', parts: [text] },
      { role: 'model', reply },
      { role: 'tools', results: [{ callId: '1', name: 'n', parts: [text], isError: false }] },
    ],
    tools: [],
    toolChoice: 'auto',
    outputSchema: { const: value },
    maxOutputTokens: 1,
  });
  const sent = JSON.stringify(model.requests);
  expect(sent).not.toContain(value);
  expect(sent.match(/<secret:s>/g)).toHaveLength(4);
  expect(model.requests[0]?.messages[1]).toEqual({ role: 'model', reply });
  expect(guarded.seesImages).toBe(true);
});
