import type { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent as SecureAgent, globalAgent } from 'node:https';
import { setImmediate } from 'node:timers/promises';

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

/** Maximum idle time of a connection for requests that must not be sent twice, in milliseconds. */
const briefMs = 100;

const briefly = { keepAlive: true, timeout: briefMs, proxyEnv: globalAgent.options.proxyEnv };

/**
 * Agents for methods that are not idempotent. If the server closes an idle connection while a request is sent on it, the
 * request is lost. These agents therefore close idle connections earlier than servers do.
 */
export const briefAgents = { plain: new Agent(briefly), secure: new SecureAgent(briefly) } as const;
for (const agent of Object.values(briefAgents)) keepAfterReading(agent);

/** Lets an agent keep a free connection only after the wait of {@link readAllSockets}. */
function keepAfterReading(agent: EventEmitter): void {
  const keepers = agent.listeners('free');
  agent.removeAllListeners('free');
  agent.on('free', (...freed: unknown[]) => {
    void readAllSockets().then(() => {
      for (const keep of keepers) keep.apply(agent, freed);
    });
  });
}

/**
 * Waits until the event loop has once read from all sockets. A server may close a connection directly after its
 * response without announcing the close. The loop then knows that the connection is closed, and no request reuses it.
 */
export async function readAllSockets(): Promise<void> {
  // The first `setImmediate` of two may run before the loop reads.
  await setImmediate();
  await setImmediate();
}
