import { describe, expect, it } from 'vitest';
import { TabError } from '#browsers/tab/tab.ts';
import type { Agent, AgentOutcome, AgentStep, AgentTask, AgentWorld, TaskServices } from '../agent.ts';
import { guardWorld } from '../redaction/guard-world.ts';
import { createRedactor } from '../redaction/redactor.ts';
import { type FilesInMemory, filesInMemory } from '../testing/files-in-memory.ts';
import { call, finish, scriptedModel, type ScriptedModel } from '../loop/testing/scripted-model.ts';
import { createPaperTab, type PaperPage, type PaperTab } from './testing/paper-tab.ts';
import { withScripts } from './with-scripts.ts';

const shopPage = 'http://shop.example/';
const donePage = 'http://shop.example/done';

const form = (more = ''): string => `- main [ref=e1]:
  - heading "Checkout" [level=1] [ref=e2]
  - textbox "Name" [ref=e3]
  - textbox "Password" [ref=e4]
  - button "Place order" [ref=e5]${more}`;
const done = (number: string): string => `- main [ref=e1]:
  - heading "Thank you" [level=1] [ref=e2]
  - paragraph [ref=e3]: Your order has the number ${number}.`;

const facts = {
  e3: { kind: 'input:text', target: 'post http://shop.example/order name' },
  e4: { kind: 'input:password', target: 'post http://shop.example/order password' },
  e5: { kind: 'button:submit', target: 'post http://shop.example/order' },
};

/** Returns the pages of a shop: an order form, and the confirmation page after it. */
function shop({ outline = form(), number = 'HK-1001', more = {} }: ShopChanges = {}): Record<string, PaperPage> {
  return {
    [shopPage]: { outline, facts: { ...facts, ...more }, leads: { e5: donePage } },
    [donePage]: { outline: done(number) },
  };
}

interface ShopChanges {
  readonly outline?: string;
  readonly number?: string;
  readonly more?: PaperPage['facts'];
}

/** Creates an agent that orders in the shop and whose output is the order number that the page shows. */
const orders = (name = 'Ada Byron'): Agent => ({
  async run(_task, world): Promise<AgentOutcome> {
    const tab = await world.tab();
    await tab.open(shopPage);
    await tab.snapshot();
    await tab.elements.type('e3', name);
    await tab.elements.type('e4', '<secret:pin>');
    await tab.elements.click('e5');
    const { outline } = await tab.snapshot();
    return { success: true, output: `Ordered: ${/[A-Z]+-\d+/.exec(outline)?.[0]}` };
  },
});

const neverCalled: Agent = {
  run: () => Promise.reject(new Error('the agent was called')),
};

const unused = scriptedModel(() => Promise.reject(new Error('the model was called')));

interface Options {
  readonly files: FilesInMemory;
  readonly tab: PaperTab;
  readonly goal?: string;
  readonly model?: ScriptedModel | null;
  readonly autoHeal?: boolean;
  readonly change?: Partial<AgentTask>;
  readonly services?: Pick<AgentWorld, 'services'>;
}

interface Ran {
  readonly outcome: AgentOutcome;
  readonly steps: readonly AgentStep[];
  readonly summaries: string;
  /** Number of pauses between observations. */
  readonly waits: number;
}

const orderGoal = 'Order for @{{Ada Byron}} with the secret pin';

async function run(
  agent: Agent,
  { files, tab, goal = orderGoal, model = null, autoHeal = false, change = {}, services = {} }: Options,
): Promise<Ran> {
  const steps: AgentStep[] = [];
  let waits = 0;
  const secrets = [{ name: 'pin', value: 'correct-horse', domains: null }];
  const world: AgentWorld = {
    tab: async () => tab,
    files,
    mailbox: null,
    judge: { check: async () => ({ ok: true }), conform: () => Promise.reject(new Error('not used')) },
    signal: new AbortController().signal,
    step: async (step) => void steps.push(step),
    model,
    wait: async () => void (waits += 1),
    ...services,
  };
  const redactor = createRedactor(secrets);
  const guarded = guardWorld(world, { secrets, redactor, onTyped: () => undefined, hasTyped: () => false });
  const task: AgentTask = {
    goal,
    model: 'm',
    modelParams: null,
    outputSchema: null,
    codeMode: false,
    settings: { script: { autoHeal } },
    ...change,
  };
  const outcome = await withScripts(agent).run(task, guarded);
  return { outcome, steps, waits, summaries: steps.map(({ summary }) => summary).join('\n') };
}

/** Returns a workspace with the script of a successful run. */
async function recorded(goal = orderGoal): Promise<FilesInMemory> {
  const files = filesInMemory();
  await run(orders(), { files, tab: createPaperTab(shop()), goal });
  return files;
}

const joinTexts = (files: FilesInMemory): string =>
  [...files.stored.values()].map((bytes) => Buffer.from(bytes)).join('');

describe('recording', () => {
  it('leaves a readable script in the workspace after a successful run', async () => {
    const files = await recorded();
    const [path = ''] = files.stored.keys();
    expect(path).toMatch(/^scripts\/order-for-1-with-the-secret-[0-9a-f]{12}\.json$/);
    expect(JSON.parse(joinTexts(files))).toMatchObject({
      version: 1,
      task: 'Order for @{{1}} with the secret pin',
      steps: [
        { action: { do: 'open', url: shopPage } },
        { action: { do: 'type', text: '@{{1}}', on: { role: 'textbox', name: 'Name', under: 'Checkout' } } },
        { action: { do: 'type', text: '<secret:pin>' } },
        { action: { do: 'click', on: { role: 'button', target: 'post http://shop.example/order' } } },
      ],
      answer: { output: 'Ordered: @{{read.1}}', lines: ['Thank you', 'Your order has the number @{{read.1}}.'] },
    });
  });

  it('never writes a secret value', async () => {
    expect(joinTexts(await recorded())).not.toContain('correct-horse');
  });

  it('leaves nothing after a run without success', async () => {
    const files = filesInMemory();
    const failing: Agent = { run: async (task, world) => ({ ...(await orders().run(task, world)), success: false }) };
    await run(failing, { files, tab: createPaperTab(shop()) });
    expect([...files.stored.keys()]).toEqual([]);
  });

  it.each([
    { name: 'calls an integration', use: 'integrations', says: 'calls a tool of the integration notes' },
    { name: 'proposes a scheduled task', use: 'proposals', says: 'proposes a scheduled task' },
  ] as const)('keeps no script of a run that $name', async ({ use, says }) => {
    const files = filesInMemory();
    const services: TaskServices = {
      skills: null,
      proposals: { propose: async () => ({ refusal: 'no' }) },
      integrations: { tools: async () => [], call: async () => 'ok' },
    };
    const agent: Agent = {
      async run(task, world) {
        if (use === 'proposals') await world.services?.proposals?.propose({ task: 'x', cron: '0 9 * * *' });
        else await world.services?.integrations?.call('notes', { tool: 'read', input: {} });
        return orders().run(task, world);
      },
    };
    const { summaries } = await run(agent, { files, tab: createPaperTab(shop()), services: { services } });
    expect(summaries).toContain(`Kept no script: the run ${says}`);
  });

  it('shows the marked elements of a screenshot as without a script, and keeps no script of the run', async () => {
    const taken: unknown[] = [];
    const tab = createPaperTab(shop());
    tab.screenshot = async (marked) => {
      taken.push(marked);
      return new Uint8Array();
    };
    const agent: Agent = {
      async run(task, world) {
        await (await world.tab()).screenshot(['e3']);
        return orders().run(task, world);
      },
    };
    const { summaries } = await run(agent, { files: filesInMemory(), tab });
    expect(taken).toEqual([['e3']]);
    expect(summaries).toContain('Kept no script: the run depends on a picture of the page');
  });

  it('keeps no script, and the outcome, where the last page cannot be looked at', async () => {
    const tab = createPaperTab(shop());
    let looks = 0;
    const snapshot: typeof tab.snapshot = () =>
      ++looks > 2 ? Promise.reject(new TabError('The page did not answer in time.')) : tab.snapshot();
    const { outcome, summaries } = await run(orders(), { files: filesInMemory(), tab: { ...tab, snapshot } });
    expect(outcome).toEqual({ success: true, output: 'Ordered: HK-1001' });
    expect(summaries).toBe('Kept no script: the last page cannot be looked at: The page did not answer in time.');
  });

  it('keeps no script of a run that used an element without an identity', async () => {
    const files = filesInMemory();
    const twice = form('\n  - textbox "Name" [ref=e6]');
    const more = { e6: facts.e3 };
    const { outcome, summaries } = await run(orders(), { files, tab: createPaperTab(shop({ outline: twice, more })) });
    expect(outcome.success).toBe(true);
    expect(summaries).toContain('Kept no script: step 2 uses an element that nothing identifies');
    expect([...files.stored.keys()]).toEqual([]);
  });

  it.each([
    ['a task without a script', { settings: {} }],
    ['a task in code mode', { codeMode: true }],
  ])('ignores %s', async (_name, change) => {
    const files = filesInMemory();
    await run(orders(), { files, tab: createPaperTab(shop()), change });
    expect([...files.stored.keys()]).toEqual([]);
  });
});

describe('replaying', () => {
  it('repeats the steps without the agent, and reads the answer from the new page', async () => {
    const files = await recorded();
    const tab = createPaperTab(shop({ number: 'HK-2077' }));
    const { outcome, steps } = await run(neverCalled, { files, tab, model: unused });
    expect(outcome).toEqual({ success: true, output: 'Ordered: HK-2077', worker: 'script' });
    expect(tab.acts).toEqual([`open ${shopPage}`, 'type Ada Byron e3', 'type correct-horse e4', 'click e5']);
    expect(steps.map(({ usage }) => usage.inputTokens + usage.outputTokens)).toEqual([0, 0, 0, 0]);
    expect(steps.every(({ summary }) => summary.startsWith('Replayed: '))).toBe(true);
  });

  it('repeats an answer from an unchanged text file with a byte order mark', async () => {
    const files = filesInMemory({ 'list.txt': '\uFEFFpears' });
    const reading: Agent = {
      async run(_task, world) {
        const tab = await world.tab();
        await tab.open(shopPage);
        await tab.snapshot();
        return { success: true, output: (await world.files.readText('list.txt')).text };
      },
    };
    await run(reading, { files, tab: createPaperTab(shop()) });
    const { outcome } = await run(neverCalled, { files, tab: createPaperTab(shop()), model: unused });
    expect(outcome).toEqual({ success: true, output: 'pears', worker: 'script' });
  });

  it('enters the inputs of the later task', async () => {
    const files = await recorded();
    const tab = createPaperTab(shop());
    await run(neverCalled, { files, tab, goal: 'Order for @{{Grace Hopper}} with the secret pin' });
    expect(tab.acts).toContain('type Grace Hopper e3');
  });

  it('uploads the file that is an input of the later task', async () => {
    const agent: Agent = {
      async run(_task, world) {
        const tab = await world.tab();
        await tab.open(shopPage);
        await tab.snapshot();
        const { bytes, contentType } = await world.files.read('in/first.txt');
        await tab.elements.upload('e3', { name: 'first.txt', bytes, contentType });
        await tab.elements.click('e5');
        const { outline } = await tab.snapshot();
        return { success: true, output: `Ordered: ${/[A-Z]+-\d+/.exec(outline)?.[0]}` };
      },
    };
    const files = filesInMemory({ 'in/first.txt': 'one', 'in/second.txt': 'two' });
    await run(agent, { files, tab: createPaperTab(shop()), goal: 'Send @{{in/first.txt}}' });
    const uploads: string[] = [];
    const tab = createPaperTab(shop({ number: 'HK-2' }));
    const upload: typeof tab.elements.upload = async (ref, { name }) => void uploads.push(`${name} ${ref}`);
    const watched = { ...tab, elements: { ...tab.elements, upload } };
    const { outcome } = await run(neverCalled, { files, tab: watched, goal: 'Send @{{in/second.txt}}' });
    expect([outcome.output, uploads]).toEqual(['Ordered: HK-2', ['second.txt e3']]);
  });

  it('waits for a page that shows its text late', async () => {
    const files = filesInMemory();
    await run(orders('Code 77 of the page'), { files, tab: createPaperTab(shop()) });
    const tab = createPaperTab(shop());
    const bare = form().replace('  - heading "Checkout" [level=1] [ref=e2]\n', '');
    let looks = 0;
    const late: PaperTab = {
      ...tab,
      snapshot: async () => ({ ...(await tab.snapshot()), ...(++looks < 3 ? { outline: bare } : {}) }),
    };
    expect((await run(neverCalled, { files, tab: late })).outcome.success).toBe(true);
    expect(tab.acts).toContain('type Code 77 of the page e3');
  });

  it('finds the element again among new ones of the same name', async () => {
    const files = await recorded();
    const outline = form('\n- dialog "Offer" [ref=e7]:\n  - button "Place order" [ref=e6]');
    const tab = createPaperTab(shop({ outline, more: { e6: { kind: 'button:button', target: null } } }));
    expect((await run(neverCalled, { files, tab })).outcome.success).toBe(true);
    expect(tab.acts).not.toContain('click e6');
  });
});

describe('several links of one name to one URL', () => {
  const help = 'http://shop.example/help';
  const asks: Agent = {
    async run(_task, world) {
      const tab = await world.tab();
      await tab.open(shopPage);
      await tab.snapshot();
      await tab.elements.click('e6');
      const { outline } = await tab.snapshot();
      return { success: true, output: /Ask \w+/.exec(outline)?.[0] ?? '' };
    },
  };
  const link = (ref: string): string => `\n  - link "Help" [ref=${ref}]`;
  const pages = (target: string, ...refs: readonly string[]): Record<string, PaperPage> => ({
    [shopPage]: {
      outline: form(refs.map(link).join('')),
      facts: { ...facts, ...Object.fromEntries(refs.map((ref) => [ref, { kind: 'a', target }])) },
      leads: Object.fromEntries(refs.map((ref) => [ref, help])),
    },
    [help]: { outline: '- main [ref=e1]:\n  - paragraph [ref=e2]: Ask Ada' },
  });

  it.each([
    { where: 'away', target: help, acts: ['click e6'], success: true },
    { where: 'within the page, which may be buttons', target: `${shopPage}#`, acts: [], success: false },
  ])('are one link when they lead $where: $success', async ({ target, acts, success }) => {
    const files = filesInMemory();
    await run(asks, { files, tab: createPaperTab(pages(target, 'e6')) });
    const tab = createPaperTab(pages(target, 'e6', 'e7'));
    const fallen: Agent = { run: async () => ({ success: false, output: null }) };
    const { outcome } = await run(fallen, { files, tab });
    expect(tab.acts.filter((act) => act.startsWith('click'))).toEqual(acts);
    expect(outcome.success).toBe(success);
  });

  it('identify no element for a new script', async () => {
    const { summaries } = await run(asks, { files: filesInMemory(), tab: createPaperTab(pages(help, 'e6', 'e7')) });
    expect(summaries).toContain('Kept no script: step 2 uses an element that nothing identifies');
  });
});

describe('evidence that does not hold', () => {
  const drifts: readonly (readonly [string, ShopChanges, string])[] = [
    ['a renamed button', { outline: form().replace('Place order', 'Delete account') }, 'found no button "Place order"'],
    [
      'a button that leads elsewhere',
      { more: { e5: { kind: 'button:submit', target: 'post http://shop.example/delete' } } },
      'found button "Place order" elsewhere',
    ],
    [
      'a button of another document',
      { more: { e5: { ...facts.e5, address: 'http://evil.example/' } } },
      'found button "Place order" in another document',
    ],
    [
      'two equal buttons',
      { outline: form('\n  - button "Place order" [ref=e6]'), more: { e6: facts.e5 } },
      'found 2 of button "Place order"',
    ],
  ];
  it.each(drifts)('clicks nothing for %s and fails with the reason', async (_name, changes, reason) => {
    const files = await recorded();
    const before = joinTexts(files);
    const tab = createPaperTab(shop(changes));
    const { outcome, summaries } = await run(neverCalled, { files, tab });
    expect(tab.acts.filter((act) => act.startsWith('click'))).toEqual([]);
    expect(outcome).toMatchObject({ success: false, worker: 'script' });
    expect(outcome.reason).toContain(reason);
    expect(summaries).toContain(`Failed: step 4: ${reason}`);
    expect(joinTexts(files)).toBe(before);
  });

  it('lets a model continue after the steps that were done', async () => {
    const files = await recorded();
    const tab = createPaperTab(shop({ outline: form().replace('Place order', 'Buy now') }));
    let seen = '';
    const continues: Agent = {
      async run(task, world) {
        seen = task.goal;
        await (await world.tab()).elements.click('e5');
        return { success: true, output: 'Ordered' };
      },
    };
    const { outcome, summaries } = await run(continues, { files, tab, model: unused });
    expect(outcome).toEqual({ success: true, output: 'Ordered' });
    expect(seen).toMatch(/^Order for Ada Byron with the secret pin\n\n.*Do not repeat them/s);
    expect(summaries).toContain('Fell back after 3 steps: step 4: found no button "Place order"');
  });

  it('lets the planner begin anew while nothing was changed', async () => {
    const files = await recorded();
    const tab = createPaperTab(shop({ outline: form().replace('"Name"', '"Your name"') }));
    const { outcome, summaries } = await run(orders(), { files, tab });
    expect(outcome.success).toBe(true);
    expect(summaries).toContain('Fell back after 1 steps: step 2');
  });

  it('claims no success when the last page says something else', async () => {
    const files = await recorded();
    const pages = { ...shop(), [donePage]: { outline: '- heading "Your card was refused" [ref=e1]' } };
    const { outcome } = await run(neverCalled, { files, tab: createPaperTab(pages) });
    expect(outcome).toMatchObject({ success: false });
    expect(outcome.reason).toContain('the last page does not show "Thank you"');
  });

  it('enters no text of an earlier page after the pages have changed', async () => {
    const files = filesInMemory();
    await run(orders('Code 77 of the page'), { files, tab: createPaperTab(shop()) });
    const tab = createPaperTab(shop({ outline: form('\n  - text: Code 78') }));
    await expect(run(neverCalled, { files, tab })).rejects.toThrow('the agent was called');
    expect(tab.acts.filter((act) => act.startsWith('type'))).toEqual([]);
  });
});

describe('healing', () => {
  const renamed = form().replace('Place order', 'Jetzt kaufen');

  it('finds a renamed button by its target without a model, and keeps a new version', async () => {
    const files = await recorded();
    const first = joinTexts(files);
    const [path = ''] = files.stored.keys();
    const pages = shop({ outline: renamed });
    const { outcome, summaries } = await run(neverCalled, { files, tab: createPaperTab(pages), autoHeal: true });
    expect(outcome).toMatchObject({ success: true, worker: 'script' });
    expect(summaries).toContain(
      'Healed: click button “Place order”; button “Place order” is now button “Jetzt kaufen”',
    );
    expect(Buffer.from(files.stored.get(path.replace('.json', '.v1.json')) ?? []).toString()).toBe(first);
    expect(JSON.parse(Buffer.from(files.stored.get(path) ?? []).toString())).toMatchObject({
      version: 2,
      changes: [{ version: 2, reason: 'button “Place order” is now button “Jetzt kaufen”' }],
    });
    const again = await run(neverCalled, { files, tab: createPaperTab(pages), autoHeal: true });
    expect(again.summaries).not.toContain('Healed');
    expect(again.outcome.success).toBe(true);
  });

  it('waits five seconds for the first renamed element, and less for those after it', async () => {
    const files = await recorded();
    const all = renamed.replace('"Name"', '"Vorname"').replace('"Password"', '"Passwort"');
    const ran = await run(neverCalled, { files, tab: createPaperTab(shop({ outline: all })), autoHeal: true });
    expect(ran.outcome.success).toBe(true);
    expect(ran.summaries.match(/Healed/g)).toHaveLength(3);
    expect(ran.waits).toBeGreaterThan(33);
    expect(ran.waits).toBeLessThan(2 * 33);
  });

  it('waits for an element that comes late, also after another one was renamed', async () => {
    const files = await recorded();
    const early = form()
      .replace('"Name"', '"Vorname"')
      .replace(/.*button.*\n?/, '');
    let reads = 0;
    const late: PaperPage = {
      facts,
      leads: { e5: donePage },
      get outline() {
        // The form appears after more observations than an unchanged page gets.
        if (tab.acts.some((act) => act.endsWith('e4'))) reads += 1;
        return reads < 15 ? early : form().replace('"Name"', '"Vorname"');
      },
    };
    const tab: PaperTab = createPaperTab({ ...shop(), [shopPage]: late });
    const { outcome, summaries } = await run(neverCalled, { files, tab, autoHeal: true });
    expect(summaries).toContain('Replayed: click button “Place order”');
    expect(outcome.success).toBe(true);
  });

  it('asks the model where only name and place are as recorded', async () => {
    const files = await recorded();
    const model = scriptedModel(() => call('choose_element', { ref: 'e5' }));
    const more = { e5: { kind: 'button:submit', target: 'post http://shop.example/orders' } };
    const tab = createPaperTab(shop({ more }));
    const { outcome } = await run(neverCalled, { files, tab, model, autoHeal: true });
    expect(outcome).toEqual({ success: true, output: 'Ordered: HK-1001' });
    expect(tab.acts).toContain('click e5');
    expect(model.requests).toHaveLength(1);
  });

  it.each([
    ['an element of the page that keeps no evidence', 'e9'],
    ['an element that keeps only its place', 'e5'],
    ['an element that does not exist', 'e99'],
    ['none', 'none'],
  ])('clicks nothing when the model chooses %s', async (_name, ref) => {
    const files = await recorded();
    const outline = `${renamed}\n- heading "Danger" [ref=e8]\n- button "Delete account" [ref=e9]`;
    const more = { e5: { kind: 'button:button', target: null } };
    const tab = createPaperTab(shop({ outline, more }));
    const model = scriptedModel(() => call('choose_element', { ref }));
    await expect(run(neverCalled, { files, tab, model, autoHeal: true })).rejects.toThrow('the agent was called');
    expect(tab.acts.filter((act) => act.startsWith('click'))).toEqual([]);
  });

  it('does not let the model choose a button that no longer sends the form', async () => {
    const files = await recorded();
    const model = scriptedModel(() => call('choose_element', { ref: 'e5' }));
    const tab = createPaperTab(shop({ more: { e5: { kind: 'button:button', target: null } } }));
    await expect(run(neverCalled, { files, tab, model, autoHeal: true })).rejects.toThrow('the agent was called');
    expect(tab.acts).not.toContain('click e5');
    expect(model.requests).toEqual([]);
  });

  it('does not trust a target whose name another element has', async () => {
    const files = await recorded();
    const outline = form('\n  - button "Buy" [ref=e6]');
    const more = { e5: { kind: 'button:submit', target: 'post http://shop.example/delete' }, e6: facts.e5 };
    const tab = createPaperTab(shop({ outline, more }));
    const { outcome } = await run(neverCalled, { files, tab, autoHeal: true });
    expect(outcome.success).toBe(false);
    expect(tab.acts.filter((act) => act.startsWith('click'))).toEqual([]);
  });

  it('asks the model for the answer when the last page says something else', async () => {
    const files = await recorded();
    const pages = { ...shop(), [donePage]: { outline: '- heading "Danke: HK-1001" [ref=e1]' } };
    const model = scriptedModel(() => finish('Bestellt: HK-1001'));
    const options = { files, model, autoHeal: true };
    const { outcome } = await run(neverCalled, { ...options, tab: createPaperTab(pages) });
    expect(outcome).toEqual({ success: true, output: 'Bestellt: HK-1001' });
    await run(neverCalled, { ...options, tab: createPaperTab(pages) });
    expect(model.requests).toHaveLength(1);
  });
});

describe('a script file', () => {
  it.each([
    ['no JSON', '{'],
    ['another shape', '{"format":1,"steps":[]}'],
    ['too many bytes', JSON.stringify({ task: 'x'.repeat(300_000) })],
    ['more bytes than a text file', 'x'.repeat(1_048_577)],
  ])('that has %s is not played and not changed', async (_name, text) => {
    const files = await recorded();
    const [path = ''] = files.stored.keys();
    files.stored.set(path, Buffer.from(text));
    const { outcome, summaries } = await run(orders(), { files, tab: createPaperTab(shop()) });
    expect(outcome.success).toBe(true);
    expect(summaries).toContain(`Fell back: the script ${path} cannot be used`);
    expect(joinTexts(files)).toBe(text);
  });

  it('that is not text is not played and not changed', async () => {
    const files = await recorded();
    const [path = ''] = files.stored.keys();
    files.stored.set(path, Buffer.from([0xff]));
    const { summaries } = await run(orders(), { files, tab: createPaperTab(shop()) });
    expect(summaries).toContain(`Fell back: the script ${path} cannot be used`);
    expect(files.stored.get(path)).toEqual(Buffer.from([0xff]));
  });

  it('of another task is not played', async () => {
    const files = await recorded();
    const [path = ''] = files.stored.keys();
    files.stored.set(path, Buffer.from(joinTexts(files).replace('Order for', 'Cancel for')));
    const { summaries } = await run(orders(), { files, tab: createPaperTab(shop()) });
    expect(summaries).toContain('it is the script of another task');
  });
});
