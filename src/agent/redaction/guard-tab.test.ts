import { expect, it } from 'vitest';
import { type Tab, TabError } from '#browsers/tab/tab.ts';
import { guardTab } from './guard-tab.ts';
import { createRedactor } from './redactor.ts';

interface Typed {
  readonly field: string;
  readonly text: string;
}

/** Creates a guarded tab on a page with the URL `address`. Every text that the tab returns contains `shown`. */
function guarded(address: string, domains: readonly string[] | null, shown = 'hunter2') {
  const typed: Typed[] = [];
  const opened: string[] = [];
  const asked: (string | null)[] = [];
  let told = 0;
  const tab: Tab = {
    async open(url) {
      if (shown !== '') throw new TabError(`Could not open ${url}: ${shown}`);
      opened.push(url);
    },
    url: async () => `https://a.example/?v=${shown}`,
    title: async () => shown,
    headings: async () => [shown],
    links: async () => [{ text: shown, url: `https://a.example/?v=${shown}` }],
    tables: async () => [{ caption: shown, header: [shown], rows: [[shown]] }],
    text: async () => shown,
    click: () => Promise.reject(new Error(`fill("${shown}")`, { cause: shown })),
    async type(field, text, isPlace) {
      if (isPlace?.(address) === false) throw new TabError('not there');
      typed.push({ field, text });
    },
    press: async () => undefined,
    upload: async (field) => void asked.push(field),
    async download(name) {
      asked.push(name);
      return shown;
    },
    snapshot: async () => ({ url: shown, title: shown, outline: shown }),
    elements: {
      click: () => Promise.reject(new Error(`click("${shown}")`, { cause: shown })),
      hover: async () => undefined,
      async type(ref, text, isPlace) {
        if (isPlace?.(address) === false) throw new TabError('not there');
        typed.push({ field: ref, text });
      },
      select: async (_ref, options) => void asked.push(...options),
      check: async () => undefined,
      press: async () => undefined,
      scroll: async () => undefined,
      text: async () => shown,
      describe: async () => ({ address: shown, kind: shown, target: shown }),
      upload: async () => undefined,
      download: async () => shown,
    },
    tabs: {
      list: async () => [{ number: 1, url: shown, title: shown, isFront: true }],
      show: async () => undefined,
      close: async () => undefined,
      add: async () => undefined,
    },
    dialogs: {
      seen: async () => [{ kind: 'alert', message: shown, answer: 'dismissed' }],
      answerNext: async (answer) => void asked.push(answer?.text ?? null),
    },
    back: async () => undefined,
    waitFor: async (text) => void asked.push(text),
    screenshot: async () => new Uint8Array([1]),
  };
  const secrets = [{ name: 's', value: 'hunter2', domains }];
  const redactor = createRedactor(secrets);
  return {
    typed,
    opened,
    asked,
    told: () => told,
    tab: guardTab(tab, { secrets, redactor, onTyped: () => void (told += 1), hasTyped: () => told > 0 }),
  };
}

it('shows placeholders wherever the page shows values', async () => {
  const { tab } = guarded('https://a.example/', null);
  const all = [tab.url(), tab.title(), tab.headings(), tab.links(), tab.tables(), tab.text(), tab.download('x')];
  const shown = JSON.stringify(await Promise.all(all));
  expect(shown).not.toContain('hunter2');
  expect(shown.match(/<secret:s>/g)).toHaveLength(10);
});

it('shows placeholders in what a model looks at', async () => {
  const { tab } = guarded('https://a.example/', null);
  const all = [
    tab.snapshot(),
    tab.elements.text('e1'),
    tab.elements.download('e1'),
    tab.tabs.list(),
    tab.dialogs.seen(),
  ];
  const shown = JSON.stringify(await Promise.all(all));
  expect(shown).not.toContain('hunter2');
  expect(shown.match(/<secret:s>/g)).toHaveLength(8);
  const error: unknown = await tab.elements.click('e1').catch((failure: unknown) => failure);
  expect(String(error instanceof Error ? [error.message, error.stack, error.cause] : error)).not.toContain('hunter2');
});

it.each([
  ['https://shop.example/', true],
  ['https://evil.example/', false],
])('types by reference on %s: %s', async (address, isTyped) => {
  const { tab, typed } = guarded(address, ['shop.example']);
  await tab.elements.type('e1', '<secret:s>').catch((error: unknown) => expect(error).toBeInstanceOf(TabError));
  expect(typed).toEqual(isTyped ? [{ field: 'e1', text: 'hunter2' }] : []);
});

it('takes no picture once a value was typed', async () => {
  const { tab } = guarded('https://a.example/', null);
  expect(await tab.screenshot()).toHaveLength(1);
  await tab.elements.type('e1', '<secret:s>');
  await expect(tab.screenshot()).rejects.toBeInstanceOf(TabError);
});

it('types no value into a dialog', async () => {
  const { tab, asked } = guarded('https://a.example/', null);
  await expect(tab.dialogs.answerNext({ accept: true, text: '<secret:s>' })).rejects.toBeInstanceOf(TabError);
  await tab.dialogs.answerNext({ accept: true, text: 'plain' });
  expect(asked).toEqual(['plain']);
});

it('chooses and waits for what is called as the value', async () => {
  const { tab, asked } = guarded('https://a.example/', null);
  await tab.elements.select('e1', ['<secret:s>']);
  await tab.waitFor('<secret:s>', 'visible', 1);
  expect(asked).toEqual(['hunter2', 'hunter2']);
});

it('a text that was cut off within a value shows no part of it', async () => {
  const { tab } = guarded('https://a.example/', null, `${'x'.repeat(99_996)}hunt`);
  expect(await tab.text()).toMatch(/^x+$/);
});

it('its errors hold no value, in no part of them', async () => {
  const { tab } = guarded('https://a.example/', null);
  for (const act of [() => tab.click('x'), () => tab.open('https://a.example/')]) {
    const error: unknown = await act().catch((failure: unknown) => failure);
    if (!(error instanceof Error)) throw new TypeError('expected an error');
    expect([error.message, error.stack, error.cause].join()).not.toContain('hunter2');
  }
  await expect(tab.open('https://a.example/')).rejects.toBeInstanceOf(TabError);
});

it('types the value in place of its placeholder, and tells before', async () => {
  const { tab, typed, told } = guarded('https://a.example/', null);
  await tab.type('Mail', 'x-<secret:s>@y');
  expect(typed).toEqual([{ field: 'Mail', text: 'x-hunter2@y' }]);
  expect(told()).toBe(1);
  await tab.type('Mail', 'plain');
  expect(told()).toBe(1);
});

it.each([
  ['https://shop.example/?v=<secret:s>', ['*.shop.example'], 'https://shop.example/?v=hunter2'],
  ['https://other.example/?v=<secret:s>', ['*.shop.example'], null],
  ['https://<secret:s>.shop.example/', ['*.shop.example'], 'https://hunter2.shop.example/'],
  ['https://shop.example<secret:s>/', ['*.shop.example'], null],
  ['https://other.example/?v=<secret:s>', null, 'https://other.example/?v=hunter2'],
  ['https://other.example/', ['*.shop.example'], 'https://other.example/'],
  ['https://other.example/?v=<secret:t>', null, null],
])('opens %s, bound to %j, as %s', async (url, domains, want) => {
  const { tab, opened, told } = guarded('about:blank', domains, '');
  await tab.open(url).catch((error: unknown) => expect(error).toBeInstanceOf(TabError));
  expect(opened).toEqual(want === null ? [] : [want]);
  expect(told()).toBe(want?.includes('hunter2') === true ? 1 : 0);
});

it('finds what is called as the value: a field, a file input, a link', async () => {
  const { tab, asked } = guarded('https://a.example/', null, '');
  await tab.upload('<secret:s>', { name: 'a', contentType: 'text/plain', bytes: new Uint8Array() });
  await tab.download('<secret:s>');
  expect(asked).toEqual(['hunter2', 'hunter2']);
});

it('finds a field whose label is the value', async () => {
  const { tab, typed } = guarded('https://a.example/', null);
  await tab.type('<secret:s>', 'x');
  expect(typed).toEqual([{ field: 'hunter2', text: 'x' }]);
});

it('lists the secrets when the name is unknown', async () => {
  const { tab, typed } = guarded('https://a.example/', null);
  await expect(tab.type('Mail', '<secret:t>')).rejects.toThrow('There is no secret "t" for this task. There are: "s".');
  expect(typed).toEqual([]);
});

it.each([
  ['https://shop.example/login', ['*.shop.example'], true],
  ['http://www.shop.example:8080/', ['*.shop.example'], true],
  ['https://shop.example/', ['shop.example'], true],
  ['https://www.shop.example/', ['shop.example'], false],
  ['https://notshop.example/', ['*.shop.example'], false],
  ['https://shop.example.evil.example/', ['*.shop.example'], false],
  ['https://evil.example/?shop.example', ['*.shop.example'], false],
  ['https://shop.example@evil.example/', ['*.shop.example'], false],
  ['data:text/html,shop.example', ['*.shop.example'], false],
  ['about:blank', ['*.shop.example'], false],
  ['', ['*.shop.example'], false],
])('on %s, bound to %j: %s', async (address, domains, isTyped) => {
  const { tab, typed } = guarded(address, domains);
  await tab.type('Password', '<secret:s>').catch((error: unknown) => expect(error).toBeInstanceOf(TabError));
  expect(typed.length === 1).toBe(isTyped);
});

it('leaves time for other work while it reads a long address', async () => {
  const { tab } = guarded('https://a.example/', null, 'hunter2 '.repeat(125_000));
  let turns = 0;
  const turn = (): void => {
    turns += 1;
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  await tab.url();
  const readings = [turns];
  await tab.tabs.list();
  clearImmediate(next);
  expect([...readings, turns - (readings[0] ?? 0)].filter((count) => count < 10)).toEqual([]);
});
