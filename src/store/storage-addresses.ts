import { stripEnds } from '#lib/trim-end.ts';

/** Parsers for the addresses of databases and blob stores in command-line options. This file loads no driver. */

/** Returns whether a database address is a PostgreSQL URL. Any other address is a SQLite file or `:memory:`. */
export function isPostgres(address: string): boolean {
  return /^postgres(ql)?:\/\//.test(address);
}

/** A bucket of an S3-compatible store. */
export interface S3Address {
  readonly bucket: string;
  /** Prefix of every key; empty, or ends with a slash. */
  readonly prefix: string;
  /** URL of the store, or null for AWS. */
  readonly endpoint: string | null;
  readonly region: string;
}

/** A folder that every process of the service can access. */
export interface BlobFolder {
  readonly folder: string;
}

/**
 * Parses a URL such as `file:///folder`. Returns null for any other text, also for a URL with a host or a query, and
 * for the root folder.
 */
export function parseBlobFolder(text: string): BlobFolder | null {
  if (!URL.canParse(text)) return null;
  const { protocol, host, pathname, search } = new URL(text);
  if (protocol !== 'file:' || host !== '' || search !== '' || pathname === '/') return null;
  try {
    return { folder: decodeURIComponent(pathname) };
  } catch {
    return null; // Invalid percent-encoding.
  }
}

const s3Options = ['endpoint', 'region'];

const defaultRegion = 'us-east-1';

/**
 * Parses `s3://bucket/prefix?endpoint=https://host&region=eu-1`; prefix, endpoint and region are optional. Returns null
 * for anything else, including unknown options: a typo would change where data is stored.
 */
export function parseS3Address(text: string): S3Address | null {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, port, pathname, searchParams, username, password } = new URL(text);
  const isKnown = [...searchParams.keys()].every((name) => s3Options.includes(name));
  const endpoint = searchParams.get('endpoint');
  if (protocol !== 's3:' || hostname === '' || !isKnown) return null;
  // A URL must not contain credentials, and a port belongs to the endpoint.
  if ([username, password, port].some((part) => part !== '')) return null;
  if (endpoint !== null && !isHttp(endpoint)) return null;
  const folder = stripEnds(pathname, /\//);
  return {
    bucket: hostname,
    prefix: folder === '' ? '' : `${folder}/`,
    endpoint,
    region: searchParams.get('region') ?? defaultRegion,
  };
}

function isHttp(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
