import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import type { JsonObject } from '#domain/json.ts';
import { expectObject, parseJsonObject } from './parse.ts';

const metaFolder = 'spec/meta';

/** Reads every YAML file of a spec folder, keyed by file name without ending, and validates each against its meta schema. */
export function readFolder(folder: string, schemaOf: (name: string) => string): Map<string, JsonObject> {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .toSorted();
  return new Map(
    files.map((file) => [basename(file, '.yaml'), readFile(join(folder, file), schemaOf(basename(file, '.yaml')))]),
  );
}

function readFile(file: string, schemaName: string): JsonObject {
  const document = expectObject(parse(readFileSync(file, 'utf8')), file);
  const schemaFile = join(metaFolder, `${schemaName}.schema.json`);
  const ajv = new Ajv2020({ allErrors: true, strict: true, strictRequired: false, allowUnionTypes: true });
  const validate = ajv.compile(parseJsonObject(readFileSync(schemaFile, 'utf8'), schemaFile));
  if (validate(document)) return document;
  const problems = (validate.errors ?? []).map(
    (error) => `  ${error.instancePath || '/'} ${error.message} ${JSON.stringify(error.params)}`,
  );
  throw new Error(`${file} does not match ${schemaFile}:\n${problems.join('\n')}`);
}
