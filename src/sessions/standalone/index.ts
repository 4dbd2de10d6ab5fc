/*
 * Standalone browsers: browsers without an agent, which live until somebody stops them (contract, rules for standalone browsers).
 * Their rows are durable; the Chromium behind a row is started at its creation, and again at the next connection when it has
 * crashed or the service was started again. Called by the operations of a generation, by the DevTools gateway and by the live
 * view. Must not know how a generation shows a browser, nor what a client may ask of it.
 */
export {
  createStandaloneBrowsers,
  type CreatedBrowser,
  type NewBrowser,
  type StandaloneBrowsers,
} from './create-standalone-browsers.ts';
