import { type ElementFacts, type Tab, TabError } from '#browsers/tab/tab.ts';

/** Content of a fake page for tests. */
export interface PaperPage {
  /** Lines of the outline; `[ref=…]` marks elements. */
  readonly outline: string;
  /** Facts of elements by their references. @defaultValue a button without a target */
  readonly facts?: Readonly<Record<string, Partial<ElementFacts>>>;
  /** URLs of the pages that actions on elements lead to, by the references of elements. @defaultValue none */
  readonly leads?: Readonly<Record<string, string>>;
}

/** A tab that shows fake pages without a browser; `acts` records the performed actions. */
export interface PaperTab extends Tab {
  readonly acts: readonly string[];
}

/** Creates a tab that shows fake pages by their URLs. */
export function createPaperTab(pages: Readonly<Record<string, PaperPage>>): PaperTab {
  const acts: string[] = [];
  let url = 'about:blank';
  const page = (): PaperPage => pages[url] ?? { outline: '' };
  const done = async (text: string): Promise<void> => void acts.push(text);
  const find = (ref: string): void => {
    if (!page().outline.includes(`[ref=${ref}]`))
      throw new TabError(`There is no element ${ref} on the page any more.`);
  };
  const on = async (ref: string, text: string): Promise<void> => {
    find(ref);
    acts.push(`${text} ${ref}`);
    url = page().leads?.[ref] ?? url;
  };
  const none = (): never => {
    throw new TabError('A page on paper cannot do that.');
  };
  return {
    acts,
    async open(to) {
      acts.push(`open ${to}`);
      if (pages[to] === undefined) throw new TabError(`Could not open ${to}: the host is unknown.`);
      url = to;
    },
    url: async () => url,
    title: async () => '',
    headings: async () => [],
    links: async () => [],
    tables: async () => [],
    text: async () => page().outline,
    click: none,
    type: none,
    press: (key) => done(`press ${key}`),
    upload: none,
    download: none,
    snapshot: async () => ({ url, title: '', outline: page().outline }),
    elements: {
      click: (ref, count = 1) => on(ref, count === 2 ? 'double-click' : 'click'),
      hover: (ref) => on(ref, 'hover'),
      type: (ref, text) => on(ref, `type ${text}`),
      select: (ref, options) => on(ref, `select ${options.join(', ')}`),
      check: (ref, isChecked) => on(ref, isChecked ? 'check' : 'uncheck'),
      press: (ref, key) => on(ref, `press ${key}`),
      scroll: (ref) => (ref === null ? done('scroll') : on(ref, 'scroll')),
      text: none,
      async describe(ref) {
        find(ref);
        return { address: url, kind: 'button', target: null, ...page().facts?.[ref] };
      },
      upload: (ref) => on(ref, 'upload'),
      download: none,
    },
    tabs: {
      list: async () => [{ number: 1, url, title: '', isFront: true }],
      show: none,
      close: none,
      add: none,
    },
    dialogs: { seen: async () => [], answerNext: async (answer) => done(`dialog ${String(answer?.accept)}`) },
    back: none,
    waitFor: async (text) => {
      if (!page().outline.includes(text)) throw new TabError(`"${text}" did not appear.`);
    },
    screenshot: none,
  };
}
