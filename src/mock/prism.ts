/*
 * Re-exports the parts of Prism that the mock uses. The published package replaces this module by a bundle
 * (tools/package). Prism is three times as large as all other dependencies, and most of it is never loaded.
 */
export { createLogger } from '@stoplight/prism-core';
export { createInstance, getHttpOperationsFromSpec } from '@stoplight/prism-http';
