import type { Page } from 'playwright-core';
import { type OpenTab, TabError, type TabList } from './tab.ts';
import type { RunStep } from './as-tab-error.ts';
import type { Foreground } from './foreground.ts';
import { readTitle } from './read-page.ts';

/** The tabs of a browser in the order in which they came to the front, the latest last. */
export function createTabList(foreground: Foreground, runStep: RunStep): TabList {
  const pageOf = (number: number): Page => {
    const page = foreground.all()[number - 1];
    if (page !== undefined) return page;
    throw new TabError(`There is no tab ${number}: there are ${foreground.all().length}.`);
  };
  return {
    list: () => runStep('Could not list the tabs', () => Promise.all(foreground.all().map(shown))),
    show: (number) =>
      runStep(`Could not show tab ${number}`, async () => {
        const page = pageOf(number);
        await page.bringToFront();
        foreground.show(page);
      }),
    close: (number) => runStep(`Could not close tab ${number}`, () => pageOf(number).close()),
    add: () => runStep('Could not open a tab', () => foreground.add()),
  };

  async function shown(page: Page, index: number): Promise<OpenTab> {
    return {
      number: index + 1,
      url: page.url(),
      title: await page.evaluate(readTitle),
      isFront: page === foreground.newest(),
    };
  }
}
