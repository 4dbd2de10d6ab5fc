import { fastify } from 'fastify';

/**
 * A server of Fastify, the framework of the service, with a single route, in a child process: the minimum of every
 * server start.
 */
const app = fastify();
app.get('/healthz', async () => ({ status: 'ok' }));
console.log(`listening on ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
process.once('SIGTERM', () => void app.close());
