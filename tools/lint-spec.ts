import { lintDocuments } from '../src/cli/spec/lint-documents.ts';
import { versions } from './generate/bundle.ts';
import { answerProblems } from './lint-spec/answer-problems.ts';
import {
  bundleFile,
  loadBundles,
  fileNameProblems,
  operationProblems,
  objectProblems,
} from './lint-spec/operation-problems.ts';
import { exampleProblems } from './lint-spec/example-problems.ts';
import { redoclySpecProblems, spectralProblems } from './lint-spec/linter-problems.ts';
import { sourceProblems } from './lint-spec/source-problems.ts';

/**
 * Checks spec/ and the bundled documents, and prints every problem. Returns exit code 1 if there is a problem,
 * otherwise 0.
 */
async function main(): Promise<number> {
  const problems = [...redoclySpecProblems(), ...(await lintDocuments()), ...fileNameProblems('spec')];
  problems.push(...spectralProblems(versions.map(bundleFile)));
  for (const [version, document] of loadBundles()) {
    const rules = [operationProblems, answerProblems, sourceProblems, objectProblems, exampleProblems];
    const found = rules.flatMap((rule) => rule(document));
    problems.push(...found.map((text) => `${bundleFile(version)}: ${text}`));
  }
  for (const text of problems) console.error(text);
  console.log(problems.length === 0 ? 'spec: no problem found' : `spec: ${problems.length} problems`);
  return problems.length === 0 ? 0 : 1;
}

process.exitCode = await main();
