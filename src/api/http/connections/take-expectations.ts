import type { Server } from 'node:http';

/**
 * Hands a request with an expectation that nobody knows to whoever answers requests: Node would answer 417 by itself, without a body and
 * an id. A server may ignore what it does not know (RFC 9110, 10.1.1); `100-continue` never comes here.
 */
export function takeExpectations(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}
