import { curlLine } from './curl.ts';
import type { Exchange } from './exchange.ts';
import { identifier, memberAt } from './json.ts';

/** Lines of a script that are shown at most, and how many of them show how it begins. */
const linesMax = 12;
const linesFirst = 3;

interface Line {
  request: string;
  answers: string[];
}

/**
 * The requests of exchanges as shell lines in order, with what each answered. An id that an earlier answer has handed out
 * stands as `$ID1`, `$ID2`; requests that were repeated stand once. Too long a script loses its middle.
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

// Only what makes something hands out an id that is worth a name.
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

// Closes the single quotes around a part of a curl line, so that the shell puts the id in.
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
 * The exchanges that lead to one, itself included: what the same scenario or check has sent before for the same thing, from
 * the answer that handed out its id. The exchange alone where it is about nothing that was made.
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

/** Shorter ids could stand in an address by chance. */
const idLengthMin = 8;

function isAbout({ request }: Exchange, id: string): boolean {
  return request.url.includes(id) || request.body?.includes(id) === true;
}
