import { compileErrors, validate } from '@readme/openapi-parser';
import { documentPath, documentVersions } from './documents.ts';
import { redoclyProblems } from './redocly-problems.ts';

/** Problems of the bundled documents, one text each; empty when both validators accept all three. */
export async function lintDocuments(): Promise<string[]> {
  return [...redoclyProblems(documentVersions.map(documentPath)), ...(await parserProblems())];
}

/** The second judge, which shares no code with the first. */
async function parserProblems(): Promise<string[]> {
  const results = await Promise.all(
    documentVersions.map(async (version) => {
      const result = await validate(documentPath(version));
      if (result.valid) return [];
      const file = `generated/openapi/${version}.json`;
      return [
        `openapi-parser: ${file}\n${compileErrors(result)}\nCorrect it in spec/${version}, then npm run generate.`,
      ];
    }),
  );
  return results.flat();
}
