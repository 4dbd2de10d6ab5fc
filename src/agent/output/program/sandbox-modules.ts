/**
 * Source of the module `playwright` for programs: the part of Playwright that the sandbox supports, for the browser of
 * the session. `files` below is the source of `node:fs/promises` for the workspace. The host offers only the functions
 * `__call` and `__print`, and does not trust the code that calls them.
 */
const playwright = String.raw`
const call = globalThis.__call;
let address = 'about:blank';
let waitsForDownload = null;

async function ask(name, ...given) {
  const { value, url } = JSON.parse(await call(name, JSON.stringify(given)));
  if (typeof url === 'string') address = url;
  return value;
}

function strict(name, members) {
  return new Proxy(members, {
    get(target, member) {
      if (member in target || typeof member === 'symbol' || member === 'then' || member === 'toJSON') return target[member];
      throw new TypeError(name + '.' + String(member) + ' is not available here; there is: ' + Object.keys(target).join(', '));
    },
  });
}

function element(text, more) {
  return { innerText: text, textContent: text, ...more };
}

const readers = [
  [/^h[1-6](\s*,\s*h[1-6])*$/, async () => (await ask('headings')).map((text) => element(text))],
  [/^a(\[href\])?$/, async () => (await ask('links')).map(({ text, url }) => element(text, { href: url }))],
  [/^table$/, async () => (await ask('tables')).map(tableElement)],
  [/^body$/, async () => [element(await ask('text'))]],
];

function tableElement({ header, rows, caption }) {
  const all = (header.length === 0 ? rows : [header, ...rows]).map((cells) => {
    const shown = cells.map((text) => element(text));
    return element(cells.join('\t'), { cells: shown });
  });
  const text = all.map((row) => row.innerText).join('\n');
  return element(text, { rows: all, caption: caption === null ? null : element(caption) });
}

function locator(targets) {
  const named = () => {
    const found = targets.find(({ name }) => typeof name === 'string');
    if (found === undefined) throw new TypeError('only an element that is found by its name can be used; found a selector');
    return found.name;
  };
  const elements = () => {
    const { selector } = targets.find((target) => 'selector' in target) ?? {};
    const reader = readers.find(([pattern]) => pattern.test(selector));
    if (reader === undefined)
      throw new TypeError('only body, a[href], table and h1 to h6 can be read here; found ' + (selector ?? named()));
    return reader[1]();
  };
  return strict('locator', {
    targets,
    first: () => locator(targets),
    or: (other) => locator([...targets, ...other.targets]),
    click: () => click(named()),
    fill: (text) => ask('type', named(), String(text)),
    press: (key) => ask('press', String(key)),
    setInputFiles: (file) => ask('upload', targets.some((target) => 'selector' in target) ? null : named(), String(file)),
    innerText: async () => (await elements())[0]?.innerText ?? '',
    textContent: async () => (await elements())[0]?.innerText ?? null,
    allInnerTexts: async () => (await elements()).map((one) => one.innerText),
    allTextContents: async () => (await elements()).map((one) => one.innerText),
    evaluateAll: async (work, given) => work(await elements(), given),
    count: async () => (await elements()).length,
  });
}

async function click(name) {
  if (waitsForDownload === null) return ask('click', name);
  const { resolve } = waitsForDownload;
  waitsForDownload = null;
  const file = await ask('download', name);
  resolve({ suggestedFilename: () => file, saveAs: async () => undefined, path: async () => file });
}

const byName = (name) => locator([{ name: String(name) }]);

export const page = strict('page', {
  goto: async (url) => void (await ask('open', String(url))),
  url: () => address,
  title: () => ask('title'),
  getByRole: (role, { name } = {}) => byName(name ?? role),
  getByLabel: byName,
  getByPlaceholder: byName,
  getByText: byName,
  locator: (selector) => locator([{ selector: String(selector) }]),
  keyboard: strict('page.keyboard', { press: (key) => ask('press', String(key)) }),
  waitForTimeout: (ms) => ask('wait', Number(ms)),
  waitForLoadState: async () => undefined,
  waitForEvent: (event) => {
    if (event !== 'download') throw new TypeError('only a download can be waited for; found ' + event);
    return new Promise((resolve) => {
      waitsForDownload = { resolve };
    });
  },
  close: async () => undefined,
});

const browser = strict('browser', {
  newPage: async () => page,
  newContext: async () => browser,
  contexts: () => [browser],
  pages: () => [page],
  close: async () => undefined,
});

export const chromium = strict('chromium', { launch: async () => browser });
`;

const files = String.raw`
const call = globalThis.__call;
const ask = async (name, ...given) => JSON.parse(await call(name, JSON.stringify(given))).value;
export const readFile = (path) => ask('readFile', String(path));
export const readdir = () => ask('listFiles');
export const writeFile = async (path, text) => void (await ask('writeFile', String(path), String(text)));
export default { readFile, readdir, writeFile };
`;

/** Modules that a program can import, by name. */
export const sandboxModules: Readonly<Record<string, string>> = {
  playwright,
  'playwright-core': playwright,
  'node:fs/promises': files,
  'fs/promises': files,
};

/** Source that runs before the program: it defines globals and removes the host functions from the program's reach. */
export const sandboxStart = String.raw`
import { page } from 'playwright';
import 'node:fs/promises';
import 'playwright-core';
import 'fs/promises';
const print = globalThis.__print;
const shown = (given) => given.map((one) => (typeof one === 'string' ? one : JSON.stringify(one) ?? String(one))).join(' ');
globalThis.page = page;
globalThis.console = { log: (...given) => print(shown(given)), info() {}, warn() {}, error() {}, debug() {} };
delete globalThis.__call;
delete globalThis.__print;
`;
