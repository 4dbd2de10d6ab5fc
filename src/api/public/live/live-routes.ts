import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { livePlaceOf } from '#store/queries/access-tokens.ts';
import { endedPage } from './ended-page.ts';
import { type LiveParts, findDoor } from './find-door.ts';
import { livePage } from './live-page.ts';

/** The pages of live views: whoever has the address may open it, no key is asked for, and anyone may frame it (contract 2, liveUrl). */
export function addLiveRoutes(app: FastifyInstance, parts: LiveParts): void {
  app.get<{ Params: { token: string } }>('/live/:token', async (request, reply) => {
    const { token } = request.params;
    const away = await placeElsewhere(parts, token);
    // The page is where the browser is: its connection leads back to where it came from.
    if (away !== null) return reply.header('cache-control', 'no-store').redirect(`${away}/live/${token}`, 307);
    const door = await findDoor(parts, token);
    const nonce = randomBytes(16).toString('base64');
    const html = door === null ? endedPage(nonce) : livePage(nonce, door.mode);
    return withHeaders(reply.code(door === null ? 404 : 200), nonce).send(html);
  });
}

/** The public address of the process that has what a token opens, where that is another one. */
async function placeElsewhere({ db, owners }: LiveParts, token: string): Promise<string | null> {
  const place = await livePlaceOf(db, token);
  return place === null || !owners.isElsewhere(place) ? null : place.ownerUrl;
}

/** Only its own script and style, only its own connection, and nobody is told where it was. */
function withHeaders(reply: FastifyReply, nonce: string): FastifyReply {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    'frame-ancestors *',
  ];
  return reply
    .headers({
      'content-security-policy': policy.join('; '),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
      'cache-control': 'private, no-store',
    })
    .type('text/html; charset=utf-8');
}
