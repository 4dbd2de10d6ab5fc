import { limitOf, type RuleBook } from '#contract/rule-book.ts';

/** Options of fastify and of its Node server; times in milliseconds. */
export interface ConnectionOptions {
  readonly requestTimeout: number;
  readonly keepAliveTimeout: number;
  readonly http: {
    readonly requestTimeout: number;
    readonly headersTimeout: number;
    readonly connectionsCheckingInterval: number;
    readonly maxHeaderSize: number;
    readonly requireHostHeader: boolean;
  };
}

/** Node looks at its connections every so often: one that is too slow is found at most half of its time too late. */
const looksPerTimeout = 2;

/** The bounds of connections as Node's server takes them, from spec/rules/limits.yaml. */
export function connectionOptions(rules: RuleBook): ConnectionOptions {
  const headersTimeout = limitOf(rules, 'requestHeadersTime');
  // As long as an upload address opens: the longest request is a file over a slow line.
  const requestTimeout = limitOf(rules, 'requestTime');
  return {
    requestTimeout,
    keepAliveTimeout: limitOf(rules, 'idleConnection'),
    http: {
      requestTimeout,
      headersTimeout,
      connectionsCheckingInterval: Math.ceil(headersTimeout / looksPerTimeout),
      maxHeaderSize: limitOf(rules, 'requestHeaders'),
      // Node would refuse without a body and an id; `requireHost` does it as everything else is refused.
      requireHostHeader: false,
    },
  };
}
