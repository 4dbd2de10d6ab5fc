import { fitting } from '../page/controls.ts';
import { nodesIn, textOf } from '../page/page-node.ts';
import { wordsOf } from '../page/words.ts';
import { shortened } from '../shortened.ts';
import { findField } from './fill.ts';
import { called, pick } from './pick.ts';
import { holds, pressNode } from './press.ts';
import { isThere, namesOf } from './visit.ts';
import { cannot, type Walker } from './walker.ts';

/** What a task is about: a page that has a way to it, and no form for it yet, is left by that way. */
export async function begin(walker: Walker, what: string): Promise<void> {
  if (isThere(walker, namesOf(what))) return;
  const links = fitting(walker.page(), { words: wordsOf(what), roles: ['link'], useContext: false });
  const way = pick(walker, links, what);
  if (way !== null && !/^(?:start|get|begin)\b/i.test(called(way))) await pressNode(walker, way);
}

/** Where the next thing is: a part of this page, or a page that it leads to. */
export async function goToPlace(walker: Walker, where: string): Promise<void> {
  walker.place = where;
  const words = wordsOf(where);
  if (isThere(walker, words) || findField(walker, walker.page(), where) !== null) return;
  const way = pick(walker, fitting(walker.page(), { words, roles: ['link', 'tab'], useContext: false }), where);
  if (way !== null) return pressNode(walker, way);
  const isShown = await walker.lookFor((page) =>
    nodesIn(page).some((node) => holds(textOf(node), words)) ? true : null,
  );
  if (isShown === null) throw cannot(`There is no "${shortened(where)}" on the page.`);
}
