import { parseJson } from '../core/json.ts';

/**
 * Breaks a text into lines of at most `width` characters, and indents each line after the first. Splits words that are
 * longer than a line.
 */
export function wrap(text: string, width: number, indent: string): string {
  return fill(broken(text.split(/\s+/), width - indent.length), { width, indent });
}

/**
 * Breaks a shell line between its arguments, so that it can be pasted into a shell. A JSON body is broken between its
 * members. Any other long argument has its own line.
 */
export function wrapCommand(command: string, width: number, indent: string): string {
  const room = width - indent.length - 4;
  const words = shellWords(command);
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > room) lines.push(jsonLines(word, room, `${indent}  `));
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join(` \\\n${indent}  `);
}

// Line breaks between the members of a JSON body have no effect; a malformed body is a test input and stays unchanged.
function jsonLines(word: string, room: number, indent: string): string {
  const [, option = '', json = ''] = /^(--data-raw ')([[{].*)'$/s.exec(word) ?? [];
  if (json === '' || word.length <= room || json.includes("'") || parseJson(json) === undefined) return word;
  return `${fill(jsonWords(option + json), { width: room, indent, joint: '' })}'`;
}

/**
 * Breaks compact JSON, which may be truncated, into lines of at most `width` characters, and indents each line after
 * the first.
 */
export function wrapJson(text: string, width: number, indent: string): string {
  return fill(broken(jsonWords(text), width - indent.length), { width, indent, joint: '' });
}

/** Splits a shell line into words, quotes included; a value stays with its `-H` or `--data-raw`. */
function shellWords(command: string): string[] {
  const words: string[] = [];
  let at = 0;
  while (at < command.length) {
    const end = wordEnd(command, at);
    const word = command.slice(at, end);
    const last = words.at(-1);
    if (last === '-H' || last === '--data-raw') words[words.length - 1] = `${last} ${word}`;
    else if (word !== '') words.push(word);
    at = end + 1;
  }
  return words;
}

function wordEnd(command: string, from: number): number {
  let at = from;
  while (at < command.length && command[at] !== ' ') {
    const quote = command[at];
    if (quote === "'" || quote === '"') {
      const close = command.indexOf(quote, at + 1);
      at = close === -1 ? command.length : close + 1;
    } else at += quote === '\\' ? 2 : 1;
  }
  return Math.min(at, command.length);
}

/** Splits JSON where a line may be broken: after a colon, a comma or an opening bracket outside of strings. */
function jsonWords(text: string): string[] {
  const words: string[] = [];
  let begin = 0;
  let inText = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (inText && sign === '\\') at += 1;
    else if (sign === '"') inText = !inText;
    else if (!inText && ':,[{'.includes(sign)) {
      words.push(text.slice(begin, at + 1));
      begin = at + 1;
    }
  }
  return [...words, text.slice(begin)];
}

function broken(words: readonly string[], room: number): string[] {
  return words.flatMap((word) => (word.length <= room ? [word] : pieces(word, Math.max(room, 8))));
}

// Splits by code points, so that no surrogate pair is broken.
function pieces(word: string, length: number): string[] {
  const signs = Array.from(word);
  const count = Math.ceil(signs.length / length);
  return Array.from({ length: count }, (_none, at) => signs.slice(at * length, (at + 1) * length).join(''));
}

interface Fill {
  width: number;
  indent: string;
  /** Separator of two words of a line. @defaultValue a space */
  joint?: string;
}

function fill(words: readonly string[], { width, indent, joint = ' ' }: Fill): string {
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    const longer = line === '' ? word : `${line}${joint}${word}`;
    if (longer.length > width - indent.length && line !== '') {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line].join(`\n${indent}`);
}
