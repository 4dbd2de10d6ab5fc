import { type Tab, TabError } from '#browsers/tab/tab.ts';
import type { AgentWorld } from '../agent.ts';
import { FileError } from '../files.ts';
import { MailError, type MailWish } from '../mailbox.ts';
import { hashBytes } from './page-view.ts';
import { setMail } from './record.ts';
import type { ScriptAction } from './script-file.ts';
import type { Marks } from './template.ts';

/** Resources with which the actions of a script are performed. */
export interface Stage {
  readonly world: AgentWorld;
  readonly tab: Tab;
  readonly marks: Marks;
}

/** Effect of a script action: `changed` if the action read data that differ from the recorded data. */
export type Effect = 'as recorded' | 'changed';

type ElementAction = Extract<ScriptAction, { readonly on: unknown }>;
type BesideAction = Extract<ScriptAction, { readonly do: 'wait' | 'writeFile' | 'readFile' | 'waitForMail' }>;
type TabAction = Exclude<ScriptAction, ElementAction | BesideAction>;

/**
 * Performs a script action with the inputs of this run in place of marks. `ref` is the reference of the action's
 * element; null for an action on the whole page. Rejects with a failure (see {@link isFailure}), and with another error
 * after an abort or for a bug.
 */
export async function perform(stage: Stage, action: ScriptAction, ref: string | null): Promise<Effect> {
  if (isBeside(action)) return performBeside(stage, action);
  if (!('on' in action)) await performOnTab(stage, action);
  else if (ref === null) await performOnPage(stage, action);
  else await performOnElement(stage, action, ref);
  return 'as recorded';
}

/** Returns whether an error is the failure of a page, a file or a mail. */
export function isFailure(error: unknown): error is Error {
  return error instanceof TabError || error instanceof FileError || error instanceof MailError;
}

function isBeside(action: ScriptAction): action is BesideAction {
  return /^(?:wait|writeFile|readFile|waitForMail)$/.test(action.do);
}

/** Timeout of waiting for a text, in milliseconds. */
const waitForMs = 14_000;

async function performOnTab({ tab, marks }: Stage, action: TabAction): Promise<void> {
  switch (action.do) {
    case 'open':
      return tab.open(marks.fill(action.url));
    case 'back':
      return tab.back();
    case 'newTab':
      return tab.tabs.add();
    case 'showTab':
      return tab.tabs.show(action.number);
    case 'closeTab':
      return tab.tabs.close(action.number);
    case 'waitFor':
      return tab.waitFor(marks.fill(action.text), action.state, waitForMs);
    case 'answerDialog':
      return tab.dialogs.answerNext({ accept: action.accept, text: marks.fill(action.text) });
  }
}

/** Performs an action on the page as a whole. */
async function performOnPage({ tab }: Stage, action: ElementAction): Promise<void> {
  if (action.do === 'press') return tab.press(action.key);
  if (action.do === 'scroll') return tab.elements.scroll(null, action.direction, action.pages);
  throw new TypeError(`found ${action.do} without an element, expected one`);
}

async function performOnElement(stage: Stage, action: ElementAction, ref: string): Promise<void> {
  const { elements } = stage.tab;
  const fill = (text: string): string => stage.marks.fill(text);
  switch (action.do) {
    case 'click':
    case 'doubleClick':
      return elements.click(ref, action.do === 'click' ? 1 : 2);
    case 'hover':
      return elements.hover(ref);
    case 'type':
      return elements.type(ref, fill(action.text));
    case 'select':
      return elements.select(ref, action.options.map(fill));
    case 'check':
      return elements.check(ref, action.checked);
    case 'press':
      return elements.press(ref, action.key);
    case 'scroll':
      return elements.scroll(ref, action.direction, action.pages);
    case 'download':
      return transfer(stage, { do: 'download' }, ref);
    case 'upload':
      return transfer(stage, action, ref);
  }
}

async function transfer(
  { tab, world, marks }: Stage,
  action: Extract<ElementAction, { readonly do: 'upload' }> | { readonly do: 'download' },
  ref: string,
): Promise<void> {
  if (action.do === 'upload') {
    const { path, contentType, bytes } = await world.files.read(marks.fill(action.path));
    return tab.elements.upload(ref, { name: path.split('/').at(-1) ?? path, contentType, bytes });
  }
  await tab.elements.download(ref);
  await world.files.downloads();
}

/** Performs an action without the tab: waits, reads or writes a file, or waits for a mail. */
async function performBeside(stage: Stage, action: BesideAction): Promise<Effect> {
  const { world, marks } = stage;
  if (action.do === 'readFile') {
    const { bytes } = await world.files.read(marks.fill(action.path));
    return hashBytes(bytes) === action.hash ? 'as recorded' : 'changed';
  }
  if (action.do === 'waitForMail') return waitForMail(stage, action);
  if (action.do === 'wait') await world.wait(action.ms);
  else await world.files.write(marks.fill(action.path), marks.fill(action.text));
  return 'as recorded';
}

async function waitForMail(
  { world, marks }: Stage,
  { from, subject, hash }: Extract<ScriptAction, { readonly do: 'waitForMail' }>,
): Promise<Effect> {
  const wish: MailWish = { ...(from === null ? {} : { from }), ...(subject === null ? {} : { subject }) };
  const mail = (await world.mailbox?.wait(wish, world.signal)) ?? null;
  if (mail === null) throw new MailError('No such mail came.');
  return setMail({ marks }, mail) === hash ? 'as recorded' : 'changed';
}

/** Returns an action in plain words, with marks in place of inputs. */
export function describeAction(action: ScriptAction): string {
  const on = 'on' in action && action.on !== null ? ` ${action.on.role} “${action.on.name}”` : '';
  const texts = [
    'url' in action ? action.url : '',
    'text' in action ? `“${action.text}”` : '',
    'options' in action ? action.options.join(', ') : '',
    'key' in action ? action.key : '',
    'path' in action ? action.path : '',
  ].filter((text) => text !== '');
  return `${action.do}${on} ${texts.join(' ')}`.trim();
}
