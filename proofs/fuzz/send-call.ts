import type { Pool } from 'undici';
import { type JsonValue, parseJson } from '../../conformance/core/json.ts';
import type { CallRequest } from './fuzzed-request.ts';

/** Response to a call. */
export interface CallAnswer {
  /** 0 without a response. */
  readonly status: number;
  /** Header names are in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** undefined when the body is no JSON. */
  readonly json: JsonValue | undefined;
  /** Reason why no response arrived. */
  readonly fault?: string;
}

/** Sends a request whose placeholders are replaced, over a pool of connections. */
export async function sendCall(pool: Pool, request: CallRequest): Promise<CallAnswer> {
  try {
    const { statusCode, headers, body } = await pool.request({
      // Any token is a valid method; the library's type lists the common ones.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
      method: request.method as 'GET',
      path: request.path,
      headers: request.headers.flat(),
      ...(request.body === null ? {} : { body: Buffer.from(request.body, 'latin1') }),
    });
    const text = await body.text();
    const named = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
    return { status: statusCode, headers: new Map(named), body: text, json: text === '' ? undefined : parseJson(text) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? `${String(error.code)} ` : '';
    return { status: 0, headers: new Map(), body: '', json: undefined, fault: `${code}${String(error)}` };
  }
}
