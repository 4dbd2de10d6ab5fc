import { Ajv2020 } from 'ajv/dist/2020.js';
import { type DataFile, type FileProblem, rowProblem, schemaProblem } from '#lib/data-file.ts';
import type { Integration, IntegrationSecret, IntegrationTransport, SecretTemplate } from './integration.ts';

/** Inputs for reading a file of integrations. */
export interface IntegrationsSource {
  readonly file: DataFile;
  /** Environment variables that replace `${NAME}`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Maximum number of integrations. */
  readonly integrationsMax: number;
}

/**
 * Parses the YAML file that configures integrations. Throws an error that lists all violations of the schema or,
 * without violations, all problems of the rows. No message contains a value that may be secret.
 */
export function parseIntegrations({ file, environment, integrationsMax }: IntegrationsSource): readonly Integration[] {
  const rows = readRows(file);
  const problems: FileProblem[] = [];
  if (rows.length > integrationsMax)
    problems.push({
      path: ['integrations'],
      text: `integrations has ${rows.length} rows, expected at most ${integrationsMax}`,
    });
  const integrations = rows.map((row, index) => {
    const path = ['integrations', index];
    const reading = readRow(row, environment);
    problems.push(...reading.problems.map((text) => rowProblem(path, text)));
    if (rows.findIndex(({ name }) => name === row.name) !== index)
      problems.push(rowProblem(path, `.name is ${row.name}, which an earlier row has already`));
    return reading.integration;
  });
  if (problems.length > 0) throw file.fault(problems);
  return integrations;
}

function readRows(file: DataFile): readonly GivenIntegration[] {
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, verbose: true });
  const isValid = ajv.validate(integrationsSchema, file.value);
  const errors = (ajv.errors ?? []).filter(({ schemaPath }) => !schemaPath.includes('/anyOf/'));
  if (!isValid) throw file.fault(errors.map((error) => explained(schemaProblem(error))));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the edge where a checked file becomes a type
  return (file.value as { integrations: readonly GivenIntegration[] }).integrations;
}

/**
 * Replaces the validator's message for `projects` or `name` by a message that states the expected value. Returns any
 * other problem unchanged.
 */
function explained(problem: FileProblem): FileProblem {
  const place = problem.path.join('.');
  if (problem.path.at(-1) === 'projects' && problem.text.includes('anyOf'))
    return { ...problem, text: `${place} is neither all nor a list of project ids` };
  if (problem.path.at(-1) === 'name' && problem.text.includes('pattern'))
    return {
      ...problem,
      text: `${place} must have 1 to 32 lower case letters, digits and hyphens, and begin with a letter`,
    };
  return problem;
}

interface RowReading {
  readonly integration: Integration;
  /** Problems as texts to append to the path of the row, such as `.url is no address`. */
  readonly problems: readonly string[];
}

/** Problems and secrets collected while a row is read, and the environment variables that the row can refer to. */
interface Found {
  readonly problems: string[];
  readonly secretNames: Set<string>;
  readonly ownSecrets: Map<string, string>;
  readonly environment: IntegrationsSource['environment'];
}

function readRow(row: GivenIntegration, environment: Found['environment']): RowReading {
  const found: Found = { problems: [], secretNames: new Set(), ownSecrets: new Map(), environment };
  const { name, description, projects, tools } = row;
  const integration = {
    name,
    description: description.replaceAll(/\s+/g, ' ').trim(),
    projects: projects === 'all' ? projects : new Set(projects.map((id) => id.toLowerCase())),
    tools: tools === undefined ? null : new Set(tools),
    transport: readTransport(row, found),
    secretNames: [...found.secretNames],
    ownSecrets: Array.from(found.ownSecrets, ([secret, value]): IntegrationSecret => ({ name: secret, value })),
  };
  return { integration, problems: found.problems };
}

function readTransport(row: GivenIntegration, found: Found): IntegrationTransport {
  const { command, url } = row;
  const misplaced = Object.keys(row).filter((member) => (url === undefined ? http : stdio).has(member));
  if ((command === undefined) === (url === undefined))
    found.problems.push(' has neither or both of command and url, expected one of them');
  else if (misplaced.length > 0)
    found.problems.push(`.${misplaced[0]} does not belong to a server with ${url === undefined ? 'command' : 'url'}`);
  if (url !== undefined) return readHttp(row, url, found);
  const args = (row.args ?? []).map((text) => plainText('args', text, found));
  const env = readTemplates('env', row.env ?? {}, found);
  return { kind: 'stdio', command: command ?? '', args, env, folder: row.folder ?? null };
}

const http: ReadonlySet<string> = new Set(['url', 'headers']);
const stdio: ReadonlySet<string> = new Set(['command', 'args', 'env', 'folder']);

function readHttp({ headers = {} }: GivenIntegration, given: string, found: Found): IntegrationTransport {
  const text = plainText('url', given, found);
  const url = URL.parse(text);
  const parts = url === null ? [] : [url.username, url.password, url.hash];
  if (url === null || !/^https?:$/.test(url.protocol) || parts.some((part) => part !== ''))
    found.problems.push('.url is no address, expected http:// or https:// with a host, and no credentials or fragment');
  for (const name of Object.keys(headers).filter((one) => !/^[\w-]+$/.test(one) || reservedPattern.test(one)))
    found.problems.push(`.headers has ${JSON.stringify(name)}, which cannot be set`);
  const templates = readTemplates('headers', headers, found);
  for (const [name, template] of templates) {
    const values = template.filter((piece) => typeof piece === 'string');
    if (values.some((value) => !/^[\x20-\x7e]*$/.test(value)))
      found.problems.push(`.headers has a character in ${name} that no header has: expected printable ASCII`);
    // The value of a header often is a secret as a whole, even if the file contains it literally.
    const [whole = ''] = template.length === 1 ? values : [];
    const token = whole.replace(/^(?:Bearer|Basic|Token) /i, '');
    if (token.length >= secretFrom) found.ownSecrets.set(`header ${name}`, token);
  }
  return { kind: 'http', url: text, headers: templates };
}

/** Headers of the protocol and of the connection, which the file must not set. */
const reservedPattern =
  /^(?:host|connection|content-.*|accept|transfer-encoding|mcp-.*|last-event-id|expect|upgrade|keep-alive|te|trailer)$/i;

/**
 * Minimum length at which the literal value of a header is redacted as a secret. A scheme such as `Bearer` is not
 * counted.
 */
const secretFrom = 4;

function readTemplates(
  member: 'env' | 'headers',
  given: Readonly<Record<string, string>>,
  found: Found,
): ReadonlyMap<string, SecretTemplate> {
  return new Map(Object.entries(given).map(([name, text]) => [name, readTemplate(member, text, found)]));
}

/**
 * Returns a text with environment variables substituted. Removes references to project secrets and reports them as a
 * problem, because only `env` and `headers` can have such references.
 */
function plainText(member: 'args' | 'url', text: string, found: Found): string {
  const template = readTemplate(member, text, found);
  if (template.some((piece) => typeof piece !== 'string'))
    found.problems.push(`.${member} has a secret of a project: only env and headers can have one`);
  return template.filter((piece) => typeof piece === 'string').join('');
}

/**
 * Parses a text of the file: `${NAME}` becomes the value of an environment variable, and `{secret:NAME}` a reference to
 * a secret of a project. A missing or empty variable is reported as a problem.
 */
function readTemplate(member: string, text: string, found: Found): SecretTemplate {
  const template: SecretTemplate[number][] = [];
  let end = 0;
  const add = (piece: string): void => {
    const last = template.at(-1);
    if (piece === '') return;
    if (typeof last === 'string') template.splice(-1, 1, last + piece);
    else template.push(piece);
  };
  for (const { 0: whole, index, groups } of text.matchAll(/\$\{(?<variable>\w+)\}|\{secret:(?<secret>\w+)\}/g)) {
    add(text.slice(end, index));
    end = index + whole.length;
    const { variable, secret } = groups ?? {};
    if (secret !== undefined) {
      found.secretNames.add(secret);
      template.push({ secret });
    } else if (variable !== undefined) add(readVariable(member, variable, found));
  }
  add(text.slice(end));
  return template;
}

function readVariable(member: string, variable: string, found: Found): string {
  const value = found.environment[variable] ?? '';
  if (value === '')
    found.problems.push(`.${member} names the variable ${variable}, which the environment does not have`);
  else found.ownSecrets.set(variable, value);
  return value;
}

const nonEmptyText = { type: 'string', minLength: 1 } as const;
const textByName = { type: 'object', additionalProperties: { type: 'string' }, maxProperties: 100 } as const;

/**
 * JSON Schema of the file of `svc serve --integrations`. Unknown members are rejected, so that typos have no silent
 * effect.
 */
const integrationsSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Integrations',
  type: 'object',
  required: ['integrations'],
  additionalProperties: false,
  properties: {
    integrations: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'description', 'projects'],
        additionalProperties: false,
        properties: {
          name: { type: 'string', pattern: '^[a-z][a-z0-9-]{0,31}$' },
          description: { type: 'string', minLength: 1, maxLength: 1_024 },
          projects: { anyOf: [{ const: 'all' }, { type: 'array', items: nonEmptyText, minItems: 1 }] },
          tools: { type: 'array', items: nonEmptyText, minItems: 1 },
          command: nonEmptyText,
          args: { type: 'array', items: { type: 'string' } },
          env: textByName,
          folder: nonEmptyText,
          url: nonEmptyText,
          headers: textByName,
        },
      },
    },
  },
} as const;

/** A row of the file that conforms to {@link integrationsSchema}. */
interface GivenIntegration {
  readonly name: string;
  readonly description: string;
  readonly projects: 'all' | readonly string[];
  readonly tools?: readonly string[];
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly folder?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
}
