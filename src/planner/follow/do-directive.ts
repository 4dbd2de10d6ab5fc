import type { Directive } from '../instructions/directive.ts';
import { findPressable, openPage, press, pressNode, containsWords } from './press.ts';
import { pressUntil, putInBasket, scroll, search } from './find-elements.ts';
import { submit } from './submit.ts';
import { visit, isNamedPage, getNames } from './visit.ts';
import { type Walker, impossibleAction } from './walker.ts';
import { unreachable } from '#agent/answer/plan.ts';
import { matchControls, toComparable } from '../page/controls.ts';
import { nodesIn, type PageNode, getText } from '#agent/page-node.ts';
import { getWords } from '../page/words.ts';
import { assign, choose, enter, findField, replaceText, setField, setChecked } from './fill.ts';
import { pick, getControlName } from './pick.ts';
import { readTables } from '../page/read-tables.ts';
import { shortened } from '../step-summary.ts';
import { type AgentFile, FileError } from '#agent/files.ts';
import { actOnFiles } from '../act-on-files-and-mail.ts';

/** Directives with an action; questions are excluded. */
export type ActionDirective = Exclude<Directive, { kind: 'ask' }>;
type Going = Extract<Directive, { kind: 'open' | 'visit' | 'search' | 'back' | 'scroll' | 'pressUntil' | 'sort' }>;

const goingKinds: readonly Directive['kind'][] = ['open', 'visit', 'search', 'back', 'scroll', 'pressUntil', 'sort'];

/** Executes a directive on the page. Rejects with a TabError or a FileError if the page or a file does not allow it. */
export async function executeDirective(directive: ActionDirective, walker: Walker): Promise<void> {
  if (isFilling(directive)) return doFilling(directive, walker);
  if (isGoing(directive)) return go(directive, walker);
  switch (directive.kind) {
    case 'press':
      return directive.isOptional
        ? pressIfThere(walker, directive.what)
        : press(walker, directive.what, directive.near);
    case 'submit':
      return submit(walker, directive.verb, directive.what);
    case 'login':
      return logIn(walker, directive.user, directive.password);
    case 'basket':
      return putInBasket(walker, directive.what, directive.quantity);
    case 'upload':
      return upload(walker, directive.name);
    case 'download':
      return download(walker, directive.what);
    default:
      return unreachable(directive);
  }
}

function isGoing(directive: Exclude<ActionDirective, Filling>): directive is Going {
  return goingKinds.includes(directive.kind);
}

async function go(directive: Going, walker: Walker): Promise<void> {
  switch (directive.kind) {
    case 'open':
      return openPage(walker, directive.url);
    case 'visit':
      return visit(walker, directive.what);
    case 'search':
      return search(walker, directive.text);
    case 'back':
      return walker.act({
        summary: 'Went back',
        action: { kind: 'press', key: 'Alt+ArrowLeft' },
        run: (tab) => tab.back(),
      });
    case 'scroll':
      return scroll(walker, directive.until);
    case 'pressUntil':
      return pressUntil(walker, directive.what, directive.until);
    case 'sort':
      return sortTable(walker, directive.column, directive.order);
    default:
      return unreachable(directive);
  }
}

async function pressIfThere(walker: Walker, what: string): Promise<void> {
  const found = findPressable(walker, what, null);
  if (found !== null) await pressNode(walker, found);
}

/**
 * Fills a login form and submits it once. If the page has no login form, first visits the page for logging in. Rejects
 * with a TabError if no form is found, or if the page still asks for a password afterwards.
 */
async function logIn(walker: Walker, user: string, password: string): Promise<void> {
  if (passwordField(walker) === null) await visit(walker, 'log in');
  const secret = await walker.lookFor(() => passwordField(walker));
  const name = secret === null ? null : nameField(walker, secret);
  if (secret === null || name === null) throw impossibleAction('There is no form to log in with on the page.');
  await enter(walker, name, user);
  const again = passwordField(walker);
  if (again === null) throw impossibleAction('The field for the password has gone.');
  await enter(walker, again, password);
  await submit(walker, 'log in', '');
  if (passwordField(walker) !== null)
    throw impossibleAction('The page still asks for the password: it did not let me in.');
}

function passwordField(walker: Walker): PageNode | null {
  return pick(
    walker,
    matchControls(walker.page(), { words: getWords('password'), roles: ['textbox'], useContext: false }),
    'password',
  );
}

/** Returns the field for the user name: the last text field before the password field. Null without such a field. */
function nameField(walker: Walker, password: PageNode): PageNode | null {
  const fields = nodesIn(walker.page()).filter(({ role }) => role === 'textbox');
  return fields[fields.findIndex(({ ref }) => ref === password.ref) - 1] ?? null;
}

/**
 * Presses a column header until the table is in the requested order. Rejects with a TabError if it is not after three
 * presses.
 */
async function sortTable(walker: Walker, column: string, order: 'rising' | 'falling'): Promise<void> {
  for (let presses = 0; presses < 3; presses += 1) {
    const head = findHead(walker, column);
    if (head === null) throw impossibleAction(`There is no column "${shortened(column)}" that can be sorted.`);
    await pressNode(walker, head);
    if (isSorted(walker.page(), column, order)) return;
  }
  throw impossibleAction(`The table did not come to be sorted by "${shortened(column)}".`);
}

function findHead(walker: Walker, column: string): PageNode | null {
  const head = pick(
    walker,
    matchControls(walker.page(), { words: getWords(column), roles: ['columnheader'], useContext: false }),
    column,
  );
  if (head === null) return null;
  return nodesIn(head).find(({ role }) => role === 'button' || role === 'link') ?? head;
}

function isSorted(page: PageNode, column: string, order: 'rising' | 'falling'): boolean {
  const words = getWords(column);
  const table = readTables(page).find(({ header }) =>
    header.some((name) => words.every((word) => getWords(name).includes(word))),
  );
  // The table may have lost the column meanwhile.
  if (table === undefined) return false;
  const at = table.header.findIndex((name) => words.every((word) => getWords(name).includes(word)));
  const values = table.rows.map((row) => toComparable(row[at] ?? ''));
  return values.every((value, index) => {
    const before = values[index - 1];
    if (before === undefined) return true;
    const step =
      typeof value === 'number' && typeof before === 'number'
        ? value - before
        : String(value).localeCompare(String(before));
    return order === 'rising' ? step >= 0 : step <= 0;
  });
}

/** Directives that set values of fields. */
type Value = Extract<Directive, { kind: 'assign' | 'set' | 'choose' | 'tick' | 'replace' }>;

/** Directives that set the value of a field, or that give context for later directives. */
type Filling = Value | Extract<Directive, { kind: 'headline' | 'place' | 'mention' | 'avoid' | 'agree' }>;

const valueKinds: readonly Directive['kind'][] = ['assign', 'set', 'choose', 'tick', 'replace'];

const fillingKinds: readonly Directive['kind'][] = [...valueKinds, 'headline', 'place', 'mention', 'avoid', 'agree'];

/** Returns whether a directive sets the value of a field, or gives context for later directives. */
function isFilling(directive: Directive): directive is Filling {
  return fillingKinds.includes(directive.kind);
}

/**
 * Executes a directive that sets the value of a field, or that gives context for later directives. `avoid` and `agree`
 * have no effect here, because `followDirectives` applies them.
 */
async function doFilling(directive: Filling, walker: Walker): Promise<void> {
  if (isValue(directive)) return giveValue(directive, walker);
  switch (directive.kind) {
    case 'headline':
      return begin(walker, directive.what);
    case 'place':
      return goToPlace(walker, directive.where);
    case 'mention':
      walker.named = getWords(directive.what);
      return;
    case 'avoid':
    case 'agree':
      return;
    default:
      return unreachable(directive);
  }
}

function isValue(directive: Filling): directive is Value {
  return valueKinds.includes(directive.kind);
}

async function giveValue(directive: Value, walker: Walker): Promise<void> {
  switch (directive.kind) {
    case 'assign':
      for (const piece of directive.pieces) await assign(walker, piece);
      return;
    case 'set':
      return setField(walker, directive.field === '' ? (walker.place ?? '') : directive.field, directive.value);
    case 'choose':
      return choose(walker, directive.option, directive.field);
    case 'tick':
      return setChecked(walker, directive.what, directive.isOn);
    case 'replace':
      return replaceText(walker, directive.from, directive.to);
    default:
      return unreachable(directive);
  }
}

/**
 * Follows the link to the page that a `headline` directive names. Does nothing if there is no such link, if that page
 * is already open, or if the link begins with "start", "get" or "begin".
 */
async function begin(walker: Walker, what: string): Promise<void> {
  if (isNamedPage(walker, getNames(what))) return;
  const links = matchControls(walker.page(), { words: getWords(what), roles: ['link'], useContext: false });
  const way = pick(walker, links, what);
  if (way !== null && !/^(?:start|get|begin)\b/i.test(getControlName(way))) await pressNode(walker, way);
}

/**
 * Stores the place of the next action, such as a part of the page. If no title, heading or field has this name, presses
 * the link or tab with this name, or else waits until the page shows this text. Rejects with a TabError if the page
 * shows none of these.
 */
async function goToPlace(walker: Walker, where: string): Promise<void> {
  walker.place = where;
  const words = getWords(where);
  if (isNamedPage(walker, words) || findField(walker, walker.page(), where) !== null) return;
  const way = pick(walker, matchControls(walker.page(), { words, roles: ['link', 'tab'], useContext: false }), where);
  if (way !== null) return pressNode(walker, way);
  const isShown = await walker.lookFor((page) =>
    nodesIn(page).some((node) => containsWords(getText(node), words)) ? true : null,
  );
  if (isShown === null) throw impossibleAction(`There is no "${shortened(where)}" on the page.`);
}

/** Uploads a file of the workspace to the only file input of the page. */
async function upload(walker: Walker, name: string): Promise<void> {
  await actOnFiles({ kind: 'upload', name, field: null }, walker.world, {});
  walker.done.push({ kind: 'upload', name, field: null });
  await walker.look();
  await walker.world.step({
    summary: `Put the file ${shortened(name)} into the page`,
    action: { kind: 'upload', name },
    url: walker.url(),
    usage: { inputTokens: 0, outputTokens: 0 },
  });
}

/**
 * Downloads a file by the name of its link or button, and verifies that the workspace has stored it. Without a
 * workspace, only waits until the download begins.
 */
async function download(walker: Walker, what: string): Promise<void> {
  const before = await keptSoFar(walker);
  const words = getNames(what);
  const node = await walker.lookFor((page) => {
    const roles = ['link', 'button'];
    const fits = matchControls(page, { words: [...words, ...getWords('download')], roles, useContext: false });
    return pick(walker, fits.length > 0 ? fits : matchControls(page, { words, roles, useContext: false }), what);
  });
  if (node === null) throw impossibleAction(`There is no "${shortened(what)}" to download on the page.`);
  const ref = node.ref ?? '';
  let name = '';
  await walker.act({
    summary: `Downloaded "${shortened(getControlName(node))}"`,
    action: { kind: 'download', name: getControlName(node) },
    run: async (tab) => {
      name = await tab.elements.download(ref);
    },
    ref,
  });
  if (before === null) {
    walker.said = `The file ${shortened(name)} was downloaded. This session has no workspace that could keep it.`;
    return;
  }
  const [file] = (await walker.world.files.downloads()).slice(before.length);
  if (file === undefined) throw new FileError(`No file came of the download "${shortened(what)}".`);
  walker.said = `The file ${shortened(file.path)} was downloaded, ${file.size} bytes.`;
}

/** Returns the files that the task has downloaded so far; null without a workspace. */
async function keptSoFar({ world }: Walker): Promise<readonly AgentFile[] | null> {
  try {
    return await world.files.downloads();
  } catch (error) {
    if (error instanceof FileError) return null;
    throw error;
  }
}
