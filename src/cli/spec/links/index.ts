/*
 * Links of the documents (OpenAPI 3.1, "Link Object"): from an answer to the operations that take its ids. Called by
 * `svc spec lint` and by the lint of this project. A link that leads nowhere is worse than none, so every name and every
 * expression of one is followed. Must not change a document.
 */
export { linkProblems } from './link-problems.ts';
