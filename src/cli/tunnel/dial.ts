import type { RequestOptions } from 'node:http';
import { Socket } from 'node:net';
import type { Way } from './way.ts';

/** Connections for one request of node's HTTP client, wherever it believes to go. Small messages leave at once. */
export function dial({ away, route }: Way): NonNullable<RequestOptions['createConnection']> {
  return (_options, done) => {
    route.open(away).then(
      (socket) => done(null, socket.setNoDelay(true)),
      // The typings want a socket also where there is none; it is never looked at.
      (error: unknown) => done(error instanceof Error ? error : new Error(String(error)), new Socket()),
    );
    return undefined;
  };
}
