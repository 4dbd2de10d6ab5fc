import { allowedAddress, notAllowed, notThere } from '../tab/addresses.ts';
import { type OpenTab, type Tab, type TabElements, TabError, type TabList } from '../tab/tab.ts';
import { parsePage, type SimulatedPage } from './parse-page.ts';

/** Dependencies of a simulated tab. */
export interface SimulatedTabOptions {
  /** Called with the size in bytes of each HTTP or HTTPS page that the tab opens, including an estimate for headers. */
  readonly onTraffic: (bytes: number) => void;
  /** Throws when the browser has ended. */
  readonly assertRunning: () => void;
  /** Returns whether a page with this URL may be shown. */
  readonly mayShow: (address: string) => boolean;
}

/** Estimated size of a request and a response head. */
const overheadBytes = 500;

/** Creates a simulated tab, which generates pages from URLs. Equal URLs yield equal pages. */
export function createSimulatedTab({ onTraffic, assertRunning, mayShow }: SimulatedTabOptions): Tab {
  let url = new URL('about:blank');
  let page = parsePage('', url.href);
  let before: readonly string[] = [];

  const open = (address: string): void => {
    const next = new URL(allowedAddress(address));
    if (!mayShow(next.href)) throw new TabError(`Could not open ${next.href}: ${notAllowed(next.href)}.`);
    const html = getPage(next);
    before = [...before, url.href];
    page = parsePage(html, next.href);
    url = next;
    if (/^https?:$/.test(next.protocol)) onTraffic(Buffer.byteLength(html) + overheadBytes);
  };
  /** Returns a value asynchronously, as a real tab does. Rejects after the end of the browser. */
  const answer = async <T>(value: () => T): Promise<T> => {
    assertRunning();
    return value();
  };
  const click = (name: string): void => {
    const link = best(page.links, ({ text }) => text, name);
    if (link !== undefined) open(link.url);
    else if (best(page.buttons, (text) => text, name) === undefined) {
      throw new TabError(`Could not click "${name}": there is no such link or button.`);
    }
  };
  const type = (field: string, isPlace: ((address: string) => boolean) | undefined): void => {
    if (best(page.fields, (name) => name, field) === undefined) {
      throw new TabError(`Could not type into "${field}": there is no such field.`);
    }
    if (isPlace?.(url.href) === false) throw new TabError(notThere(field, url.href));
  };
  const upload = (field: string | null): void => {
    const isThere = field === null ? page.fields.length > 0 : best(page.fields, (name) => name, field) !== undefined;
    if (!isThere) throw new TabError('Could not put the file into the page: there is no such file input.');
  };
  const back = (): void => {
    const last = before.at(-1);
    if (last === undefined) throw new TabError('Could not go back: this is the first page of the tab.');
    open(last);
    before = before.slice(0, -2);
  };

  return {
    open: (address) => answer(() => open(address)),
    url: () => answer(() => url.href),
    title: () => answer(() => page.title),
    headings: () => answer(() => [...page.headings]),
    links: () => answer(() => [...page.links]),
    tables: () => answer(() => [...page.tables]),
    text: () => answer(() => page.text.slice(0, 100_000)),
    click: (name) => answer(() => click(name)),
    type: (field, _text, isPlace) => answer(() => type(field, isPlace)),
    press: () => answer(() => undefined),
    upload: (field) => answer(() => upload(field)),
    download: (name) => answer(() => download(name)),
    snapshot: () => answer(() => ({ url: url.href, title: page.title, outline: simulatedOutline(page) })),
    elements: createSimulatedElements({ page: () => page, url: () => url.href, open, answer }),
    tabs: createSimulatedTabList(() => ({ number: 1, url: url.href, title: page.title, isFront: true }), answer),
    dialogs: { seen: () => answer(() => []), answerNext: () => answer(() => undefined) },
    back: () => answer(back),
    waitFor: (text, state) => answer(() => assertShown(page.text, text, state)),
    screenshot: () => answer(placeholderFrame),
  };
}

function download(name: string): never {
  throw new TabError(`Could not download "${name}": simulated pages have no downloads.`);
}

/**
 * Throws a {@link TabError} unless the page contains a text (`visible`) or does not contain it (`hidden`). Does not
 * wait, because a simulated page never changes by itself.
 */
function assertShown(page: string, text: string, state: 'visible' | 'hidden'): void {
  if (page.includes(text) === (state === 'visible')) return;
  throw new TabError(`"${text}" ${state === 'visible' ? 'did not appear' : 'did not go away'}.`);
}

/**
 * Returns the first item whose name equals the wanted name, or else the first whose name contains it. Ignores case.
 * Returns undefined if no name matches.
 */
function best<T>(all: readonly T[], getName: (one: T) => string, wanted: string): T | undefined {
  const name = wanted.toLowerCase();
  return (
    all.find((one) => getName(one).toLowerCase() === name) ??
    all.find((one) => getName(one).toLowerCase().includes(name))
  );
}

/**
 * Creates the tab list of a simulated browser. It has a single tab, which cannot be closed, and no tab can be added.
 */
function createSimulatedTabList(only: () => OpenTab, answer: <T>(value: () => T) => Promise<T>): TabList {
  const sole = (number: number): void => {
    if (number !== 1) throw new TabError(`There is no tab ${number}: there are 1.`);
  };
  const cannot = (): never => {
    throw new TabError('A simulated browser has one tab.');
  };
  return {
    list: () => answer(() => [only()]),
    show: (number) => answer(() => sole(number)),
    close: () => answer(cannot),
    add: () => answer(cannot),
  };
}

/** Host names that never exist (RFC 2606). */
const unknownHost = /(^|\.)invalid$/;

/**
 * Returns the HTML of a URL: the content of a `data:` URL, an empty text for `about:`, or else a page generated from
 * host and path. Throws a {@link TabError} for too long a URL and for a malformed `data:` URL. Also throws for hosts
 * below `.invalid`, so that tests have a page that fails.
 */
function getPage(url: URL): string {
  if (url.href.length > addressCharactersMax)
    throw new TabError(
      `Could not open the address: it has ${url.href.length} characters, and a simulated browser takes at most ${addressCharactersMax}.`,
    );
  if (url.protocol === 'data:') return decodeDataUrl(url);
  if (url.protocol === 'about:') return '';
  if (unknownHost.test(url.hostname)) {
    throw new TabError(`Could not open ${url.href}: the host ${url.hostname} is unknown.`);
  }
  return `<title>${url.hostname}</title><h1>Welcome to ${url.hostname}</h1>
<p>This page is simulated.</p><a href="/more">More</a><label>Search <input name="q"></label><button>Go</button>
<table><caption>Request</caption><tr><th>Part</th><th>Value</th></tr><tr><td>Host</td><td>${url.hostname}</td></tr>
<tr><td>Path</td><td>${url.pathname}</td></tr></table>`;
}

/** Maximum length of a URL in characters, because the generated pages contain their URL. */
const addressCharactersMax = 100_000;

function decodeDataUrl(url: URL): string {
  const [, base64, data = ''] = /^data:[^,]*?(;base64)?,(.*)$/s.exec(url.href) ?? [];
  try {
    return base64 === undefined ? decodeURIComponent(data) : Buffer.from(data, 'base64').toString('utf8');
  } catch (error) {
    throw new TabError('Could not open the data: address: its percent signs are not an encoding.', { cause: error });
  }
}

/** Dependencies of the elements of a simulated page. `answer` returns a value asynchronously, as a real tab does. */
export interface SimulatedElementsOptions {
  readonly page: () => SimulatedPage;
  readonly url: () => string;
  readonly open: (url: string) => void;
  readonly answer: <T>(value: () => T) => Promise<T>;
}

/** An element of a simulated page with a reference. */
export interface SimulatedElement {
  readonly ref: string;
  readonly role: 'heading' | 'link' | 'button' | 'textbox' | 'cell';
  readonly name: string;
  /** URL of a link; null for other elements. */
  readonly url: string | null;
}

/** Returns the elements of a page, grouped by kind. Equal pages yield equal references. */
function getSimulatedElements({ headings, links, buttons, fields, tables }: SimulatedPage): SimulatedElement[] {
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

/** Returns the outline of a simulated page in the format of `PageSnapshot`. */
function simulatedOutline(page: SimulatedPage): string {
  const lines = getSimulatedElements(page).map(
    ({ role, name, ref }) => `- ${role} ${JSON.stringify(name)} [ref=${ref}]`,
  );
  return [...lines, ...(page.text === '' ? [] : [`- text: ${page.text}`])].join('\n');
}

/** Creates the elements of a simulated page. A click on a link opens its page; other actions have no effect. */
function createSimulatedElements({ page, url, open, answer }: SimulatedElementsOptions): TabElements {
  const find = (ref: string): SimulatedElement => {
    const found = getSimulatedElements(page()).find((element) => element.ref === ref);
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
    describe: (ref) =>
      answer(() => {
        const { role, url: target } = find(ref);
        return { address: url(), kind: role, target };
      }),
    upload: touch,
    download: (ref) =>
      answer((): never => {
        throw new TabError(`Could not download ${find(ref).ref}: simulated pages have no downloads.`);
      }),
  };
}

/** A white JPEG of 16 x 10 pixels, as Chromium encodes it. */
const whiteJpeg =
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////2wBDAf//////////////////////////////////////////////////////////////////////////////////////wAARCAAKABADASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAP/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFAEBAAAAAAAAAAAAAAAAAAAAAP/EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAMAwEAAhEDEQA/AKAA/9k=';

const frame = Buffer.from(whiteJpeg, 'base64');

/**
 * Returns the JPEG that a simulated browser uses as screenshot and frame. Each call returns a new copy, because the
 * caller may modify it.
 */
export function placeholderFrame(): Uint8Array {
  return Buffer.from(frame);
}
