import { isIP } from 'node:net';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { type DataFile, type FileProblem, rowProblem, schemaProblem } from '#lib/data-file.ts';

/** Inputs for reading a proxy file. */
export interface ProxiesSource {
  readonly file: DataFile;
  /** Environment variables whose values replace `${NAME}`. */
  readonly environment: Environment;
  /** All country codes that rows may use. */
  readonly codes: readonly string[];
}

/**
 * Parses a proxy file. Throws one error for all violations of the schema, or else one error for all other problems.
 * Messages never repeat values that may be secret.
 */
export function parseProxies(source: ProxiesSource): ProxyTable {
  const problems: FileProblem[] = [];
  const table = new Map<string, ProxyRow | 'direct'>();
  let others: ProxyRow | 'direct' | null = null;
  for (const [index, given] of readRows(source).entries()) {
    const path = ['proxies', index];
    const row = readProxyRow(given, source.environment);
    if ('problems' in row) problems.push(...row.problems.map((problem) => rowProblem(path, problem)));
    const exit = 'problems' in row ? 'direct' : row.exit;
    if (given.countries === 'all') {
      if (others !== null)
        problems.push({ path, text: `proxies.${index}.countries is all, which an earlier row is already` });
      others = exit;
      continue;
    }
    for (const code of given.countries) {
      const texts = getProblems(code, { index, codes: source.codes, isTaken: table.has(code) });
      problems.push(...texts.map((text) => ({ path: [...path, 'countries'], text })));
      table.set(code, exit);
    }
  }
  if (problems.length > 0) throw source.file.fault(problems);
  if (others !== null) for (const code of source.codes) if (!table.has(code)) table.set(code, others);
  return table;
}

function getProblems(
  code: string,
  { index, codes, isTaken }: { index: number; codes: readonly string[]; isTaken: boolean },
): string[] {
  const place = `proxies.${index}.countries has`;
  return [
    ...(codes.includes(code)
      ? []
      : [`${place} ${JSON.stringify(code)}, expected codes of ProxyCountryCode such as de`]),
    ...(isTaken ? [`${place} ${code}, which an earlier row has already`] : []),
  ];
}

function readRows({ file }: ProxiesSource): readonly GivenRow[] {
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, verbose: true });
  if (!ajv.validate(proxiesSchema, file.value)) throw file.fault((ajv.errors ?? []).filter(isPlain).map(getProblem));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the edge where a checked file becomes a type
  return (file.value as { proxies: readonly GivenRow[] }).proxies;
}

/**
 * Returns false for a schema error inside one branch of `anyOf`; the error of the whole `anyOf` is reported instead.
 */
function isPlain({ schemaPath }: ErrorObject): boolean {
  return !schemaPath.includes('/anyOf/');
}

function getProblem(error: ErrorObject): FileProblem {
  const problem = schemaProblem(error);
  return error.keyword === 'anyOf'
    ? { ...problem, text: `${problem.path.join('.')} is neither all nor a list of codes` }
    : problem;
}

const nonEmptyText = { type: 'string', minLength: 1 } as const;

/**
 * JSON Schema of the file of `svc serve --proxies`. Unknown members are rejected, so that typos have no silent effect.
 */
const proxiesSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Proxies by country',
  type: 'object',
  required: ['proxies'],
  additionalProperties: false,
  properties: {
    proxies: {
      type: 'array',
      items: {
        type: 'object',
        required: ['countries'],
        additionalProperties: false,
        properties: {
          countries: { anyOf: [{ const: 'all' }, { type: 'array', items: nonEmptyText, minItems: 1 }] },
          direct: { const: true },
          url: nonEmptyText,
          username: nonEmptyText,
          password: nonEmptyText,
          names: { enum: ['here', 'there'] },
          ignoreCertErrors: { type: 'boolean' },
        },
      },
    },
  },
} as const;

/** A row of a proxy file that conforms to the schema. */
export interface GivenRow {
  /** Country codes; `all` means every country that no other row names. */
  readonly countries: 'all' | readonly string[];
  readonly direct?: true;
  readonly url?: string;
  readonly username?: string;
  readonly password?: string;
  readonly names?: 'here' | 'there';
  readonly ignoreCertErrors?: boolean;
}

/** Where host names of pages are resolved: on this machine (`here`) or by the proxy (`there`). */
export type NamesAre = 'here' | 'there';

/** A managed proxy as configured in the proxy file. */
export interface ProxyRow extends Pick<CustomProxy, 'scheme' | 'port' | 'ignoreCertErrors'> {
  readonly host: Template;
  readonly username: Template | null;
  readonly password: Template | null;
  readonly names: NamesAre;
}

/**
 * Network route of each country code: a managed proxy, or `direct` for the machine's own network. A country without an
 * entry has no managed proxy.
 */
export type ProxyTable = ReadonlyMap<string, ProxyRow | 'direct'>;

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The network route that a row of the proxy file describes, or the problems of this row. Each problem is the rest of a
 * text that begins with the place of the row, such as `.url is missing`.
 */
export type RowReading = { readonly exit: ProxyRow | 'direct' } | { readonly problems: readonly string[] };

/** Maximum length of a SOCKS5 user name or password (RFC 1929). */
const socksBytesMax = 255;
/**
 * Example values for the placeholders of a template, as long as real values. They replace the placeholders when a host
 * or credentials are checked.
 */
const example = { country: 'us', session: '0123456789abcdef' };

/**
 * Converts a row of the proxy file that conforms to the schema. Returns the problems of the row when its values are
 * invalid.
 */
function readProxyRow(given: GivenRow, environment: Environment): RowReading {
  const { direct, countries: _countries, ...proxy } = given;
  if (direct === true) {
    const others = Object.keys(proxy);
    return others.length === 0 ? { exit: 'direct' } : { problems: [` is direct and has ${others.join(', ')} besides`] };
  }
  const problems: string[] = [];
  const template = (name: 'username' | 'password'): Template | null => {
    const text = given[name];
    if (text === undefined) return null;
    const reading = readTemplate(text, environment);
    if ('template' in reading) return reading.template;
    problems.push(`.${name} ${reading.problem}`);
    return null;
  };
  const address = readAddress(given.url, environment);
  if ('problem' in address) problems.push(`.url ${address.problem}`);
  const credentials = { username: template('username'), password: template('password') };
  if ('problem' in address || problems.length > 0) return { problems };
  const { names = 'here', ignoreCertErrors = false } = given;
  const exit = { ...address, ...credentials, names, ignoreCertErrors };
  const refused = checkCredentials(exit);
  return refused === null ? { exit } : { problems: [refused] };
}

type Address = Pick<ProxyRow, 'scheme' | 'host' | 'port'>;

/**
 * Parses the URL of a proxy; returns a description of the problem when the URL is invalid. The description never
 * repeats the URL, which may contain credentials.
 */
function readAddress(url: string | undefined, environment: Environment): Address | { readonly problem: string } {
  const expected = 'expected http://, https:// or socks5:// with a host and a port, such as http://proxy.example:8080';
  if (url === undefined) return { problem: `is missing, ${expected}; or direct: true` };
  const whole = readTemplate(url, environment);
  if ('problem' in whole) return whole;
  const text = whole.template.map((piece) => (typeof piece === 'string' ? piece : `{${piece.gap}}`)).join('');
  if (text.includes('@')) return { problem: 'has credentials: write them as username and password' };
  const [, written, name = '', port = ''] =
    /^(https?|socks5):\/\/(\[[\da-f:.]+\]|[^/:?#[\]]+):(\d{1,5})\/?$/i.exec(text) ?? [];
  const scheme = schemes.find((known) => known === written?.toLowerCase());
  const host = readTemplate(name.replace(/^\[(.*)\]$/, '$1'), {});
  if (scheme === undefined || 'problem' in host || !isHost(fillGaps(host.template, example)) || !isPort(Number(port)))
    return { problem: `is no address of a proxy, ${expected}` };
  return { scheme, host: host.template, port: Number(port) };
}

const schemes: readonly CustomProxy['scheme'][] = ['http', 'https', 'socks5'];

function isHost(host: string): boolean {
  return isIP(host) !== 0 || (/^[\w.-]+$/.test(host) && URL.canParse(`http://${host}`));
}

/** Returns whether a number is a TCP port that a client can connect to. */
export function isPort(port: number): boolean {
  return port >= 1 && port <= 65_535;
}

function checkCredentials({ scheme, username, password }: ProxyRow): string | null {
  const filled = { username: fillGaps(username ?? [], example), password: fillGaps(password ?? [], example) };
  if (scheme !== 'socks5')
    return filled.username.includes(':') ? '.username has a colon, which the name of an HTTP proxy cannot have' : null;
  for (const [name, value] of Object.entries(filled))
    if (Buffer.byteLength(value) > socksBytesMax)
      return `.${name} is longer than the ${socksBytesMax} bytes that SOCKS5 takes`;
  return null;
}

/** Placeholders of the proxy file. */
const placeholders = ['country', 'COUNTRY', 'session'] as const;

/** A placeholder name. */
export type Placeholder = (typeof placeholders)[number];

/**
 * A text with placeholders that are filled per browser. Values of environment variables are already inserted, and a
 * brace in these is no placeholder.
 */
export type Template = readonly (string | { readonly gap: Placeholder })[];

/** A parsed template, or why the text is invalid. */
export type TemplateReading = { readonly template: Template } | { readonly problem: string };

/**
 * Parses a text of the proxy file. Replaces `${NAME}` by the environment variable, and accepts `{country}`, `{COUNTRY}`
 * and `{session}` as placeholders. Returns a problem for unknown names.
 */
function readTemplate(text: string, environment: Readonly<Record<string, string | undefined>>): TemplateReading {
  const template: Template[number][] = [];
  let end = 0;
  for (const { 0: whole, index, groups = {} } of text.matchAll(/\$\{(?<variable>\w+)\}|\{(?<gap>\w*)\}/g)) {
    const piece = getPiece(groups, environment);
    if (typeof piece === 'object' && 'problem' in piece) return piece;
    template.push(text.slice(end, index), piece);
    end = index + whole.length;
  }
  return { template: [...template, text.slice(end)] };
}

function getPiece(
  { variable, gap }: Readonly<Record<string, string | undefined>>,
  environment: Readonly<Record<string, string | undefined>>,
): Template[number] | { readonly problem: string } {
  if (variable !== undefined)
    return environment[variable] ?? { problem: `names the variable ${variable}, which the environment does not have` };
  const known = placeholders.find((name) => name === gap);
  if (known !== undefined) return { gap: known };
  return {
    problem: `has {${gap}}, expected {${placeholders.join('}, {')}} or \${NAME} for a variable of the environment`,
  };
}

/** A forward proxy that the project specifies for its browser, and that replaces the managed proxy. */
export interface CustomProxy {
  /** Protocol to the proxy: plain HTTP, HTTP over TLS, or SOCKS5. */
  readonly scheme: 'http' | 'https' | 'socks5';
  /** A host name or an IP address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  readonly username: string | null;
  readonly password: string | null;
  /**
   * Whether untrusted certificates are accepted: the certificate of the proxy itself, and the certificates that the
   * proxy presents for pages.
   */
  readonly ignoreCertErrors: boolean;
}

/** Fills the placeholders of a template with the values of one browser. */
export function fillGaps(template: Template, { country, session }: { country: string; session: string }): string {
  const values: Record<Placeholder, string> = { country, COUNTRY: country.toUpperCase(), session };
  return template.map((piece) => (typeof piece === 'string' ? piece : values[piece.gap])).join('');
}
