import { type TabElements, TabError } from '../tab/tab.ts';
import { notThere } from '../tab/not-allowed.ts';
import type { SimulatedPage } from './parse-page.ts';

/** What the elements of a simulated page need of its tab. Every method answers later, as a real tab does. */
export interface SimulatedElementsOptions {
  readonly page: () => SimulatedPage;
  readonly url: () => string;
  readonly open: (url: string) => void;
  readonly answer: <T>(value: () => T) => Promise<T>;
}

/** Something of a simulated page that has a reference. */
export interface SimulatedElement {
  readonly ref: string;
  readonly role: 'heading' | 'link' | 'button' | 'textbox' | 'cell';
  readonly name: string;
  /** Where a link leads. */
  readonly url: string | null;
}

/** What a page has, in the order of its kinds; the same page always has the same references. */
function simulatedElementsOf({ headings, links, buttons, fields, tables }: SimulatedPage): SimulatedElement[] {
  const cells = tables.flatMap(({ header, rows }) => [...header, ...rows.flat()]);
  const named = (role: SimulatedElement['role'], names: readonly string[]) =>
    names.map((name) => ({ role, name, url: null }));
  const all = [
    ...named('heading', headings),
    ...links.map(({ text, url }) => ({ role: 'link' as const, name: text, url })),
    ...named('button', buttons),
    ...named('textbox', fields),
    ...named('cell', cells),
  ];
  return all.map((element, index) => ({ ...element, ref: `e${index + 1}` }));
}

/** The outline of a page as `PageSnapshot` has it. */
export function simulatedOutline(page: SimulatedPage): string {
  const lines = simulatedElementsOf(page).map(
    ({ role, name, ref }) => `- ${role} ${JSON.stringify(name)} [ref=${ref}]`,
  );
  return [...lines, ...(page.text === '' ? [] : [`- text: ${page.text}`])].join('\n');
}

/** Elements that can be clicked and typed into, of which nothing comes but the page that a link leads to. */
export function createSimulatedElements({ page, url, open, answer }: SimulatedElementsOptions): TabElements {
  const find = (ref: string): SimulatedElement => {
    const found = simulatedElementsOf(page()).find((element) => element.ref === ref);
    if (found !== undefined) return found;
    throw new TabError(`There is no element ${ref} on the page any more. Use a reference of its latest snapshot.`);
  };
  const touch = (ref: string): Promise<void> => answer(() => void find(ref));
  return {
    click: (ref) =>
      answer(() => {
        const { url: target } = find(ref);
        if (target !== null) open(target);
      }),
    hover: touch,
    type: (ref, _text, isPlace) =>
      answer(() => {
        if (find(ref).role !== 'textbox') throw new TabError(`Could not type into ${ref}: it cannot be edited.`);
        if (isPlace?.(url()) === false) throw new TabError(notThere(ref, url()));
      }),
    select: touch,
    check: touch,
    press: touch,
    scroll: (ref) => answer(() => void (ref === null ? null : find(ref))),
    text: (ref) => answer(() => find(ref).name),
    upload: touch,
    download: (ref) =>
      answer((): never => {
        throw new TabError(`Could not download ${find(ref).ref}: simulated pages have no downloads.`);
      }),
  };
}
