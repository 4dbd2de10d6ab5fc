import { fastify } from 'fastify';
import { MissingPackage, loadOptional } from '#contract/load-optional.ts';

/**
 * The browser bundle of the reference (Scalar, MIT), about 4.4 MB of JavaScript that defines `Scalar`. It lies inside the npm
 * package; the package hands it out through its fastify plugin only, so that is what is asked, without any network. Read at
 * the first call, because most servers never show the page.
 *
 * @throws when the package answers something else than a script, which a new version of it may do
 */
export function referenceScript(): Promise<string> {
  loading ??= load();
  return loading;
}

let loading: Promise<string> | undefined;

const name = '@scalar/fastify-api-reference';

/** Why there is no page, with the command that adds it; null where there is one. */
export async function missingReference(): Promise<string | null> {
  try {
    await loadOptional('reference', async () => import.meta.resolve(name));
    return null;
  } catch (error) {
    if (error instanceof MissingPackage) return error.message;
    throw error;
  }
}

async function load(): Promise<string> {
  const { default: plugin } = await loadOptional('reference', () => import('@scalar/fastify-api-reference'));
  const app = fastify();
  await app.register(plugin, { routePrefix: '/reference', configuration: { sources: [] } });
  const answer = await app.inject('/reference/js/scalar.js');
  await app.close();
  if (answer.statusCode === 200 && answer.body.includes('createApiReference')) return answer.body;
  throw new Error(
    `@scalar/fastify-api-reference: found status ${answer.statusCode} for its script, expected 200 and createApiReference. ` +
      'Pin the version that package-lock.json names',
  );
}
