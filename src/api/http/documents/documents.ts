import v2 from '#generated/openapi/v2.json' with { type: 'json' };
import v3 from '#generated/openapi/v3.json' with { type: 'json' };
import v4 from '#generated/openapi/v4.json' with { type: 'json' };

/** The generations that have a document, in the order in which the reference offers them: newest first. */
export const documentVersions = ['v4', 'v3', 'v2'] as const;

/** A generation that has a document. */
export type DocumentVersion = (typeof documentVersions)[number];

/** The bundled OpenAPI 3.1 documents by generation, with the reasoning matrices compiled into their schemas. Never changed. */
export const documents: Readonly<Record<DocumentVersion, object>> = { v4, v3, v2 };
