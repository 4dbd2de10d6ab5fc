import type { JsonObject } from '#lib/json.ts';
import type { AgentWorld } from '#agent/agent.ts';
import type { Tab } from '#browsers/tab/tab.ts';
import { type Done, estimateUsage, shortened } from './step-summary.ts';
import { actOnMail } from './act-on-mail.ts';
import { actOnFiles } from './act-on-files.ts';
import { factText, type Facts, readFact } from '#agent/answer/facts.ts';
import { type Action, isFileAction, isMailAction, unreachable } from '#agent/answer/plan.ts';

/** Performs an action and records it as a step. Rejects with a TabError for a failure of the page. */
export async function perform(action: Action, world: AgentWorld, facts: Facts): Promise<void> {
  const { summary, observed } = await act(action, world, facts);
  const onPage = needsTab(action);
  const url = onPage ? await (await world.tab()).url() : (facts.url ?? 'about:blank');
  if (onPage) facts.url = url;
  const data: JsonObject = { ...action };
  await world.step({ summary, action: data, url, usage: estimateUsage(observed, JSON.stringify(action)) });
}

/** Actions that need no page. */
const offPage: readonly Action['kind'][] = [
  'say',
  'wait',
  'readFile',
  'listFiles',
  'writeFile',
  'waitForMail',
  'readMail',
];

/** Returns whether an action needs a page. */
export function needsTab(action: Action): boolean {
  return !(offPage.includes(action.kind) || (action.kind === 'mailCode' && action.field === null));
}

async function act(action: Action, world: AgentWorld, facts: Facts): Promise<Done> {
  if (isFileAction(action)) return actOnFiles(action, world, facts);
  if (isMailAction(action)) return actOnMail(action, world, facts);
  switch (action.kind) {
    case 'say':
      return { summary: `Answered: ${shortened(action.text)}`, observed: '' };
    case 'wait':
      await world.wait(action.seconds * 1_000);
      return { summary: `Waited ${action.seconds} s`, observed: '' };
    case 'read': {
      await readFact(await world.tab(), action.what, facts);
      const observed = factText(action.what, facts);
      facts.latest = observed;
      return { summary: `Read the ${action.what}: ${shortened(observed)}`, observed };
    }
    case 'open':
    case 'click':
    case 'type':
    case 'press':
      return actOnPage(action, await world.tab(), facts);
    default:
      return unreachable(action);
  }
}

type PageAction = Extract<Action, { kind: 'open' | 'click' | 'type' | 'press' }>;

async function actOnPage(action: PageAction, tab: Tab, facts: Facts): Promise<Done> {
  const done = await onTab(action, tab);
  const title = await tab.title();
  // Earlier readings belong to the previous page.
  facts.title = title;
  return { summary: title === '' ? done : `${done} - ${shortened(title)}`, observed: title };
}

async function onTab(action: PageAction, tab: Tab): Promise<string> {
  switch (action.kind) {
    case 'open':
      await tab.open(action.url);
      return `Opened ${shortened(action.url)}`;
    case 'click':
      await tab.click(action.name);
      return `Clicked "${shortened(action.name)}"`;
    case 'type':
      await tab.type(action.field, action.text);
      return `Typed "${shortened(action.text)}" into "${shortened(action.field)}"`;
    case 'press':
      await tab.press(action.key);
      return `Pressed ${action.key}`;
    default:
      return unreachable(action);
  }
}
