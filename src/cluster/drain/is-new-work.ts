import type { Route } from '#contract/http-messages.ts';

/** What starts a task or a browser, by generation. Everything else is answered to the end: polls, stops, files. */
const starting: Readonly<Record<Route['version'], readonly string[]>> = {
  v2: ['createSession', 'createTask'],
  v3: ['createSession'],
  v4: ['createRun', 'createMessage', 'createBrowser'],
};

/** Whether an operation starts something that outlives its request. */
export function isNewWork({ version, id }: Pick<Route, 'version' | 'id'>): boolean {
  return starting[version].includes(id);
}
