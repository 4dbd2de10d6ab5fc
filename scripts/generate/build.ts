import { readFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { fillEnums } from '../../src/cli/spec/fill-enums.ts';
import { type Version, bundle, versions } from './bundle.ts';
import { camelCase } from './camel-case.ts';
import { type ClientTables, clientFacts } from './client-facts.ts';
import { withCommonResponses } from './common-responses.ts';
import { compileRules } from './compile-rules.ts';
import { consoleModule } from './console-page.ts';
import { contractView } from './contract-view.ts';
import { emitModule, emitTables } from './emit.ts';
import { fillErrorExamples } from './fill-error-examples.ts';
import { liveViewModule } from './live-view-script.ts';
import { type NameOptions, modelNames } from './model-names.ts';
import type { NamedOperation } from '../../conformance/harness/target/target-schema.ts';
import { operationTable } from './operation-table.ts';
import { expectText, parseJsonObject } from './parse.ts';
import { createFolderReader } from './read-rules.ts';
import { requestLogModule } from './request-log-page.ts';
import { requirementTable } from './requirement-table.ts';
import type { RuleTables } from './rule-tables.ts';
import { bodyValidators, contractValidators, fileValidators } from './validator-modules.ts';

/** Every generated file: path below generated/ -> text. Pure but for reading spec/ and the sources of pages. */
export async function build(): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  // Documents are bundled in processes of their own, and pages in threads: the rest is read meanwhile.
  const [documents, consolePage, requestLog, { tables, requirements, sets }] = await Promise.all([
    bundles(),
    consoleModule(),
    requestLogModule(),
    readSpec(),
  ]);
  const whole = mapVersions(documents, (document) => withCommonResponses(document, ruleTables(tables)));
  for (const version of versions) {
    const filled = named(whole[version], ruleTables(tables), { contractOnly: false });
    files.set(`${version}.ts`, emitModule(await types(filled)));
    const shown = fillErrorExamples(filled, ruleTables(tables), version);
    const compiled = compileRules(shown, ruleTables(tables));
    files.set(`openapi/${version}.json`, json(compiled));
    files.set(`validators/openapi-${version}.ts`, bodyValidators(`openapi/${version}`, compiled));
    // Without the common answers, none of which the contract states.
    const ofContract = contractView(named(documents[version], ruleTables(tables), { contractOnly: true }));
    files.set(`contract/${version}.json`, json(ofContract));
    files.set(`validators/contract-${version}.ts`, contractValidators(`contract/${version}`, ofContract));
  }
  const operations = operationTable(whole);
  files.set('operations.ts', emitOperations(operations));
  files.set('validators/target.ts', fileValidators.target(operations.map(nameOf)));
  files.set('validators/baseline.ts', fileValidators.baseline());
  files.set('rules.ts', emitRules(tables));
  files.set('client-facts.ts', clientFacts(clientTables(tables)));
  files.set('requirements.ts', emitRequirements(requirements, sets));
  files.set('live-view.ts', liveViewModule());
  files.set('console.ts', consolePage);
  files.set('request-log.ts', requestLog);
  const report = readFileSync('spec/meta/report.schema.json', 'utf8');
  files.set('report.schema.json', report);
  files.set('validators/report.ts', fileValidators.report(parseJsonObject(report, 'spec/meta/report.schema.json')));
  return files;
}

function nameOf({ version, id }: JsonObject): NamedOperation {
  return { version: expectText(version, 'an operation'), id: expectText(id, 'an operation') };
}

async function bundles(): Promise<Record<Version, JsonObject>> {
  const [v2, v3, v4] = await Promise.all([bundle('v2'), bundle('v3'), bundle('v4')]);
  return { v2, v3, v4 };
}

function mapVersions<From, To>(values: Record<Version, From>, map: (value: From) => To): Record<Version, To> {
  return { v2: map(values.v2), v3: map(values.v3), v4: map(values.v4) };
}

/** What stands in spec/ beside the documents: rule tables by their names in code, requirements and sets by the names of their files. */
interface ReadSpec {
  readonly tables: Record<string, JsonValue>;
  readonly requirements: ReadonlyMap<string, JsonObject>;
  readonly sets: ReadonlyMap<string, JsonObject>;
}

/** Settles with what is read at once, so that whoever waits for several hears of each that fails. */
async function readSpec(): Promise<ReadSpec> {
  const readFolder = createFolderReader();
  const rules = readFolder('spec/rules', (name) => name);
  return {
    tables: Object.fromEntries([...rules].map(([name, value]) => [camelCase(name), value])),
    requirements: readFolder('spec/requirements', () => 'requirements'),
    sets: readFolder('spec/sets', () => 'set'),
  };
}

function ruleTables(tables: Record<string, JsonValue>): RuleTables {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the meta schemas of spec/meta have just vouched for the shape
  return tables as unknown as RuleTables;
}

function clientTables(tables: Record<string, JsonValue>): ClientTables {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the meta schemas of spec/meta have just vouched for the shape
  return tables as unknown as ClientTables;
}

/** The document with the names that its schemas take from the rules. */
function named(document: JsonObject, tables: RuleTables, options: NameOptions): JsonObject {
  const copy = structuredClone(document);
  fillEnums(copy, (table) => modelNames(table, tables, options));
  return copy;
}

async function types(document: JsonObject): Promise<string> {
  return astToString(await openapiTS(Buffer.from(JSON.stringify(document)), { defaultNonNullable: false }));
}

function json(value: JsonValue): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function emitOperations(operations: JsonObject[]): string {
  return emitTables(
    [{ name: 'operations', comment: 'Every operation of every generation, in document order.', value: operations }],
    '/** One row of the table. */\nexport type OperationRow = (typeof operations)[number];\n',
  );
}

function emitRules(tables: Record<string, JsonValue>): string {
  return emitTables(
    Object.entries(tables).map(([name, value]) => ({ name, comment: `spec/rules: ${name}.`, value })),
    `/** All rule tables. */\nexport const rules = { ${Object.keys(tables).join(', ')} } as const;\n`,
  );
}

function emitRequirements(requirements: ReadSpec['requirements'], sets: ReadSpec['sets']): string {
  const rows = requirementTable(requirements);
  return emitTables(
    [
      { name: 'requirements', comment: 'Every requirement and law, in file order.', value: rows },
      {
        name: 'sets',
        comment: 'The frozen requirement ids that a certificate for a generation stands for.',
        value: Object.fromEntries(sets),
      },
    ],
    "/** One row of the registry. */\nexport type RequirementRow = (typeof requirements)[number];\n\n/** Permanent id of a requirement or law. */\nexport type RequirementId = RequirementRow['id'];\n",
  );
}
