import { globSync, readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { FileProblem } from '#conformance/core/data-file.ts';
import type { JsonObject } from '#lib/json.ts';
import type { Version } from './bundle.ts';
import { expectObject, parseJsonObject } from './parse.ts';
import { type SpecFile, createFolderReader } from './read-rules.ts';
import { type KnownNames, type SpecTables, knownNames } from './references/known-names.ts';
import { referenceProblems, type Reference } from './references/reference.ts';
import { requirementReferences, ruleReferences, setReferences } from './references/reference-table.ts';

/** Data files of a spec folder. */
export interface SpecFiles {
  readonly rules: readonly SpecFile[];
  readonly requirements: readonly SpecFile[];
  readonly sets: readonly SpecFile[];
}

/** Reads the data files of a spec folder. Throws an error with file and line for a file that violates its schema. */
export function readSpecFiles(folder: string): SpecFiles {
  const readFolder = createFolderReader();
  return {
    rules: readFolder(join(folder, 'rules'), (name) => name),
    requirements: readFolder(join(folder, 'requirements'), () => 'requirements'),
    sets: readFolder(join(folder, 'sets'), () => 'set'),
  };
}

/** Returns the data files by name. */
export function specTables({ rules, requirements, sets }: SpecFiles): SpecTables {
  const byName = (files: readonly SpecFile[]): Map<string, JsonObject> =>
    new Map(files.map(({ name, value }) => [name, value]));
  return { rules: byName(rules), requirements: byName(requirements), sets: byName(sets) };
}

/**
 * Returns the names that data files may refer to: names that tables and documents define, shared responses, numbers of
 * decisions, and dependencies of package.json.
 */
export function namesOfSpec(
  folder: string,
  tables: SpecTables,
  documents: Readonly<Record<Version, JsonObject>>,
): KnownNames {
  const manifest = parseJsonObject(readFileSync('package.json', 'utf8'), 'package.json');
  return knownNames({
    tables,
    documents,
    sharedResponses: globSync(join(folder, 'shared/responses/*.yaml')).map((file) => basename(file, '.yaml')),
    decisions: readdirSync('docs/decisions')
      .filter((file) => /^\d/.test(file))
      .map((file) => String(Number.parseInt(file, 10))),
    packages: ['dependencies', 'optionalDependencies'].flatMap((group) =>
      Object.keys(expectObject(manifest[group] ?? {}, `package.json ${group}`)),
    ),
  });
}

/** Throws an error with file and line for a reference to an undefined name. */
export function refuseUnknownNames({ rules, requirements, sets }: SpecFiles, known: KnownNames): void {
  const refuse = ({ value, fault }: SpecFile, references: readonly Reference[]): void => {
    const problems: FileProblem[] = referenceProblems(value, references, known);
    if (problems.length > 0) throw fault(problems);
  };
  for (const file of rules) refuse(file, ruleReferences[file.name] ?? []);
  for (const file of requirements) refuse(file, requirementReferences(file.name));
  for (const file of sets) refuse(file, setReferences);
}
