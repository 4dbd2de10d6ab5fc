/** A column that holds keys of blobs. */
export interface BlobColumn {
  readonly table: string;
  readonly column: string;
}

/**
 * Every column through which a row owns bytes: what none of them names is nobody's. Those of `loose_blobs` own nothing: they are to
 * be removed.
 */
export const blobColumns: readonly BlobColumn[] = [
  { table: 'sessions', column: 'screenshot_key' },
  { table: 'steps', column: 'screenshot_key' },
  { table: 'pictures', column: 'key' },
  { table: 'files', column: 'blob_key' },
  { table: 'downloads', column: 'blob_key' },
  { table: 'recordings', column: 'blob_key' },
  { table: 'profiles', column: 'state_key' },
];
