import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { type DataFile, type FileProblem, readYamlFile, schemaProblem } from '#conformance/core/data-file.ts';
import type { JsonObject } from '#lib/json.ts';
import { expectObject, parseJsonObject } from './parse.ts';

const metaFolder = 'spec/meta';

/** A YAML file of a spec folder that matches its schema. */
export interface SpecFile {
  /** Name of the file without extension. */
  readonly name: string;
  readonly value: JsonObject;
  /** Creates an error with the path of the file, and the line of each problem. */
  readonly fault: DataFile['fault'];
}

/**
 * A function that reads every YAML file of a spec folder. `getSchema` receives the name of a file and returns the name
 * of its meta schema.
 */
export type ReadFolder = (folder: string, getSchema: (name: string) => string) => SpecFile[];

/**
 * Creates a function that reads spec folders and compiles each meta schema once. The function throws for a file that
 * violates its schema.
 */
export function createFolderReader(): ReadFolder {
  const judge = createTableJudge();
  return (folder, getSchema) => {
    const names = readdirSync(folder)
      .filter((file) => file.endsWith('.yaml'))
      .toSorted()
      .map((file) => basename(file, '.yaml'));
    return names.map((name) => readFile(join(folder, `${name}.yaml`), { name, schema: getSchema(name), judge }));
  };
}

/**
 * A function that returns the violations of a table against a meta schema. `schema` is the name of the meta schema
 * without extension.
 */
export type TableJudge = (schema: string, table: unknown) => FileProblem[];

/** Creates a function that validates tables and compiles each meta schema once. */
export function createTableJudge(): TableJudge {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
  });
  const compiled = new Map<string, ValidateFunction>();
  return (schema, table) => {
    const file = metaFile(schema);
    const validate = compiled.get(schema) ?? ajv.compile(parseJsonObject(readFileSync(file, 'utf8'), file));
    compiled.set(schema, validate);
    return validate(table) ? [] : (validate.errors ?? []).map((error) => schemaProblem(placed(error)));
  };
}

/**
 * Returns an Ajv error about the name of a member with the path of this member instead of the path of its object;
 * returns any other error unchanged.
 */
function placed(error: ErrorObject): ErrorObject {
  const name = error.propertyName ?? (error.keyword === 'propertyNames' ? error.params['propertyName'] : undefined);
  if (typeof name !== 'string') return error;
  return { ...error, instancePath: `${error.instancePath}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}` };
}

function metaFile(schema: string): string {
  return join(metaFolder, `${schema}.schema.json`);
}

interface Use {
  readonly name: string;
  readonly schema: string;
  readonly judge: TableJudge;
}

function readFile(file: string, { name, schema, judge }: Use): SpecFile {
  const next = `correct ${file}; ${metaFile(schema)} says what it takes`;
  const read = readYamlFile(file, {
    expected: `what ${metaFile(schema)} describes, with names that spec/ defines`,
    next,
  });
  const problems = judge(schema, read.value);
  if (problems.length > 0) throw read.fault(problems);
  return { name, value: expectObject(read.value, file), fault: (found) => read.fault(found) };
}
