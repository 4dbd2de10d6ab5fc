import type { Exchange } from './exchange.ts';
import { identifier, memberAt } from './json.ts';

/** Maximum number of lines of a script. A longer script shows its first `linesFirst` lines and its last lines. */
const linesMax = 12;
const linesFirst = 3;

interface Line {
  request: string;
  answers: string[];
}

/**
 * Returns exchanges as shell lines in order, each with its status. An id of an earlier response is shown as `$ID1`,
 * `$ID2`. Equal requests in succession are shown once. In a long script the middle lines are omitted.
 */
export function scriptLines(exchanges: readonly Exchange[]): string[] {
  const names = new Map<string, string>();
  const lines: Line[] = [];
  for (const [index, exchange] of exchanges.entries()) {
    const request = named(curlLine(exchange), names);
    const answer = `${exchange.status}${idNote(exchange, names)}${raceNote(exchange, exchanges[index - 1])}`;
    const last = lines.at(-1);
    if (last?.request === request) last.answers.push(answer);
    else lines.push({ request, answers: [answer] });
  }
  return shortened(lines.map(({ request, answers }) => `${request} # ${tell(answers)}`));
}

function tell(answers: readonly string[]): string {
  const [first = ''] = answers;
  if (answers.length === 1) return `answered ${first}`;
  const isSame = answers.every((answer) => answer === first);
  return `${answers.length} times, answered ${isSame ? first : answers.join(' and ')}`;
}

// Only the response of a creation contains an id that gets a name.
function idNote({ request, json, status }: Exchange, names: Map<string, string>): string {
  const id = request.method === 'POST' && status >= 200 && status < 300 ? identifier(memberAt(json, 'id')) : undefined;
  if (id === undefined || id.length < 8 || names.has(id)) return '';
  const name = `$ID${names.size + 1}`;
  names.set(id, name);
  return `, its id is ${name}`;
}

function raceNote({ atMs }: Exchange, before: Exchange | undefined): string {
  return before !== undefined && atMs < before.atMs + before.durationMs ? ', in parallel with its predecessor' : '';
}

// Closes the single quotes around a part of a curl line, so that the shell expands the id.
function named(line: string, names: ReadonlyMap<string, string>): string {
  return [...names].reduce((text, [id, name]) => text.replaceAll(id, `'"${name}"'`), line);
}

function shortened(lines: readonly string[]): string[] {
  if (lines.length <= linesMax) return [...lines];
  const last = linesMax - linesFirst - 1;
  const left = lines.length - linesFirst - last;
  return [...lines.slice(0, linesFirst), `# ... ${left} more requests`, ...lines.slice(-last)];
}

/**
 * Returns an exchange, preceded by the exchanges that led to it: the requests of the same scenario or check that
 * created the resource of the exchange and then named it. Returns only the exchange itself if it concerns no created
 * resource.
 */
export function leadingTo(exchange: Exchange, all: readonly Exchange[]): Exchange[] {
  const before = all.filter(({ index, sentBy }) => sentBy === exchange.sentBy && index < exchange.index);
  const creation = before.findLast(({ request, json }) => {
    const id = request.method === 'POST' ? identifier(memberAt(json, 'id')) : undefined;
    return id !== undefined && id.length >= idLengthMin && isAbout(exchange, id);
  });
  const id = identifier(memberAt(creation?.json, 'id'));
  if (creation === undefined || id === undefined) return [exchange];
  return [creation, ...before.filter((one) => one.index > creation.index && isAbout(one, id)), exchange];
}

/** Minimum length of an id in characters; a shorter id could match a part of a URL by chance. */
const idLengthMin = 8;

function isAbout({ request }: Exchange, id: string): boolean {
  return request.url.includes(id) || request.body?.includes(id) === true;
}

/** Returns a shell line that repeats the request of an exchange; keys are shell variables. */
export function curlLine({ request }: Pick<Exchange, 'request'>): string {
  const { method, url, headers, body } = request;
  const parts = ['curl -i', method === 'GET' ? '' : `-X ${method}`, quote(url)];
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quote(`${name}: ${value}`)}`);
  if (body !== undefined) parts.push(`--data-raw ${quote(body)}`);
  return parts.filter((part) => part !== '').join(' ');
}

/**
 * Quotes a text for a shell, which expands the placeholders of keys and nothing else: a target chooses some URLs. Double
 * quotes are used if the rest of the text means nothing in them.
 */
function quote(text: string): string {
  const parts = text.split(keyPattern).filter((part) => part !== '');
  if (parts.length === 1 && !isKey(text)) return singleQuoted(text);
  const isPlain = parts.every((part) => isKey(part) || !/["`\\$!]/.test(part));
  return isPlain ? `"${text}"` : parts.map((part) => (isKey(part) ? `"${part}"` : singleQuoted(part))).join('');
}

/** Matches a placeholder that is no beginning of a longer name. */
const keyPattern = /(\$(?:SERVICE|SVC_OTHER)_API_KEY(?!\w))/;

function isKey(text: string): boolean {
  return /^\$(?:SERVICE|SVC_OTHER)_API_KEY$/.test(text);
}

function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
