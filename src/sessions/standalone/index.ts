/**
 * Standalone browsers: browsers without an agent that run until they are stopped (contract, rules for standalone
 * browsers). Rows are durable. The Chromium of a row starts at creation, and again at the next connection after a crash
 * or a restart. Operations, the DevTools gateway and the live view call this module, which must not know API versions
 * or their validation.
 */
export {
  createStandaloneBrowsers,
  type CreatedBrowser,
  type NewBrowser,
  type StandaloneBrowsers,
} from './create-standalone-browsers.ts';
