import { Readable } from 'node:stream';
import fastify from 'fastify';
import { expect, it } from 'vitest';
import { bodyFor } from './html.ts';

it('answers HEAD with the headers of the file and reads no bytes', async () => {
  let read = 0;
  const app = fastify();
  app.get('/file', (request, reply) => {
    const bytes = new Readable({
      read() {
        read += 1;
        this.push(read < 3 ? 'abc' : null);
      },
    });
    return reply.headers({ 'content-length': 6, 'content-type': 'text/plain' }).send(bodyFor(request, bytes));
  });
  const head = await app.inject({ method: 'HEAD', url: '/file' });
  expect({ status: head.statusCode, length: head.headers['content-length'], body: head.body, read }).toEqual({
    status: 200,
    length: '6',
    body: '',
    read: 0,
  });
  expect((await app.inject('/file')).body).toBe('abcabc');
  await app.close();
});
