import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AgentOutcome, AgentTask, AgentWorld } from '#agent/agent.ts';
import { createOfflinePlanner } from '#planner/offline-planner.ts';
import { filesInMemory } from '#agent/testing/files-in-memory.ts';
import type { HostedBrowser } from './host.ts';
import { createLocalHost, type LocalHost } from './local-host.ts';
import { probeOnce } from './testing/probe-once.ts';
import { createRecordingLog } from './testing/recording-log.ts';
import { type PageServer, servePages } from './testing/serve-pages.ts';
import { createOutputJudges } from '#agent/output/schema/create-output-judges.ts';
import { defaultRules } from '#contract/rule-book.ts';

const judges = createOutputJudges(defaultRules);
afterAll(() => judges.close());

const pages = {
  '/': `<title>Library</title><h1>City library</h1><a href="/join">Join us</a><a href="/hours">Opening hours</a><a href="/loans">Loans</a>`,
  '/join': `<title>Join</title><h1>Join us</h1><form action="/welcome"><label>First name <input name="a"></label>
    <label>Last name <input name="b"></label><fieldset><legend>Branch</legend><label><input type="radio" name="c" value="1"> Harbour<small>as Old Town, later</small></label>
    <label><input type="radio" name="c" value="2"> Old Town</label></fieldset><label>Pick-up <select name="d"><option>Monday<option>Friday</select></label>
    <label><input type="checkbox" name="e" checked> Send me news</label><button>Become a member</button></form>`,
  '/welcome': `<title>Welcome</title><h1>Welcome</h1><dl><dt>Card number</dt><dd>C-77</dd><dt>PIN</dt><dd>by post</dd></dl>`,
  '/strict': `<title>Strict</title><h1>Order</h1><label>Title <input></label><button onclick="
    this.textContent='Sending'; setTimeout(() => { this.textContent='Order'; said.textContent='This title is not available.' }, 400)">Order</button><p id=said></p>`,
  '/deaf': `<title>Deaf</title><h1>Ask</h1><label>Question <input></label><button type="button">Ask us</button>`,
  '/forgets': `<title>Forgets</title><h1>Pick</h1><label>Size <input id=s></label><label>Colour <select onchange="s.value=''"><option>Red<option>Blue</select></label><button onclick="document.title='sent'">Send</button>`,
  '/endless': `<title>Endless</title><h1>Note</h1><label>Note <input></label><button onclick="said.textContent='Saving'">Keep</button><p id=said></p>`,
  '/saving': `<title>Savings</title><h1>Saving for later</h1><label>Amount <input></label><button onclick="said.textContent='Thank you'">Put aside</button><p id=said role=status></p>`,
  '/hours': `<title>Hours</title><h1>Opening hours</h1><table><tr><th>Day</th><th>Opens</th><th>Closes</th></tr><tr><td>Monday</td><td>9:00</td><td>17:00</td></tr>
    <tr><td>Friday</td><td>10:00</td><td>14:30</td></tr></table>`,
  '/loans': `<title>Loans</title><h1>Loans</h1><table><tr><th>Book</th><th>Due</th><th></th></tr><tr><td>Emma</td><td>3 May</td><td><button onclick="alert('x');said.textContent='Renewed Emma'">Renew</button></td></tr>
    <tr><td>Dracula</td><td>9 May</td><td><button onclick="said.textContent='Renewed Dracula'">Renew</button></td></tr></table><p id=said role=status></p><button onclick="said.textContent='Paid'">Pay all</button>`,
};

let directory: string;
let server: PageServer;
let host: LocalHost;
let browser: HostedBrowser;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-planner-'));
  server = await servePages(pages);
  host = await createLocalHost({ directory, log: createRecordingLog(), allow: [server.host], probe: probeOnce });
  browser = await host.launch({ sessionId: 'planner', screen: { width: 800, height: 600 }, proxyCountryCode: null });
});
afterAll(async () => {
  await host.close();
  await server.close();
  await rm(directory, { recursive: true });
});

/**
 * Runs the offline planner on a goal, with `@` replaced by the origin of the site. Returns the outcome and the path of
 * the last page. The planner's waits last `pace` times as long; tests of failures shorten them.
 */
async function run(
  goal: string,
  { pace = 1, ...task }: Partial<AgentTask> & { readonly pace?: number } = {},
): Promise<AgentOutcome & { url: string }> {
  const world: AgentWorld = {
    signal: new AbortController().signal,
    tab: () => browser.tab(),
    step: async () => undefined,
    wait: (ms) => new Promise((resolve) => void setTimeout(resolve, ms * pace)),
    files: filesInMemory({}),
    model: null,
    mailbox: null,
    judge: judges.of('project'),
  };
  const whole = { model: 'any', modelParams: null, outputSchema: null, codeMode: false, ...task };
  const planner = createOfflinePlanner({ testTasks: false });
  const outcome = await planner.run({ ...whole, goal: goal.replaceAll('@', server.origin) }, world);
  const url = await (await browser.tab()).url();
  return { ...outcome, url: url.replace(server.origin, '') };
}

describe('a goal in the words of a person', () => {
  test('fills in a form, sends it and reads what came of it', async () => {
    const ended = await run(
      'Go to @/join. The first name is Ada, the last name Byron. Choose the branch Old Town and Friday for the pick-up. ' +
        "I don't want the news. Then press Become a member and tell me the card number.",
    );
    expect(ended).toEqual({ success: true, output: 'Card number: C-77', url: '/welcome?a=Ada&b=Byron&c=2&d=Friday' });
  });

  test.each([
    { given: 'Go to @, open the opening hours. When does it close on Friday? How much is it?', want: null },
    {
      given: 'On @/saving enter the amount 20, press "Put aside" and tell me what the page says.',
      want: 'Thank you',
    },
    { given: 'Open @/hours. What does it say for Closes on Friday?', want: '14:30' },
    {
      given: 'Open @/loans and press Renew in the row of Dracula, then tell me what the page says.',
      want: 'Renewed Dracula',
    },
    { given: 'Renew the book called "Emma" at @/loans. Tell me what the page says.', want: 'Renewed Emma' },
    { given: 'Open @/loans. What is the book with the latest due date?', want: 'Dracula' },
  ])('$given', async ({ given, want }) => {
    const { success, output } = await run(given);
    expect({ success, output }).toEqual({
      success: want !== null,
      output: want === null ? expect.any(String) : expect.stringContaining(want),
    });
  });

  test.each([
    {
      given: 'On @/strict enter the title Emma and press Order.',
      says: 'The page says: This title is not available.',
      pace: 1,
    },
    { given: 'On @/deaf enter the question "Why?" and press "Ask us".', says: 'Nothing came of pressing "Ask us".' },
    {
      given: 'On @/forgets enter the size 42, choose Blue as the colour and send it.',
      says: '"Size" does not hold any more what I entered.',
    },
    {
      given: 'On @/endless enter the note Bread and press Keep.',
      says: 'The page is still working on what was sent, and I cannot tell what comes of it.',
    },
    {
      given: 'Open @/loans. On the page press Renew.',
      says: 'There are 2 of "Renew" on the page, and I cannot tell which is meant.',
    },
    {
      given: 'Open @/loans. Do not pay anything. Press "Pay all".',
      says: 'I would have to press "Pay all", which is not to be done.',
    },
    { given: 'Open @/join, set the shoe size to 42 and send it.', says: 'There is no field "shoe size" on the page.' },
    {
      given: 'Open @/hours and tell me the phone number.',
      says: 'The page does not tell me: tell me the phone number.',
    },
  ])('$given is given up: $says', async ({ given, says, pace = 0.1 }) => {
    expect(await run(given, { pace })).toMatchObject({ success: false, output: says, reason: says });
  });

  test('fills an output schema with what a table says, and with nothing else', async () => {
    const getSchema = (name: string) => ({ type: 'object', properties: { [name]: { type: 'string' } } });
    const goal = 'When does it close on Friday? The opening hours are at @/hours.';
    const asked = 'I need the closes and the day of every row for Friday. The list is at @/hours.';
    expect(await run(asked, { outputSchema: getSchema('phone') })).toMatchObject({ success: false, output: null });
    expect(await run(goal, { outputSchema: getSchema('phone') })).toMatchObject({ success: false, output: null });
    const closes = { outputSchema: { ...getSchema('closes'), required: ['closes'] } };
    expect(await run(goal, closes)).toMatchObject({ success: true, output: { closes: '14:30' } });
    // The text of code mode says what was done, and does not repeat the question.
    const { output } = await run(goal, { ...closes, codeMode: true });
    const text = `Done. (Hours, ${server.origin}/hours)`;
    expect(output).toMatchObject({ text, output: { closes: '14:30' } });
  });
});
