import { withoutEnds } from '#lib/without-end.ts';

/** A bucket of an S3-compatible store. */
export interface S3Address {
  readonly bucket: string;
  /** Stands before every key; empty or ends in a slash. */
  readonly prefix: string;
  /** Address of the store, or null for the one of AWS. */
  readonly endpoint: string | null;
  readonly region: string;
}

/** A folder that every process of a service reaches. */
export interface BlobFolder {
  readonly folder: string;
}

/** Reads `file:///folder`; null for anything else. */
export function parseBlobFolder(text: string): BlobFolder | null {
  if (!URL.canParse(text)) return null;
  const { protocol, host, pathname, search } = new URL(text);
  return protocol === 'file:' && host === '' && search === '' && pathname !== '/'
    ? { folder: decodeURIComponent(pathname) }
    : null;
}

const options = ['endpoint', 'region'];
const defaultRegion = 'us-east-1';

/**
 * Reads `s3://bucket/prefix?endpoint=https://host&region=eu-1`; prefix, endpoint and region may be left out. Null for
 * anything else: an unknown option would be a typo that changes where bytes go.
 */
export function parseS3Address(text: string): S3Address | null {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, port, pathname, searchParams, username, password } = new URL(text);
  const isKnown = [...searchParams.keys()].every((name) => options.includes(name));
  const endpoint = searchParams.get('endpoint');
  if (protocol !== 's3:' || hostname === '' || !isKnown) return null;
  // Credentials have no place in an address, and a port belongs to the endpoint.
  if ([username, password, port].some((part) => part !== '')) return null;
  if (endpoint !== null && !isHttp(endpoint)) return null;
  const folder = withoutEnds(pathname, /\//);
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
