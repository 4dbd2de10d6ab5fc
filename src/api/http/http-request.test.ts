import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { ClientGone, toHttpRequest } from './http-request.ts';

/** Reads the body of a request whose body is the given stream. */
function readBody(stream: Readable): Promise<unknown> {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  const parts = { id: 'a-request', bodyLimit: 10, isProxy: undefined, response, stream, matched: () => {} };
  return toHttpRequest(request, parts).readBody();
}

it('rejects the body of a client that disconnected before the body was read', async () => {
  const stream = new Readable({ read() {} });
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  stream.on('close', resolve).destroy();
  await closed;
  await expect(readBody(stream)).rejects.toThrow(ClientGone);
}, 1_000);

it('rejects the body of a client that disconnects while the body is read', async () => {
  const stream = new Readable({ read() {} });
  const body = readBody(stream);
  stream.destroy();
  await expect(body).rejects.toThrow(ClientGone);
});

it('returns a complete body', async () => {
  expect(await readBody(Readable.from([Buffer.from('complete')]))).toEqual(Buffer.from('complete'));
});
