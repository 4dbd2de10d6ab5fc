import {
  type Generation,
  type Profile,
  type Report,
  type RunOptions,
  type SpendLevel,
  SuiteError,
  generations,
  parseTarget,
  profiles,
  spendLevels,
  readTextFile,
  targetUse,
} from '#conformance/index.ts';

/** Flags of a command, as commander returns them. */
export type Flags = Record<string, unknown>;

/**
 * Reads the options of a run. Throws SuiteError `usage` without an API key, and for a malformed flag or target file.
 */
export function readRunOptions(url: string, flags: Flags): RunOptions {
  return {
    target: readTarget(url, text(flags, 'target')),
    apiKey: readApiKey(flags),
    ...optional('otherApiKey', readOtherApiKey(flags)),
    ...optional('profile', readProfile(text(flags, 'profile'))),
    network: readNetwork(flags),
    readOnly: flags['readOnly'] === true,
    patient: flags['patient'] === true,
    spend: readSpend(text(flags, 'spend')),
    matrix: text(flags, 'matrix') === 'full' ? 'full' : 'sample',
    headers: readHeaders(flags['header']),
    timeoutMs: duration(flags, 'timeout') ?? 30_000,
    ...optional('ratePerSecond', rate(text(flags, 'rate'))),
    concurrency: wholeNumber(flags, 'concurrency', 1) ?? 8,
    ...optional(
      'only',
      text(flags, 'only')
        ?.split(',')
        .map((word) => word.trim()),
    ),
    ...optional('certify', certified(text(flags, 'certify')?.split(','))),
    ...optional('maxDispatches', wholeNumber(flags, 'maxDispatches', 0)),
    ...optional('maxCostUsd', amount(flags, 'maxCostUsd')),
    ...optional('statefulRuns', wholeNumber(flags, 'statefulRuns', 0)),
    ...optional('seed', wholeNumber(flags, 'seed', 0)),
    ...optional('replay', text(flags, 'replay')),
    ...optional('shard', readShard(flags)),
    ...optional('retryAfterMaxMs', duration(flags, 'retryAfterMax')),
    ...optional('timeLimitMs', duration(flags, 'timeLimit')),
    ...optional('maxFailures', wholeNumber(flags, 'maxFailures', 1)),
  };
}

/** Reads the target from its URL and target file. Throws SuiteError `usage` if either is malformed. */
export function readTarget(url: string, file: string | undefined): RunOptions['target'] {
  return parseTarget({ url, text: file === undefined ? undefined : readTextFile(file, targetUse), name: file });
}

/**
 * Reads the API key from `--api-key` or SERVICE_API_KEY. Throws SuiteError `usage` if the key is missing or empty, or
 * if no header can carry it.
 */
export function readApiKey(flags: Flags): string {
  const key = text(flags, 'apiKey') ?? process.env['SERVICE_API_KEY'];
  if (key !== undefined && key !== '') return sendable(key, '--api-key or SERVICE_API_KEY');
  throw new SuiteError('usage', {
    found: 'no API key',
    expected: 'a key of the target',
    next: 'pass --api-key or set SERVICE_API_KEY',
  });
}

/** Matches a header value that HTTP allows and Node sends. */
const headerValue = /^[\t -~\u0080-\u00FF]*$/;

/** Returns a key. Throws SuiteError `usage`, without quoting the key, if no header can carry it. */
function sendable(key: string, source: string): string {
  if (headerValue.test(key)) return key;
  throw new SuiteError('usage', {
    found: 'a key with a character that no header can carry, such as a line break',
    expected: 'a key of the target',
    next: `correct ${source}`,
  });
}

const certificatesUse = { expected: 'certificates in PEM', next: 'correct the path of --ca' };

/** Reads the network settings `--ca` and `--proxy`. Throws SuiteError `usage` for a malformed file or URL. */
export function readNetwork(flags: Flags): NonNullable<RunOptions['network']> {
  const [file, proxy] = [text(flags, 'ca'), text(flags, 'proxy')];
  const ca = file === undefined ? undefined : readTextFile(file, certificatesUse);
  if (file !== undefined && !/-----BEGIN CERTIFICATE-----/.test(ca ?? ''))
    throw wrong('ca', file, 'certificates in PEM');
  if (proxy !== undefined && !/^https?:$/.test(URL.canParse(proxy) ? new URL(proxy).protocol : '')) {
    // The URL may contain a password, so the message does not quote it.
    throw wrong('proxy', '(a malformed address)', 'an address such as http://127.0.0.1:3128');
  }
  return { ...optional('ca', ca), ...optional('proxy', proxy) };
}

/**
 * Reads the second API key from `--other-api-key` or SVC_OTHER_API_KEY; undefined without either, and for an empty
 * value. Throws SuiteError `usage` if no header can carry the key.
 */
export function readOtherApiKey(flags: Flags): string | undefined {
  const key = text(flags, 'otherApiKey') ?? process.env['SVC_OTHER_API_KEY'];
  return key === '' || key === undefined ? undefined : sendable(key, '--other-api-key or SVC_OTHER_API_KEY');
}

/** Returns `{ strict: true }` for the report with `--strict`, otherwise an empty object. */
export function strictness(flags: Flags): Pick<Report, 'strict'> {
  return flags['strict'] === true ? { strict: true } : {};
}

/** Returns the text of a flag; undefined if the flag is absent or its value is not a string. */
export function text(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}

function readSpend(word: string | undefined): SpendLevel {
  return spendLevels.find((level) => level === word) ?? 'none';
}

function readProfile(word: string | undefined): Profile | undefined {
  return profiles.find((profile) => profile === word);
}

function certified(words: readonly string[] | undefined): Generation[] | undefined {
  return words?.map((word) => {
    const generation = generations.find((name) => name === word.trim());
    if (generation === undefined) throw wrong('certify', word, `${generations.join(', ')}, separated by commas`);
    return generation;
  });
}

function optional<K extends string, V>(name: K, value: V | undefined): Partial<Record<K, V>> {
  const given: Partial<Record<K, V>> = {};
  if (value !== undefined) given[name] = value;
  return given;
}

function amount(flags: Flags, name: string): string | undefined {
  const value = text(flags, name);
  if (value === undefined || /^\d+(\.\d+)?$/.test(value)) return value;
  throw wrong(name, value, 'an amount of US dollars such as 1 or 0.50');
}

/** Parses a whole number of at least `min`; undefined for an absent flag. */
function wholeNumber(flags: Flags, name: string, min: 0 | 1): number | undefined {
  const value = text(flags, name);
  if (value === undefined) return undefined;
  const number = Number(value);
  if (value.trim() !== '' && Number.isSafeInteger(number) && number >= min) return number;
  throw wrong(name, value, `a whole number of ${min} or more`);
}

function readShard(flags: Flags): RunOptions['shard'] {
  const value = text(flags, 'shard');
  if (value === undefined) return undefined;
  const match = /^([1-9]\d{0,5})\/([1-9]\d{0,5})$/.exec(value);
  if (match === null) throw wrong('shard', value, 'a part such as 1/3');
  return { index: Number(match[1]), of: Number(match[2]) };
}

/** Largest delay of a Node timer in milliseconds; a timer with a longer delay fires after 1 ms. */
const longestMs = 2 ** 31 - 1;

function duration(flags: Flags, name: string): number | undefined {
  const value = text(flags, name);
  if (value === undefined) return undefined;
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(value);
  const factor = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[match?.[2] ?? ''];
  if (match === null || factor === undefined) throw wrong(name, value, 'a time such as 500ms, 30s, 5m or 1h');
  const ms = Number(match[1]) * factor;
  if (ms > longestMs) throw wrong(name, value, `a time of at most ${longestMs} ms (596h)`);
  return ms;
}

function rate(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const match = /^(\d+(?:\.\d+)?)(?:\/s)?$/.exec(value);
  if (match === null) throw wrong('rate', value, 'requests per second such as 20/s, or 0');
  return Number(match[1]);
}

/** Parses the headers of `--header`. Throws SuiteError `usage` for a line without a name and a colon. */
export function readHeaders(lines: unknown): Record<string, string> {
  const given = Array.isArray(lines) ? lines.map(String) : [];
  return Object.fromEntries(
    given.map((line) => {
      const colon = line.indexOf(':');
      if (!headerLine.test(line.trim()))
        throw wrong('header', colon < 1 ? line : line.slice(0, colon), "'Name: value'");
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    }),
  );
}

/** Matches `Name: value` if HTTP allows the name and the value, and Node sends them. */
const headerLine = /^[\w!#$%&'*+.^`|~-]+\s*:[\t -~\u0080-\u00FF]*$/;

function wrong(flag: string, value: string, expected: string): SuiteError {
  const name = flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return new SuiteError('usage', { found: `--${name} ${value}`, expected, next: 'see `svc check --help`' });
}
