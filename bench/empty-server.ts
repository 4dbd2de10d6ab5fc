import { fastify } from 'fastify';

/** The same framework with one route and nothing behind it, in a process of its own: what no start of a server can do without. */
const app = fastify();
app.get('/healthz', async () => ({ status: 'ok' }));
console.log(`listening on ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
process.once('SIGTERM', () => void app.close());
