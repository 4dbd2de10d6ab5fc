import type { Directive } from '../instructions/directive.ts';
import { findPressable, openPage, press, pressNode } from './press.ts';
import { doFilling, type Filling, isFilling } from './do-filling.ts';
import { pressUntil, putInBasket, scroll, search } from './find-things.ts';
import { logIn } from './login.ts';
import { download, upload } from './move-files.ts';
import { sortTable } from './sort-table.ts';
import { submit } from './submit.ts';
import { visit } from './visit.ts';
import type { Walker } from './walker.ts';
import { unreachable } from '#agent/answer/unreachable.ts';

/** Everything that is done rather than answered. */
export type Doing = Exclude<Directive, { kind: 'ask' }>;
type Going = Extract<Directive, { kind: 'open' | 'visit' | 'search' | 'back' | 'scroll' | 'pressUntil' | 'sort' }>;

const GOING: readonly Directive['kind'][] = ['open', 'visit', 'search', 'back', 'scroll', 'pressUntil', 'sort'];

/** Does one directive on the page. Rejects with a TabError or a FileError when the page does not do it. */
export async function doDirective(directive: Doing, walker: Walker): Promise<void> {
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

function isGoing(directive: Exclude<Doing, Filling>): directive is Going {
  return GOING.includes(directive.kind);
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
