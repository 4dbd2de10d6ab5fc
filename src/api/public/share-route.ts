import type { FastifyInstance } from 'fastify';
import { problem, renderProblem } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { Shares } from '#accounts/shares.ts';
import { sharePage } from './share-page.ts';

/** What the page of a share is made of. */
export interface ShareRouteParts {
  readonly shares: Shares;
  readonly rules: RuleBook;
}

/** Nothing runs, nothing is loaded, nothing is sent, and no search engine keeps it. */
const headers = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
  'cache-control': 'private, no-store',
};

/** The page behind a shareUrl: whoever has the address may read it, no key is asked for. */
export function addShareRoute(app: FastifyInstance, { shares, rules }: ShareRouteParts): void {
  app.get<{ Params: { token: string } }>('/share/:token', async (request, reply) => {
    const shared = await shares.view(request.params.token);
    if (shared !== null) {
      const page = sharePage(shared, request.params.token, rules);
      return reply.headers(headers).type('text/html; charset=utf-8').send(page);
    }
    const { status, body } = renderProblem(problem('share_not_found', {}), rules);
    return reply.code(status).send(body);
  });
}
