import { describe, expect, it } from 'vitest';
import { parseS3Address } from './blobs-address.ts';

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
