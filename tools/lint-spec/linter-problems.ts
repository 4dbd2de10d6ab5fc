import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import { redoclyProblems } from '../../src/cli/spec/lint-documents.ts';
import { versions } from '../generate/bundle.ts';

/**
 * Returns the findings of Spectral with the rules of config/spectral.yaml at every severity; empty without findings. If
 * Spectral fails without a report, returns its output.
 */
export function spectralProblems(files: readonly string[]): string[] {
  const command = createRequire(import.meta.url).resolve('@stoplight/spectral-cli/dist/index.js');
  const options = [
    '--ruleset',
    'config/spectral.yaml',
    '--fail-severity',
    'hint',
    '--format',
    'json',
    '--quiet',
    '--fail-on-unmatched-globs',
  ];
  const linted = spawnSync(process.execPath, [command, 'lint', ...files, ...options], { encoding: 'utf8' });
  if (linted.status === 0) return [];
  const findings = getFindings(linted.stdout);
  return findings.length === 0 ? [`spectral:\n${linted.stdout}${linted.stderr}`] : findings.map(sentence);
}

/** Returns the findings of a report; empty if Spectral has written no report. */
function getFindings(text: string): JsonObject[] {
  if (!text.trimStart().startsWith('[')) return [];
  const report: unknown = JSON.parse(text);
  return Array.isArray(report) ? report.filter(isJsonObject) : [];
}

function sentence({ source, path, message, code }: JsonObject): string {
  const place = Array.isArray(path) ? path.map(getText).join('/') : '';
  return `${getText(source)} #/${place}: ${getText(message)} (${getText(code)}). Correct it in spec/, then npm run generate`;
}

function getText(value: JsonValue | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Returns the problems that Redocly finds in spec/, with the file to edit; empty without problems. */
export function redoclySpecProblems(): string[] {
  return redoclyProblems(versions);
}
