import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactLength, WrongLength } from './blobs.ts';
import { parseBlobFolder, parseS3Address } from '../storage-addresses.ts';

async function* from(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

/** Returns the bytes that `exactLength` passed on, and whether it threw WrongLength. */
async function passed(pieces: readonly Uint8Array[], size: number): Promise<{ bytes: Buffer; refused: boolean }> {
  const found: Uint8Array[] = [];
  try {
    for await (const piece of exactLength(from(pieces), size)) found.push(piece);
    return { bytes: Buffer.concat(found), refused: false };
  } catch (error) {
    if (!(error instanceof WrongLength)) throw error;
    return { bytes: Buffer.concat(found), refused: true };
  }
}

it('hands on all bytes of the right number, and of another never as many as asked for', async () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 5 }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(pieces, fc.integer({ min: 0, max: 20 }), async (given, size) => {
      const whole = Buffer.concat(given);
      const { bytes, refused } = await passed(given, size);
      expect(refused).toBe(whole.length !== size);
      if (refused) expect(bytes.length < size || size === 0).toBe(true);
      else expect(bytes.equals(whole)).toBe(true);
    }),
  );
});

it('says what it found', async () => {
  const drain = async (pieces: readonly Uint8Array[]): Promise<void> => {
    for await (const _piece of exactLength(from(pieces), 3));
  };
  await expect(drain([Buffer.from('ab')])).rejects.toMatchObject({ found: '2' });
  await expect(drain([Buffer.from('abcd')])).rejects.toMatchObject({ found: 'more than 3' });
});

describe('parseS3Address', () => {
  it('reads bucket, prefix, endpoint and region', () => {
    expect(parseS3Address('s3://files')).toEqual({ bucket: 'files', prefix: '', endpoint: null, region: 'us-east-1' });
    expect(parseS3Address('s3://files/svc/blobs/?endpoint=http://127.0.0.1:9000&region=eu-1')).toEqual({
      bucket: 'files',
      prefix: 'svc/blobs/',
      endpoint: 'http://127.0.0.1:9000',
      region: 'eu-1',
    });
  });

  it.each([
    'files',
    'https://files',
    's3://',
    's3:///prefix',
    's3://key:secret@files',
    's3://files:9000',
    's3://files?endpont=http://x',
    's3://files?endpoint=x',
    's3://files?endpoint=ftp://x',
  ])('refuses %s', (text) => {
    expect(parseS3Address(text)).toBeNull();
  });
});

describe('parseBlobFolder', () => {
  it('reads a folder', () => {
    expect(parseBlobFolder('file:///data/a%20b')).toEqual({ folder: '/data/a b' });
  });

  it.each(['/data', 'file:///', 'file://host/data', 'file:///data?x=1', 'file:///%zz', 's3://files'])(
    'refuses %s',
    (text) => {
      expect(parseBlobFolder(text)).toBeNull();
    },
  );
});
