/*
 * The door to Prism, which answers out of the documents. The published package has a bundle in the place of this one module
 * (tools/package), because Prism brings three times the size of all else, most of it never loaded.
 */
export { createLogger } from '@stoplight/prism-core';
export { createInstance, getHttpOperationsFromSpec } from '@stoplight/prism-http';
