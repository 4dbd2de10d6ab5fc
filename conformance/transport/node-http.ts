import { readFileSync } from 'node:fs';

/**
 * The members of `node:http` that the suite uses. An `import` would evaluate every getter of the module, and one of
 * these getters loads the client behind `fetch`, which few runs need.
 */
export const { Agent, createServer, request } = process.getBuiltinModule('node:http');

const version = ((): string => {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '0';
})();

/** Default `User-Agent` of the suite's requests and websockets. */
export const userAgent = `svc-contract/${version}`;
