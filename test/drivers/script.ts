import type { Driver } from './driver.ts';

/** Resources of the steps besides the driver. */
export interface World {
  /** Origin of the fixture pages. */
  readonly origin: string;
  /** A file of the client's machine that was also uploaded to the browser. */
  readonly file: string;
  /** Returns the names of the downloads that the service lists for the browser. Waits until it lists at least one. */
  readonly downloads: () => Promise<string[]>;
}

/** A step with its expected result. */
export interface Step {
  readonly step: string;
  readonly run: (driver: Driver, world: World) => Promise<unknown>;
  readonly want: unknown;
}

const text = (selector: string): string => `document.querySelector('${selector}').textContent`;
const value = (selector: string): string => `document.querySelector('${selector}').value`;

/** The script that every driver runs. Each step begins and ends on the page "desk". */
export const script: readonly Step[] = [
  {
    step: 'opens a page',
    run: (driver, { origin }) => driver.open(`${origin}/`).then(() => driver.title()),
    want: 'Desk',
  },
  { step: 'clicks', run: (driver) => driver.click('#count').then(() => driver.evaluate(text('#clicks'))), want: '1' },
  {
    step: 'types',
    run: (driver) => driver.type('#name', 'Ada Ünal').then(() => driver.evaluate(value('#name'))),
    want: 'Ada Ünal',
  },
  {
    step: 'selects',
    run: (driver) => driver.select('#colour', 'green').then(() => driver.evaluate(value('#colour'))),
    want: 'green',
  },
  {
    step: 'answers a dialog',
    run: (driver) => driver.answerPrompt('#ask', 'Grace').then(() => driver.evaluate(text('#said'))),
    want: 'Grace',
  },
  {
    step: 'opens a tab',
    run: (driver, { origin }) => driver.newTab(`${origin}/other`).then(() => driver.title()),
    want: 'Other',
  },
  { step: 'closes it', run: (driver) => driver.closeTab().then(() => driver.title()), want: 'Desk' },
  {
    step: 'works in a frame of another site',
    run: (driver) => driver.clickInFrame('#inner', '#press', '#pressed'),
    want: 'pressed',
  },
  {
    step: 'works in a shadow root',
    run: (driver) => driver.clickInShadow('#host', '#deep').then(() => driver.evaluate(text('#shadow'))),
    want: 'reached',
  },
  {
    step: 'uploads a file',
    async run(driver, { file }) {
      await driver.upload('#file', file);
      await driver.waitForText('#uploaded', 'bytes');
      return driver.evaluate(text('#uploaded'));
    },
    want: 'note.txt: 5 bytes: hello',
  },
  {
    step: 'downloads a file',
    run: (driver, { downloads }) => driver.click('#download').then(downloads),
    want: ['report.csv'],
  },
  {
    step: 'sets a cookie',
    async run(driver, { origin }) {
      await driver.setCookie({ name: 'taste', value: 'sweet', url: `${origin}/` });
      return [await driver.cookie('taste'), await driver.evaluate('document.cookie')];
    },
    want: ['sweet', 'taste=sweet'],
  },
  {
    step: 'keeps something in the local storage',
    run: (driver) =>
      driver
        .evaluate('localStorage.setItem("kept", "here")')
        .then(() => driver.evaluate('localStorage.getItem("kept")')),
    want: 'here',
  },
  {
    step: 'takes a picture',
    run: (driver) => driver.screenshot().then((bytes) => bytes.subarray(1, 4).toString()),
    want: 'PNG',
  },
  { step: 'prints', run: (driver) => driver.print().then((bytes) => bytes.subarray(0, 5).toString()), want: '%PDF-' },
  {
    step: 'scrolls',
    run: (driver) => driver.scrollTo('#bottom').then(() => driver.evaluate('scrollY > 1000')),
    want: true,
  },
  {
    step: 'presses a key',
    run: (driver) => driver.press('#keys', 'Enter').then(() => driver.evaluate(text('#key'))),
    want: 'Enter',
  },
  {
    step: 'points at something',
    run: (driver) => driver.hover('#menu').then(() => driver.evaluate(text('#pointed'))),
    want: 'pointed',
  },
  {
    step: 'waits for a text',
    async run(driver) {
      await driver.click('#later');
      await driver.waitForText('#news', 'it came');
      return driver.evaluate(text('#news'));
    },
    want: 'it came',
  },
  {
    step: 'evaluates',
    run: (driver) => driver.evaluate('({ sum: 1 + 2, list: [null, "x"] })'),
    want: { sum: 3, list: [null, 'x'] },
  },
  {
    step: 'follows a link and goes back',
    async run(driver) {
      await driver.click('#next');
      await driver.waitForText('h1', 'Next');
      const there = await driver.title();
      await driver.back();
      await driver.waitForText('h1', 'Desk');
      return [there, await driver.title()];
    },
    want: ['Next', 'Desk'],
  },
  { step: 'leaves a mark', run: (driver) => driver.evaluate('document.title = "Desk of Ada"'), want: 'Desk of Ada' },
];
