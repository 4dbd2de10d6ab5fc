import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import type { BrowserRow } from '#store/browsers.ts';
import { findBrowserOr404 } from './find-browser.ts';
import { type BrowserWithRecordings, renderBrowserWithRecording, withRecordings } from './render-browser.ts';

/** GET /browsers/{id} (companion 7.1). */
export const getBrowser: Operation<Caller, BrowserRow, BrowserWithRecordings> = {
  decide: findBrowserOr404,
  apply: withRecordings,
  render: (found, caller) => ({ status: 200, body: renderBrowserWithRecording(found, caller) }),
};
