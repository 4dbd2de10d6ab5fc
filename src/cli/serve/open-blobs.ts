import { access, constants } from 'node:fs/promises';
import type { BlobFolder, Blobs, S3Address } from '#store/blobs/blobs.ts';
import { loadOptional } from '#contract/load-optional.ts';
import { createDiskBlobs } from '#store/blobs/disk-blobs.ts';
import { makePrivateFolder } from '#store/data-folder.ts';

/** A folder that all processes share, or a bucket; rejects where nothing could be kept there. */
export function openBlobs(address: S3Address | BlobFolder, owned: AsyncDisposableStack): Promise<Blobs> {
  return 'folder' in address ? openFolder(address) : openBucket(address, owned);
}

async function openFolder({ folder }: BlobFolder): Promise<Blobs> {
  makePrivateFolder(folder);
  await access(folder, constants.W_OK);
  return createDiskBlobs(folder);
}

/** The client of a bucket is large: it is loaded only when there is one. */
async function openBucket(address: S3Address, owned: AsyncDisposableStack): Promise<Blobs> {
  const { openS3Blobs } = await loadOptional('bucket', () => import('#store/blobs/s3-blobs.ts'));
  const bucket = await openS3Blobs(address);
  owned.defer(() => bucket.close());
  return bucket.blobs;
}
