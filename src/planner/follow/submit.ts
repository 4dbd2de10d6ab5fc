import { TabError } from '#browsers/tab/tab.ts';
import { matchControls } from '../page/controls.ts';
import { getAncestors, nodesIn, type PageNode } from '#agent/page-node.ts';
import { getWords } from '../page/words.ts';
import { shortened } from '../step-summary.ts';
import { holdsValue, setField, setChecked } from './fill.ts';
import { getControlName, pick } from './pick.ts';
import { pressNode } from './press.ts';
import { impossibleAction, getNode, type Walker } from './walker.ts';

/** Groups of verbs that buttons use interchangeably. */
const alikeVerbs: readonly (readonly string[])[] = [
  ['continue', 'proceed', 'next', 'go on'],
  ['send', 'submit', 'post', 'publish'],
  ['save', 'apply', 'update'],
  ['place', 'order', 'buy'],
];
/** Verbs for submitting a form. With these, the only button of the form is pressed even if its name does not match. */
const sendsPattern = /^(?:send|submit|save|post|publish|confirm|finish|complete|hand|register|request|apply)$/i;

/**
 * Presses the submit button of a form: the control that matches `verb` and `what`, or else the only button of the
 * filled form. If the page then demands a date format, enters the dates in this format and presses again. Rejects with
 * a TabError when the submission fails.
 */
export async function submit(walker: Walker, verb: string, what: string): Promise<void> {
  const found = await walker.lookFor((page) => findSubmit(walker, page, { verb, what }));
  if (found === null)
    throw impossibleAction(
      `There is nothing to ${verb.toLowerCase()} ${what === '' ? 'it' : `the ${shortened(what)}`} with on the page.`,
    );
  seeStillFilled(walker);
  try {
    await pressNode(walker, found);
  } catch (error) {
    const wanted = error instanceof TabError ? dateFormIn(error.message) : null;
    if (wanted === null || !(await rewriteDates(walker, wanted))) throw error;
    const again = findSubmit(walker, walker.page(), { verb, what });
    if (again === null) throw error;
    await pressNode(walker, again);
  }
}

/**
 * Enters all values of the form again, with dates in the format that the page demands. If no entered value is a date in
 * another format, enters nothing and returns false.
 */
async function rewriteDates(walker: Walker, form: string): Promise<boolean> {
  const isDated = walker.filled.some(({ value }) => typeof value === 'string' && inDateForm(value, form) !== null);
  if (!isDated) return false;
  // A page that shows its form again may have lost values, so everything is entered again.
  for (const { field, value } of walker.filled.splice(0)) {
    if (typeof value === 'boolean') await setChecked(walker, field, value);
    else await setField(walker, field, inDateForm(value, form) ?? value);
  }
  return true;
}

function findSubmit(walker: Walker, page: PageNode, { verb, what }: { verb: string; what: string }): PageNode | null {
  const alike = alikeVerbs.find((row) => row.includes(verb.toLowerCase())) ?? [verb];
  const names = [`${verb} ${what}`, verb, ...alike.flatMap((other) => [`${other} ${what}`, other])];
  for (const roles of [['button'], ['link', 'menuitem', 'tab']]) {
    for (const name of names) {
      const fits = matchControls(page, { words: getWords(name), roles, useContext: false });
      if (fits.length > 0) return pick(walker, fits, name);
    }
  }
  return sendsPattern.test(verb) ? onlyButton(walker, page) : null;
}

/**
 * Returns the button that submits the form. The form is the smallest part of the page that contains the last used
 * control and a button. Returns null if there is no such part, or if it has several buttons.
 */
function onlyButton(walker: Walker, page: PageNode): PageNode | null {
  const touched = getNode(page, walker.touched);
  if (touched === undefined) return null;
  const form = getAncestors(touched).find((part) => buttonsIn(part).length > 0);
  const [button, ...others] = form === undefined ? [] : buttonsIn(form);
  return button !== undefined && others.length === 0 ? button : null;
}

function buttonsIn(part: PageNode): PageNode[] {
  return nodesIn(part).filter(({ role, name }) => role === 'button' && name !== '');
}

/**
 * Verifies that the page still has all entered values, because a choice in one list may reset another list. Throws a
 * TabError if a value is missing. Called before a form is submitted.
 */
function seeStillFilled(walker: Walker): void {
  const latest = new Map(walker.filled.map(({ field, value }) => [field, value]));
  for (const [field, value] of latest) {
    const nodes = nodesIn(walker.page()).filter((node) => getControlName(node) === field && node.ref !== null);
    const lost = nodes.length > 0 && !nodes.some((node) => isSo(node, value));
    if (lost) throw impossibleAction(`"${shortened(field)}" does not hold any more what I entered.`);
  }
}

function isSo(node: PageNode, value: string | boolean): boolean {
  // A radio button may be unchecked again, because the last choice in its group counts.
  if (node.role === 'radio') return true;
  if (typeof value === 'boolean') return node.flags.has('checked') === value;
  const chosen = nodesIn(node).filter(({ role, flags }) => role === 'option' && flags.has('selected'));
  return chosen.length > 0 ? chosen.some(({ name }) => name === value) : holdsValue(node, value);
}

const dateFormatPattern = /\b(?:DD|TT)([./-])MM\1(?:YYYY|JJJJ)\b|\bMM([./-])DD\2YYYY\b|\bYYYY([./-])MM\3DD\b/i;

/** Returns the date format that a message of the page mentions, such as `DD.MM.YYYY`; null if it mentions none. */
function dateFormIn(text: string): string | null {
  const [form] = dateFormatPattern.exec(text) ?? [];
  return form === undefined ? null : form.toUpperCase().replaceAll('T', 'D').replaceAll('J', 'Y');
}

/**
 * Converts a date such as `1990-12-24` to another date format. Returns null for any other text, and if the date already
 * has that format.
 */
function inDateForm(value: string, form: string): string | null {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value) ?? [];
  if (year === undefined || month === undefined || day === undefined) return null;
  const written = form.replace('YYYY', year).replace('MM', month).replace('DD', day);
  return written === value ? null : written;
}
