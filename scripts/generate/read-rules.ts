import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { readYamlFile, schemaProblem } from '#conformance/harness/data-file.ts';
import type { JsonObject } from '#domain/json.ts';
import { expectObject, parseJsonObject } from './parse.ts';

const metaFolder = 'spec/meta';

/** Reads every YAML file of a spec folder, keyed by file name without ending; `schemaOf` names the meta schema that a file has to match. */
export type ReadFolder = (folder: string, schemaOf: (name: string) => string) => Map<string, JsonObject>;

/** A reader that compiles each meta schema once, which takes longer than the files themselves. It throws for a file that does not match. */
export function createFolderReader(): ReadFolder {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
  });
  const compiled = new Map<string, ValidateFunction>();
  const validateOf = (schemaFile: string): ValidateFunction => {
    const validate =
      compiled.get(schemaFile) ?? ajv.compile(parseJsonObject(readFileSync(schemaFile, 'utf8'), schemaFile));
    compiled.set(schemaFile, validate);
    return validate;
  };
  return (folder, schemaOf) => {
    const names = readdirSync(folder)
      .filter((file) => file.endsWith('.yaml'))
      .toSorted()
      .map((file) => basename(file, '.yaml'));
    const read = (name: string): JsonObject => {
      const schemaFile = join(metaFolder, `${schemaOf(name)}.schema.json`);
      return readFile(join(folder, `${name}.yaml`), schemaFile, validateOf(schemaFile));
    };
    return new Map(names.map((name) => [name, read(name)]));
  };
}

function readFile(file: string, schemaFile: string, validate: ValidateFunction): JsonObject {
  const next = `correct ${file}; ${schemaFile} says what it takes`;
  const read = readYamlFile(file, { expected: `what ${schemaFile} describes`, next });
  if (!validate(read.value)) throw read.fault((validate.errors ?? []).map((error) => schemaProblem(error)));
  return expectObject(read.value, file);
}
