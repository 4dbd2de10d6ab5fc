import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadBucketCommand,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import type { Blobs, ByteRange, Incoming } from './blobs.ts';
import type { S3Address } from '../storage-addresses.ts';

/** A blob store in a bucket, and a function that closes its connections. */
export interface S3Blobs {
  readonly blobs: Blobs;
  close(): void;
}

const nothing = (): void => undefined;

/** A logger without output. By default, the S3 client would write to the console; here the caller reports errors. */
const silent = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };

/**
 * Opens a bucket of an S3-compatible store. Credentials come from the usual AWS sources (AWS_ACCESS_KEY_ID and
 * AWS_SECRET_ACCESS_KEY, profiles, roles). Rejects when the bucket is not accessible.
 */
export async function openS3Blobs(address: S3Address): Promise<S3Blobs> {
  const client = new S3Client({
    region: address.region,
    logger: silent,
    // Stores other than AWS do not support the checksums that the client sends by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(address.endpoint === null ? {} : { endpoint: address.endpoint, forcePathStyle: true }),
  });
  try {
    await client.send(new HeadBucketCommand({ Bucket: address.bucket }));
  } catch (error) {
    client.destroy();
    const reason = error instanceof Error ? error.name : String(error);
    throw new Error(
      `found the bucket ${address.bucket} out of reach (${reason}), expected one that the credentials of the AWS tools open`,
      { cause: error },
    );
  }
  return { blobs: createS3Blobs(client, address), close: () => client.destroy() };
}

function createS3Blobs(client: S3Client, { bucket, prefix }: S3Address): Blobs {
  const named = (key: string): { Bucket: string; Key: string } => ({ Bucket: bucket, Key: `${prefix}${key}` });
  const find = (key: string, range?: ByteRange): Promise<GetObjectCommandOutput | null> => {
    const part = range === undefined ? {} : { Range: `bytes=${range.first}-${range.last}` };
    return orNull(client.send(new GetObjectCommand({ ...named(key), ...part })));
  };
  return {
    get: async (key) => (await (await find(key))?.Body?.transformToByteArray()) ?? null,
    write: (key, incoming) => send(client, named(key), incoming),
    async read(key, range) {
      const body = (await find(key, range))?.Body;
      return body instanceof Readable ? body : null;
    },
    async remove(key) {
      await client.send(new DeleteObjectCommand(named(key)));
    },
  };
}

/** Sends a blob. A failing source aborts the request: the store never receives the last byte and keeps nothing. */
async function send(client: S3Client, place: { Bucket: string; Key: string }, incoming: Incoming): Promise<void> {
  const body = Readable.from(incoming.bytes);
  const broken = new AbortController();
  body.once('error', (error) => broken.abort(error));
  try {
    const command = new PutObjectCommand({ ...place, Body: body, ContentLength: incoming.size });
    await client.send(command, { abortSignal: broken.signal });
  } catch (error) {
    body.destroy();
    throw broken.signal.aborted ? broken.signal.reason : error;
  }
}

async function orNull<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof NoSuchKey) return null;
    throw error;
  }
}
