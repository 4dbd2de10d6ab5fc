import type { Operation } from '#http/operation.ts';
import type { Caller } from '../shared/caller.ts';
import type { BrowserRow } from '../storage/browsers.ts';
import { findBrowserOr404 } from './find-browser.ts';
import { renderBrowserDetail } from './render-browser.ts';

/** GET /browsers/{id} (companion 7.1). */
export const getBrowser: Operation<Caller, BrowserRow, BrowserRow> = {
  decide: findBrowserOr404,
  apply: async (browser) => browser,
  render: (browser, caller) => ({ status: 200, body: renderBrowserDetail(browser, caller) }),
};
