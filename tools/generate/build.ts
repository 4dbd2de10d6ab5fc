import { readFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import { fillEnums } from '../../src/cli/spec/documents.ts';
import { type Version, bundle, versions } from './bundle.ts';
import { expectText, parseJsonObject, expectObject } from './parse.ts';
import { type ClientTables, clientFacts } from './client-facts.ts';
import { type CommonLevel, withCommonResponses } from './common-responses.ts';
import { compileRules } from './compile-rules.ts';
import { contractView } from './contract-view.ts';
import { devtoolsModule } from './devtools-module.ts';
import { describeValues } from './describe.ts';
import { emitModule, emitTables } from './write-files.ts';
import { fillErrorExamples } from './fill-error-examples.ts';
import { type IntroductionTables, withIntroduction } from './introductions/introduction.ts';
import { picturesModule } from './introductions/picture.ts';
import { liveViewModule } from './live-view-script.ts';
import type { NamedOperation } from '#conformance/core/target-schema.ts';
import { operationTable } from './operation-table.ts';
import { contractFile, joinExcerpts, refuseWrongQuotes } from './quotes.ts';
import { type SpecFiles, namesOfSpec, readSpecFiles, refuseUnknownNames, specTables } from './read-spec.ts';
import type { SpecTables } from './references/known-names.ts';
import type { RuleTables } from './rule-tables.ts';
import { statesModule } from './states-module.ts';
import { bodyValidators, contractValidators, fileValidators } from './validator-modules.ts';
import { builtFrontEnd } from './front-end.ts';

/**
 * Returns the text of every generated file by its path below generated/. The sources are spec/, the contract,
 * package.json, the pages of src/pages and the package devtools-protocol.
 */
export async function build(): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  // Documents are bundled in child processes and pages in threads; other files are read meanwhile.
  const [documents, consolePage, requestLog, spec] = await Promise.all([
    bundles(),
    consoleModule(),
    requestLogModule(),
    readSpec(),
  ]);
  const { rules, requirements, sets } = specTables(spec);
  refuseUnknownNames(spec, namesOfSpec('spec', { rules, requirements, sets }, documents));
  refuseWrongQuotes(spec.requirements, readFileSync(contractFile, 'utf8'));
  const tables = Object.fromEntries([...rules].map(([name, value]) => [camelCase(name), value]));
  const common = (levels: readonly CommonLevel[]): Record<Version, JsonObject> =>
    mapVersions(documents, (document) => withCommonResponses(document, ruleTables(tables), levels));
  const whole = common(['connection', 'operation']);
  for (const version of versions) {
    const filled = named(whole[version], version, { tables: ruleTables(tables), contractOnly: false });
    files.set(`${version}.ts`, emitModule(await types(filled)));
    const shown = fillErrorExamples(filled, ruleTables(tables), version);
    const introduced = withIntroduction(shown, version, introductionTables(tables));
    const compiled = compileRules(introduced, ruleTables(tables));
    files.set(`openapi/${version}.json`, json(compiled));
    files.set(`validators/openapi-${version}.ts`, bodyValidators(`openapi/${version}`, compiled));
    // Without common responses, which the contract does not state.
    const ofContract = contractView(
      named(documents[version], version, { tables: ruleTables(tables), contractOnly: true }),
    );
    files.set(`contract/${version}.json`, json(ofContract));
    files.set(`validators/contract-${version}.ts`, contractValidators(`contract/${version}`, ofContract));
  }
  // Rejections before routing are no response to a request of the suite.
  const operations = operationTable(common(['operation']));
  files.set('operations.ts', emitOperations(operations));
  files.set('validators/target.ts', fileValidators.target(operations.map(getName)));
  files.set('validators/baseline.ts', fileValidators.baseline());
  files.set('rules.ts', emitRules(tables));
  files.set('client-facts.ts', clientFacts(clientTables(tables), packageVersion()));
  files.set('states.ts', statesModule(ruleTables(tables)));
  files.set('life-cycle-pictures.ts', picturesModule(introductionTables(tables).lifecycle.machines));
  files.set('requirements.ts', emitRequirements(requirements, sets));
  files.set('devtools.ts', devtoolsModule());
  files.set('live-view.ts', liveViewModule());
  files.set('console.ts', consolePage);
  files.set('request-log.ts', requestLog);
  const report = readFileSync('spec/meta/report.schema.json', 'utf8');
  files.set('report.schema.json', report);
  files.set('validators/report.ts', fileValidators.report(parseJsonObject(report, 'spec/meta/report.schema.json')));
  return files;
}

function getName({ version, id }: JsonObject): NamedOperation {
  return { version: expectText(version, 'an operation'), id: expectText(id, 'an operation') };
}

async function bundles(): Promise<Record<Version, JsonObject>> {
  const [v2, v3, v4] = await Promise.all([bundle('v2'), bundle('v3'), bundle('v4')]);
  return { v2, v3, v4 };
}

function packageVersion(): string {
  const manifest = parseJsonObject(readFileSync('package.json', 'utf8'), 'package.json');
  return expectText(manifest['version'], 'package.json version');
}

function mapVersions<From, To>(values: Record<Version, From>, map: (value: From) => To): Record<Version, To> {
  return { v2: map(values.v2), v3: map(values.v3), v4: map(values.v4) };
}

/**
 * Reads the data files of spec/. The function is async, so that an error becomes a rejection, which `Promise.all`
 * handles like an error of the concurrent steps.
 */
async function readSpec(): Promise<SpecFiles> {
  return readSpecFiles('spec');
}

function ruleTables(tables: Record<string, JsonValue>): RuleTables {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the meta schemas of spec/meta have just vouched for the shape
  return tables as unknown as RuleTables;
}

function clientTables(tables: Record<string, JsonValue>): ClientTables {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the meta schemas of spec/meta have just vouched for the shape
  return tables as unknown as ClientTables;
}

function introductionTables(tables: Record<string, JsonValue>): IntroductionTables {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the meta schemas of spec/meta have just vouched for the shape
  return tables as unknown as IntroductionTables;
}

/**
 * Returns a copy of a document in which the keyword `x-enum-from` is replaced by an enumeration of model names, and
 * `x-describe-from` is removed. Without `contractOnly`, also adds the meanings of values to the descriptions.
 */
function named(
  document: JsonObject,
  version: Version,
  { tables, ...options }: NameOptions & { readonly tables: RuleTables },
): JsonObject {
  const copy = structuredClone(document);
  fillEnums(copy, (table) => modelNames(table, tables, options));
  // The contract describes few of these values.
  describeValues(copy, version, options.contractOnly ? null : tables);
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

function emitRequirements(requirements: SpecTables['requirements'], sets: SpecTables['sets']): string {
  const rows = requirementTable(requirements);
  const isOfClients = (row: JsonObject): boolean => row['side'] === 'client';
  return emitTables(
    [
      {
        name: 'requirements',
        comment: 'Every requirement and law of a service, in file order.',
        value: rows.filter((row) => !isOfClients(row)),
      },
      {
        name: 'clientRequirements',
        comment: 'Every rule for clients, in file order.',
        value: rows.filter(isOfClients),
      },
      {
        name: 'sets',
        comment: 'The frozen requirement ids that a certificate for a generation stands for.',
        value: Object.fromEntries(sets),
      },
    ],
    "/** One row of the registry. */\nexport type RequirementRow = (typeof requirements)[number];\n\n/** Permanent id of a requirement or law. */\nexport type RequirementId = RequirementRow['id'];\n\n/** Permanent id of a rule for clients. */\nexport type ClientRuleId = (typeof clientRequirements)[number]['id'];\n",
  );
}

/** Converts `thinking-levels` to `thinkingLevels`. */
function camelCase(name: string): string {
  return name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Returns the text of the module with the console page: its HTML, and the script and style built from
 * src/pages/console.
 */
async function consoleModule(): Promise<string> {
  const { page, script, style } = await builtFrontEnd('src/pages/console');
  return [
    '// Generated by npm run generate from src/pages/console. Do not edit.\n',
    '/** The document of the console, which loads the two files below from console/ beside itself. */',
    `export const consolePage = ${JSON.stringify(page)};\n`,
    '/** A module without imports. */',
    `export const consoleScript = ${JSON.stringify(script)};\n`,
    '/** How the console looks. */',
    `export const consoleStyle = ${JSON.stringify(style)};`,
    '',
  ].join('\n');
}

/**
 * Returns the text of the module with the request log page: its HTML, and the script and style built from
 * src/pages/request-log.
 */
async function requestLogModule(): Promise<string> {
  const { page, script, style } = await builtFrontEnd('src/pages/request-log');
  return [
    '// Generated by npm run generate from src/pages/request-log. Do not edit.\n',
    '/** The document of the request log, which loads the two files below from log/ beside itself. */',
    `export const logPage = ${JSON.stringify(page)};\n`,
    '/** A module without imports. */',
    `export const logScript = ${JSON.stringify(script)};\n`,
    '/** How the request log looks. */',
    `export const logStyle = ${JSON.stringify(style)};`,
    '',
  ].join('\n');
}

/** Selection of the models that a document enumerates. */
interface NameOptions {
  /** Whether only models whose source is the contract are enumerated. */
  readonly contractOnly: boolean;
}

/**
 * Returns the model names for a value of `x-enum-from` (`models.v2`, `models.v3` or `models.v4`) in the order of
 * spec/rules/models.yaml; throws for any other value.
 */
function modelNames(table: string, { models }: RuleTables, { contractOnly }: NameOptions): string[] {
  const version = (['v2', 'v3', 'v4'] as const).find((candidate) => `models.${candidate}` === table);
  if (version === undefined) {
    throw new Error(`x-enum-from: found ${JSON.stringify(table)}, expected models.v2, models.v3 or models.v4`);
  }
  const rows = models[version].models;
  return rows.filter(({ source }) => !contractOnly || source.startsWith('contract')).map(({ name }) => name);
}

/**
 * Returns all requirements and laws of spec/requirements in file order, each with its area and its quote as one text.
 * Throws if an id occurs twice.
 */
function requirementTable(files: ReadonlyMap<string, JsonObject>): JsonObject[] {
  const rows = [...files.values()].flatMap((file) =>
    [...list(file['requirements']), ...list(file['laws'])].map((row) => ({
      area: file['area'] ?? '',
      ...row,
      ...(row['quote'] === undefined ? {} : { quote: joinExcerpts(row['quote']) }),
    })),
  );
  const seen = new Set<JsonValue>();
  for (const row of rows) {
    const id = expectObject(row, 'requirement')['id'] ?? '';
    if (seen.has(id)) throw new Error(`spec/requirements: found ${JSON.stringify(id)} twice, expected every id once`);
    seen.add(id);
  }
  return rows;
}

function list(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
