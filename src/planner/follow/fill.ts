import type { Piece } from '../instructions/directive.ts';
import { choosable, type ControlMatch, matchControls, tickable, typable } from '../page/controls.ts';
import { nodesIn, type PageNode } from '#agent/page-node.ts';
import { getWords } from '../page/words.ts';
import { shortened } from '../step-summary.ts';
import { getControlName, pick } from './pick.ts';
import { pressNode } from './press.ts';
import { impossibleAction, getNode, type Walker } from './walker.ts';

const groups = ['group', 'radiogroup', 'listbox'] as const;

/**
 * Sets the value of a text field, a list, a group of buttons or a checkbox. Rejects with a TabError if the page has no
 * such field. As an exception, does nothing for an empty value if the field is missing and no text field without a name
 * has a value.
 */
export async function setField(walker: Walker, field: string, value: string): Promise<void> {
  const found = await walker.lookFor((page) => findField(walker, page, field));
  if (found === null && value === '' && nothingTyped(walker.page())) return;
  if (found === null) throw impossibleAction(`There is no field "${shortened(field)}" on the page.`);
  await give(walker, found, value);
}

/**
 * Sets a field from one text that begins with the name of the field and ends with the value. The longest beginning that
 * names a field of the page is the name. A quoted value is already separate from the name. Rejects with a TabError if
 * no beginning names a field.
 */
export async function assign(walker: Walker, { text, quoted }: Piece): Promise<void> {
  if (quoted !== null) return setField(walker, text, quoted);
  const found = await walker.lookFor((page) => split(walker, page, text));
  if (found === null) throw impossibleAction(`I did not find where "${shortened(text)}" belongs on the page.`);
  await give(walker, found.node, found.value);
}

function split(walker: Walker, page: PageNode, text: string): { node: PageNode; value: string } | null {
  const parts = text.split(' ');
  for (let length = parts.length - 1; length > 0; length -= 1) {
    const name = parts.slice(0, length).join(' ');
    const node = findField(walker, page, name);
    const value = parts
      .slice(length)
      .join(' ')
      .replace(/^(?:in|to|at|of|from|on|for)\s+/i, '');
    if (node !== null) return { node, value };
  }
  return null;
}

/**
 * Returns the text field, list, group or checkbox that matches a name. Null without a match; throws a TabError if
 * several match.
 */
export function findField(walker: Walker, page: PageNode, field: string): PageNode | null {
  const words = getWords(field);
  const roles = [...typable, ...groups];
  const fits = matchControls(page, { words, roles, useContext: false });
  if (fits.length > 0) return pick(walker, fits, field);
  const boxes = matchControls(page, { words, roles: tickable, useContext: false });
  return boxes.length > 0
    ? pick(walker, boxes, field)
    : pick(walker, matchControls(page, { words, roles, useContext: true }), field);
}

async function give(walker: Walker, node: PageNode, value: string): Promise<void> {
  const members = nodesIn(node).filter((each) => each !== node);
  if (members.some(({ role }) => role === 'option' || role === 'radio' || role === 'button' || role === 'checkbox'))
    return chooseAmong(walker, node, value);
  if (node.role === 'checkbox' || node.role === 'switch')
    return setTick(walker, node, /^(?:yes|on|true|ticked|checked)$/i.test(value));
  return enter(walker, node, value);
}

/** Selects the option or button in a list or group that matches a name. Rejects with a TabError if none matches. */
async function chooseAmong(walker: Walker, group: PageNode, value: string): Promise<void> {
  const fits = matchControls(group, { words: getWords(value), roles: [...choosable, 'button'], useContext: true });
  const found = pick(walker, sameNumbers(fits, value), value);
  if (found === null)
    throw impossibleAction(`There is no "${shortened(value)}" in "${shortened(group.name || group.role)}".`);
  await take(walker, found);
}

/**
 * Selects the option that matches a name. Searches in the field `field`, or on the whole page if it is null. Rejects
 * with a TabError if no option matches.
 */
export async function choose(walker: Walker, option: string, field: string | null): Promise<void> {
  const found = await walker.lookFor((page) => findChoice(walker, page, { option, field }));
  if (found === null) throw impossibleAction(`There is no "${shortened(option)}" to choose on the page.`);
  await take(walker, found);
}

function findChoice(
  walker: Walker,
  page: PageNode,
  { option, field }: { option: string; field: string | null },
): PageNode | null {
  const roles = [...choosable, 'button', 'tab', 'gridcell'];
  const group = field === null ? null : findField(walker, page, field);
  if (group !== null && group.role !== 'textbox')
    return pick(walker, matchControls(group, { words: getWords(option), roles, useContext: true }), option);
  const fits = matchControls(page, { words: getWords(option), roles, useContext: true });
  const known = field === null || fits.some(({ distance }) => distance === 0);
  return known ? pick(walker, sameNumbers(fits, option), option) : null;
}

/**
 * Returns the matching controls whose name or value contains every number of the requested text. For example, the
 * option "30" does not match the text "30 to 49".
 */
function sameNumbers(fits: readonly ControlMatch[], said: string): ControlMatch[] {
  const numbers = said.match(/\d+/g) ?? [];
  return fits.filter(({ node }) =>
    numbers.every((number) => node.name.includes(number) || node.value.includes(number)),
  );
}

async function take(walker: Walker, node: PageNode): Promise<void> {
  if (node.role === 'option') return selectOption(walker, node);
  if (node.role === 'button' && node.flags.has('pressed')) return;
  if (node.role === 'button' || node.role === 'tab' || node.role === 'gridcell') return pressNode(walker, node);
  return setTick(walker, node, true);
}

/**
 * Checks or unchecks the checkbox, switch or radio button that matches a name. Rejects with a TabError if none matches.
 */
export async function setChecked(walker: Walker, what: string, isOn: boolean): Promise<void> {
  const found = await walker.lookFor((page) => {
    const looking = { words: getWords(what), roles: [...tickable, 'radio'] };
    const fits = matchControls(page, { ...looking, useContext: false });
    return pick(walker, fits.length > 0 ? fits : matchControls(page, { ...looking, useContext: true }), what);
  });
  if (found === null) throw impossibleAction(`There is no "${shortened(what)}" to tick on the page.`);
  await setTick(walker, found, isOn);
}

/**
 * Replaces a text within the only text field that contains it. Rejects with a TabError unless it occurs exactly once.
 */
export async function replaceText(walker: Walker, from: string, to: string): Promise<void> {
  const fields = nodesIn(walker.page()).filter(({ role, value }) => role === 'textbox' && value.includes(from));
  const [node] = fields;
  if (node?.ref == null || fields.length > 1)
    throw impossibleAction(
      `There is ${fields.length === 0 ? 'no' : 'more than one'} field with "${shortened(from)}" in it.`,
    );
  const text = await walker.tab.elements.text(node.ref);
  if (text.split(from).length !== 2) throw impossibleAction(`"${shortened(from)}" does not stand there exactly once.`);
  await enter(
    walker,
    node,
    text.replace(from, () => to),
  );
}

function nothingTyped(page: PageNode): boolean {
  return nodesIn(page).every(({ role, name, value }) => role !== 'textbox' || name !== '' || value === '');
}

/**
 * Types a value into a field and verifies that the field has the value afterwards; rejects with a TabError if not. Also
 * rejects for a disabled field, and for a field that accepts only the options of a list.
 */
export async function enter(walker: Walker, node: PageNode, value: string): Promise<void> {
  const name = shortened(getControlName(node));
  if (node.flags.has('disabled')) throw impossibleAction(`"${name}" cannot be changed: it is disabled.`);
  const options = nodesIn(node).filter(({ role }) => role === 'option');
  if (options.length > 0) throw impossibleAction(`"${name}" takes a value of its list only.`);
  const ref = node.ref ?? '';
  walker.entered.push(value);
  walker.filled.push({ field: getControlName(node), value });
  await walker.act({
    summary: `Typed "${shortened(value)}" into "${name}"`,
    action: { kind: 'type', field: getControlName(node), text: value },
    run: (tab) => tab.elements.type(ref, value),
    ref,
  });
  const after = getNode(walker.page(), ref);
  if (after !== undefined && !holdsValue(after, value))
    throw impossibleAction(`"${name}" did not take "${shortened(value)}".`);
}

/**
 * Returns whether the value of a field equals `value`. Compares only letters and digits, and ignores case. Always true
 * for password fields and for placeholders of secrets, because their values cannot be read.
 */
export function holdsValue(field: PageNode, value: string): boolean {
  const isHidden = /passw|\bpin\b/i.test(getControlName(field)) || value.includes('<secret:');
  const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return isHidden || plain(field.value) === plain(value);
}

/**
 * Selects an option of a list. Rejects with a TabError if the list cannot be used, or if the option is not selected
 * afterwards.
 */
async function selectOption(walker: Walker, option: PageNode): Promise<void> {
  const list = option.parent;
  if (list?.ref == null) throw impossibleAction(`"${shortened(option.name)}" is in no list that I can use.`);
  const { ref } = list;
  walker.filled.push({ field: getControlName(list), value: option.name });
  await walker.act({
    summary: `Chose "${shortened(option.name)}" in "${shortened(getControlName(list))}"`,
    action: { kind: 'select', field: getControlName(list), option: option.name },
    run: (tab) => tab.elements.select(ref, [option.name]),
    ref,
  });
  const after = getNode(walker.page(), ref);
  const isChosen =
    after === undefined || nodesIn(after).some(({ name, flags }) => name === option.name && flags.has('selected'));
  if (!isChosen)
    throw impossibleAction(`"${shortened(getControlName(list))}" did not take "${shortened(option.name)}".`);
}

/**
 * Checks or unchecks a control, unless it already has this state. Rejects with a TabError if the control is disabled or
 * does not change.
 */
async function setTick(walker: Walker, node: PageNode, isOn: boolean): Promise<void> {
  const name = getControlName(node);
  if (node.flags.has('disabled')) throw impossibleAction(`"${shortened(name)}" cannot be changed: it is disabled.`);
  walker.touched = node.ref;
  walker.filled.push({ field: name, value: isOn });
  if (node.flags.has('checked') === isOn) return;
  const ref = node.ref ?? '';
  await walker.act({
    summary: `${isOn ? 'Ticked' : 'Unticked'} "${shortened(name)}"`,
    action: { kind: 'check', name, isOn },
    run: (tab) => tab.elements.click(ref),
    ref,
  });
  const isSo = await walker.lookFor((page) => {
    const after = getNode(page, ref);
    return after === undefined || after.flags.has('checked') === isOn ? true : null;
  });
  if (isSo === null) throw impossibleAction(`"${shortened(name)}" did not change.`);
}
