import { isJsonObject } from '#lib/json.ts';
import { loadOptional } from '#contract/load-optional.ts';
import { documentPath, documentText, documentVersions } from './documents.ts';
import { linkProblems } from './link-problems.ts';
import { redoclyProblems } from './redocly-problems.ts';

/**
 * Returns the problems of the bundled documents as texts; empty when both validators accept all three and all links are
 * valid.
 */
export async function lintDocuments(): Promise<string[]> {
  return [...redoclyProblems(documentVersions.map(documentPath)), ...(await parserProblems()), ...brokenLinks()];
}

/** Validates with a second parser, which shares no code with the first. */
async function parserProblems(): Promise<string[]> {
  const { compileErrors, validate } = await loadOptional('documents', () => import('@readme/openapi-parser'));
  const results = await Promise.all(
    documentVersions.map(async (version) => {
      const result = await validate(documentPath(version));
      if (result.valid && result.warnings.length === 0) return [];
      return [
        `openapi-parser: ${documentName(version)}\n${compileErrors(result)}\nCorrect it in spec/${version}, then npm run generate.`,
      ];
    }),
  );
  return results.flat();
}

/** Checks the links, which no validator does. */
function brokenLinks(): string[] {
  return documentVersions.flatMap((version) => {
    const document: unknown = JSON.parse(documentText(version));
    return isJsonObject(document) ? linkProblems(document).map((text) => `${documentName(version)}: ${text}`) : [];
  });
}

function documentName(version: string): string {
  return `generated/openapi/${version}.json`;
}
