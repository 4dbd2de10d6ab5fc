import { readFileSync } from 'node:fs';

/**
 * What the suite uses of `node:http`. Asked for like this because an import reads every member of a module of Node, and one of this brings the whole client
 * behind `fetch`, which hardly any run needs.
 */
export const { Agent, createServer, request } = process.getBuiltinModule('node:http');

const version = ((): string => {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '0';
})();

/** The `User-Agent` of every request and websocket of the suite. */
export const userAgent = `svc-contract/${version}`;
