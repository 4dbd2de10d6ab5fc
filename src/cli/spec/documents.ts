import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The generations that have a document. */
export const documentVersions = ['v2', 'v3', 'v4'] as const;

/** One generation. */
export type DocumentVersion = (typeof documentVersions)[number];

/** Absolute path of the bundled OpenAPI document of a generation. */
export function documentPath(version: DocumentVersion): string {
  return fileURLToPath(new URL(`../../../generated/openapi/${version}.json`, import.meta.url));
}

/** Text of the bundled document, with the reasoning matrices compiled into its schemas; JSON, ends with a line break. */
export function documentText(version: DocumentVersion): string {
  return readFileSync(documentPath(version), 'utf8');
}
