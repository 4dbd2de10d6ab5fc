import type { JsonObject } from '#lib/json.ts';
import type { HostedBrowser } from '../host.ts';
import { within } from '../within.ts';

/** Every browser answers what is asked here within milliseconds. */
const ANSWER_TIMEOUT_MS = 10_000;

/** Asks a browser one thing as a client of its own; rejects with its error, when it ends, and after 10 s. */
export async function ask(browser: HostedBrowser, method: string): Promise<JsonObject> {
  const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
  const client = await browser.attach({
    message: ({ id, result, error }) => {
      if (id !== 1) return;
      if (error === undefined) resolve(result ?? {});
      else reject(new Error(`${method}: ${JSON.stringify(error)}`));
    },
    closed: (reason) => reject(new Error(reason)),
  });
  try {
    client.send({ id: 1, method });
    return await within(ANSWER_TIMEOUT_MS, promise, `${method} was not answered.`);
  } finally {
    await client.close();
  }
}
