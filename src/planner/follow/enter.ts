import { nodesIn, type PageNode } from '../page/page-node.ts';
import { shortened } from '../shortened.ts';
import { called } from './pick.ts';
import { cannot, nodeOf, type Walker } from './walker.ts';

/** Gives a control a value, whatever kind of control it is, and sees that it holds it. */
export async function enter(walker: Walker, node: PageNode, value: string): Promise<void> {
  const name = shortened(called(node));
  if (node.flags.has('disabled')) throw cannot(`"${name}" cannot be changed: it is disabled.`);
  const options = nodesIn(node).filter(({ role }) => role === 'option');
  if (options.length > 0) throw cannot(`"${name}" takes a value of its list only.`);
  const ref = node.ref ?? '';
  walker.entered.push(value);
  walker.filled.push({ field: called(node), value });
  await walker.act({
    summary: `Typed "${shortened(value)}" into "${name}"`,
    action: { kind: 'type', field: called(node), text: value },
    run: (tab) => tab.elements.type(ref, value),
    ref,
  });
  const after = nodeOf(walker.page(), ref);
  if (after !== undefined && !holdsValue(after, value)) throw cannot(`"${name}" did not take "${shortened(value)}".`);
}

/** Whether a field shows a value, however the page writes it; passwords and secrets are not shown. */
export function holdsValue(field: PageNode, value: string): boolean {
  const isHidden = /passw|\bpin\b/i.test(called(field)) || value.includes('<secret:');
  const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return isHidden || plain(field.value) === plain(value);
}

/** Chooses one of the options of a list. */
export async function selectOption(walker: Walker, option: PageNode): Promise<void> {
  const list = option.parent;
  if (list?.ref == null) throw cannot(`"${shortened(option.name)}" is in no list that I can use.`);
  const { ref } = list;
  walker.filled.push({ field: called(list), value: option.name });
  await walker.act({
    summary: `Chose "${shortened(option.name)}" in "${shortened(called(list))}"`,
    action: { kind: 'select', field: called(list), option: option.name },
    run: (tab) => tab.elements.select(ref, [option.name]),
    ref,
  });
  const after = nodeOf(walker.page(), ref);
  const isChosen =
    after === undefined || nodesIn(after).some(({ name, flags }) => name === option.name && flags.has('selected'));
  if (!isChosen) throw cannot(`"${shortened(called(list))}" did not take "${shortened(option.name)}".`);
}

/** Ticks something or takes its tick away, unless it is as it should be. */
export async function setTick(walker: Walker, node: PageNode, isOn: boolean): Promise<void> {
  const name = called(node);
  if (node.flags.has('disabled')) throw cannot(`"${shortened(name)}" cannot be changed: it is disabled.`);
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
    const after = nodeOf(page, ref);
    return after === undefined || after.flags.has('checked') === isOn ? true : null;
  });
  if (isSo === null) throw cannot(`"${shortened(name)}" did not change.`);
}
