import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import type { BrowserRow } from '#store/browsers.ts';
import { findBrowserOr404 } from './find-browser.ts';
import { type BrowserWithRecordings, renderBrowserDetail, withRecordings } from './render-browser.ts';

/** PATCH /browsers/{id} (contract section 4): the one way to end a standalone browser; `stop` is the only action there is. */
export const stopBrowser: Operation<Caller, BrowserRow, BrowserWithRecordings> = {
  decide: findBrowserOr404,
  apply: async (browser, caller) => withRecordings(await caller.browsers.stop(browser), caller),
  render: (found, caller) => ({ status: 200, body: renderBrowserDetail(found, caller) }),
};
