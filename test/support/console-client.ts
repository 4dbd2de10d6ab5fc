import type { JsonValue } from '#lib/json.ts';

/** A login to the console, as the console page has it. */
export interface LoggedIn {
  /** Value of the header `cookie` that a browser would send. */
  readonly cookie: string;
  /** Attributes of the cookie. */
  readonly attributes: readonly string[];
  readonly token: string;
  /** Sends a request below /console/api with the cookie and the token, like the page. */
  call(method: string, path: string, body?: JsonValue): Promise<{ readonly status: number; readonly body: unknown }>;
}

/** Logs in with a key. Throws if the service refuses the login. */
export function logInWithKey(address: string, key: string): Promise<LoggedIn> {
  return logIn(address, { key });
}

/** Logs in with a key or the secret of a link. Throws if the service refuses the login. */
export async function logIn(
  address: string,
  entry: { readonly key: string } | { readonly link: string },
): Promise<LoggedIn> {
  const response = await fetch(`${address}/console/api/login`, {
    method: 'POST',
    headers: { origin: address, 'content-type': 'application/json' },
    body: JSON.stringify(entry),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  const [cookie = '', ...attributes] = (response.headers.get('set-cookie') ?? '').split('; ');
  const { csrf: token }: { csrf: string } = JSON.parse(text);
  return {
    cookie,
    attributes,
    token,
    async call(method, path, body) {
      const answer = await fetch(`${address}/console/api${path}`, {
        method,
        headers: {
          cookie,
          'x-service-console': token,
          origin: address,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const said = await answer.text();
      return { status: answer.status, body: said === '' ? null : JSON.parse(said) };
    },
  };
}
