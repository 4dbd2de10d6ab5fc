/**
 * Loaded first by a process that judges mutants: resolves instrumented sources to the folder SVC_INSTRUMENTED.
 * `__STRYKER_ACTIVE_MUTANT__` activates a mutant from the start. With SVC_COUNT_REACHED, the code counts the mutants
 * that it reaches.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const folder = process.env['SVC_INSTRUMENTED'];
if (folder === undefined) {
  throw new Error(
    'found no SVC_INSTRUMENTED, expected the folder of the instrumented sources: start npm run long -- mutants',
  );
}
const names: unknown = JSON.parse(readFileSync(join(folder, 'files.json'), 'utf8'));
const files = new Map(
  (Array.isArray(names) ? names : []).map((name, at) => [pathToFileURL(resolve(String(name))).href, `${at}.ts`]),
);

/**
 * Matches the calls that count reached mutants. These calls are removed from the code unless the process counts reached
 * mutants.
 */
const counters = /stryCov_9fa48\((?:"\d+"(?:, )?)+\)/g;
const isCounting = process.env['SVC_COUNT_REACHED'] !== undefined;

registerHooks({
  load(url, context, next) {
    const file = files.get(url);
    if (file === undefined) return next(url, context);
    const source = readFileSync(join(folder, file), 'utf8');
    return {
      format: 'module-typescript',
      source: isCounting ? source : source.replaceAll(counters, '0'),
      shortCircuit: true,
    };
  },
});
