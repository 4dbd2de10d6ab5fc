import { fastify } from 'fastify';

/**
 * Child process with a server of Fastify, the framework of the service, and a single route. No server of this framework
 * needs less time or memory to start.
 */
const app = fastify();
app.get('/healthz', async () => ({ status: 'ok' }));
console.log(`listening on ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
process.once('SIGTERM', () => void app.close());
