import { isJsonObject } from '#lib/json.ts';
import { loadOptional } from '#contract/load-optional.ts';
import { hasCode } from '#lib/system-errors.ts';
import { documentPath, documentText, documentVersions } from './documents.ts';
import { linkProblems } from './link-problems.ts';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Returns the problems of the bundled documents as texts; empty when redocly and openapi-parser accept all three
 * documents and all links are valid.
 */
export async function lintDocuments(): Promise<string[]> {
  return [...redoclyProblems(documentVersions.map(documentPath)), ...(await parserProblems()), ...brokenLinks()];
}

/**
 * Returns the errors and warnings that a second parser, which shares no code with redocly, finds in the bundled
 * documents.
 */
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

/** Returns the problems of links, which neither redocly nor the parser checks. */
function brokenLinks(): string[] {
  return documentVersions.flatMap((version) => {
    const document: unknown = JSON.parse(documentText(version));
    return isJsonObject(document) ? linkProblems(document).map((text) => `${documentName(version)}: ${text}`) : [];
  });
}

function documentName(version: string): string {
  return `generated/openapi/${version}.json`;
}

/**
 * Corrections by the rule of redocly that found a problem. For any other rule, the message names the documentation page
 * of the rule.
 */
const fixes: Readonly<Record<string, string>> = {
  struct: 'Write what OpenAPI 3.1 allows at this place, or remove it',
  'no-unresolved-refs': 'Correct the path in $ref, which is relative to the file that contains it',
  'no-unused-components': 'Refer to the component with $ref, or delete its file',
  'no-invalid-media-type-examples': 'Correct the example, or the schema beside it',
  'no-invalid-schema-examples': 'Correct the example, or the schema beside it',
  'operation-operationId': 'Add operationId: a verb and a noun, for example listSessions',
  'operation-operationId-unique': 'Rename one of the two operations',
  'operation-summary': 'Add summary: a few words, which the reference shows as the title',
  'operation-4xx-response': 'Add the refusals, for example "401": { $ref: ../../shared/responses/Unauthorized.yaml }',
  'operation-2xx-response': 'Add the answer of a success',
  'operation-parameters-unique': 'Delete one of the two parameters',
  'path-parameters-defined': 'Add the parameter with "in: path" and "required: true", or correct its name in the path',
  'tag-description': 'Add description beside the name of the tag in openapi.yaml',
  'security-defined': 'Name a scheme of components/securitySchemes under security',
  'no-required-schema-properties-undefined': 'Add the member to properties, or take it out of required',
  'no-schema-type-mismatch': 'Let type and the other keywords of the schema speak of the same type',
};

/**
 * Lints documents with redocly and the rules of redocly.yaml. Returns the problems with location, message and
 * correction. If redocly is not installed, returns one problem that says so. `names` are paths of documents, relative
 * to the root of the package, or names under `apis` in redocly.yaml.
 */
export function redoclyProblems(names: readonly string[]): string[] {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const command = redocly();
  if (command === null)
    return ['redocly is not installed here: it comes with the development dependencies, run "npm ci" in a checkout'];
  // One document at a time, so that each gets its own report.
  return names.flatMap((name) => {
    const args = [command, 'lint', name, '--config', `${root}/redocly.yaml`, '--format', 'json'];
    const linted = spawnSync(process.execPath, args, {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    });
    if (linted.error !== undefined) return [`redocly failed on ${name}: ${linted.error.message}`];
    return linted.status === 0
      ? []
      : listProblems(linted.stdout, `redocly on ${name}:\n${linted.stdout}${linted.stderr}`);
  });
}

function redocly(): string | null {
  try {
    return createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js');
  } catch (error) {
    if (hasCode(error, 'MODULE_NOT_FOUND')) return null;
    throw error;
  }
}

/**
 * Returns the errors in a report of redocly, one sentence for each. Returns only `raw` if the text is no report or
 * contains no error.
 */
function listProblems(text: string, raw: string): string[] {
  const report = parseReport(text);
  const problems = (Array.isArray(report) ? report : []).filter(isJsonObject);
  const errors = problems.filter((problem) => problem['severity'] === 'error').map(sentence);
  return errors.length === 0 ? [raw] : errors;
}

function parseReport(text: string): unknown {
  try {
    const report: unknown = JSON.parse(text);
    return isJsonObject(report) ? report['problems'] : undefined;
  } catch (error) {
    // Redocly failed before it wrote a report; its output is shown unchanged.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function sentence(problem: Readonly<Record<string, unknown>>): string {
  const [first] = Array.isArray(problem['location']) ? problem['location'].filter(isJsonObject) : [];
  const source = isJsonObject(first?.['source']) ? toText(first['source']['ref']) : '';
  const rule = toText(problem['ruleId']);
  const message = toText(problem['message']).trimEnd().replace(/\.$/, '');
  const fix = fixes[rule] ?? `See ${toText(problem['reference'])}`;
  return `${source} ${toText(first?.['pointer'])}: ${message} (${rule}). ${fix}.`;
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
