import type { FastifyInstance } from 'fastify';
import { problem } from '#domain/problems.ts';
import type { RuleBook } from '#domain/rule-book.ts';
import { refuse } from '../refuse.ts';

/** Refuses a request of HTTP/1.1 that names no host, as every server has to (RFC 9112, 3.2), and ends its connection. */
export function requireHost(app: FastifyInstance, rules: RuleBook): void {
  app.addHook('onRequest', ({ raw }, reply, done) => {
    if (raw.headers.host !== undefined || raw.httpVersion !== '1.1') return done();
    const { status, body } = refuse(problem('request_not_http', { reason: 'it has no Host header' }), rules);
    void reply.code(status).header('connection', 'close').send(body);
  });
}
