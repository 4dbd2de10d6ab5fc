import type { Operation } from '#http/operation.ts';
import type { Caller } from '../shared/caller.ts';
import type { BrowserRow } from '../storage/browsers.ts';
import { findBrowserOr404 } from './find-browser.ts';
import { renderBrowserDetail } from './render-browser.ts';

/** PATCH /browsers/{id} (contract section 4): the one way to end a standalone browser; `stop` is the only action there is. */
export const stopBrowser: Operation<Caller, BrowserRow, BrowserRow> = {
  decide: findBrowserOr404,
  apply: (browser, { browsers }) => browsers.stop(browser),
  render: (browser, caller) => ({ status: 200, body: renderBrowserDetail(browser, caller) }),
};
