/*
 * The console: a page at `/` for people, and the few operations below /console/api that the documents have not (login, keys, costs, limits, search, runs
 * of the suite, pictures and recordings of runs). For everything else the page speaks the documented operations, with its cookie and a token in a header in the place of a
 * key. Called by create-backend.ts. Must not know a generation, and must not do what an operation of the documents does.
 */
export type { ConsoleDoor } from './console-door.ts';
export type { Examined, Examiner, ExaminationCounts, ExaminationOrder } from './examinations/examiner.ts';
export { linkAddress } from './login/link-address.ts';
export { createLoginLinks } from './login/login-links.ts';
export { openConsole } from './open-console.ts';
export { addPageRoutes } from './page-routes.ts';
