/*
 * The OpenAPI documents for people and tools: the JSON of each generation and one reference page over all of them.
 * Called by the HTTP servers of mock and backend, and by `svc spec docs`, which writes the page as a file.
 * The page is Scalar's, started with settings under which it asks no other host for anything (reference-page.ts).
 * Must not need a key, and must not decide anything: what the documents say is decided in spec/.
 */
export { addDocumentRoutes } from './document-routes.ts';
export { standalonePage } from './reference-page.ts';
export { referenceScript } from './reference-script.ts';
