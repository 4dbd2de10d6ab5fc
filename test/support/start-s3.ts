import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import { type S3Address, parseS3Address } from '#store/storage-addresses.ts';

/** An S3-compatible store in this process. */
export interface StartedS3 {
  /** Address of the store's bucket with a key prefix, in the form that `svc serve --blobs` accepts. */
  readonly address: string;
  readonly parsed: S3Address;
  /**
   * Returns the names of the complete objects below the prefix of the address. Ignores what this store leaves after an
   * interrupted upload: bytes without metadata, which S3 itself never shows.
   */
  objects(): string[];
  stop(): Promise<void>;
}

const bucket = 'svc-test';
const prefix = 'some/where';
const complete = '._S3rver_metadata.json';

/** Credentials that the S3 store accepts, as environment variables of the AWS tools. */
export const s3Environment = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' } as const;

/** Starts a store with one bucket on a free loopback port. */
export async function startS3(): Promise<StartedS3> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-s3-'));
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: bucket }],
  });
  const { port } = await server.run();
  const address = `s3://${bucket}/${prefix}?endpoint=${encodeURIComponent(`http://127.0.0.1:${port}`)}`;
  const parsed = parseS3Address(address);
  if (parsed === null) throw new Error(`found no address of a bucket in ${address}`);
  return {
    address,
    parsed,
    objects: () =>
      readdirSync(join(directory, bucket), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.startsWith(`${prefix}/`) && name.endsWith(complete))
        .map((name) => name.slice(prefix.length + 1).slice(0, -complete.length)),
    async stop() {
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
