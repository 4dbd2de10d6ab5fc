import type { FileProblem } from '#conformance/core/data-file.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import { expectText } from './parse.ts';
import type { SpecFile } from './read-rules.ts';

/** Path of the contract, from which requirements quote. */
export const contractFile = 'fixtures/contract/contract.md';

/**
 * Throws an error with file and line for a wrong quote. The contract must contain each quote. A requirement whose
 * source is the contract must have a quote; a requirement with another source must not.
 */
export function refuseWrongQuotes(files: readonly SpecFile[], contract: string): void {
  for (const { value, fault } of files) {
    const problems = quoteProblems(value, contract);
    if (problems.length > 0) throw fault(problems);
  }
}

/** Returns the problems of all quotes in a file of spec/requirements. */
export function quoteProblems(file: JsonObject, contract: string): FileProblem[] {
  const quotable = { text: plainText(contract), sentences: sentencesIn(contract) };
  return ['requirements', 'laws'].flatMap((group) =>
    rowsIn(file[group]).flatMap((row, at) => rowProblems(row, [group, at], quotable)),
  );
}

/** Joins the excerpts of a quote to one text, with an ellipsis between excerpts. */
export function joinExcerpts(quote: JsonValue): string {
  return excerptsIn(quote).join(' … ');
}

function rowsIn(group: JsonValue | undefined): JsonObject[] {
  return Array.isArray(group) ? group.filter(isJsonObject) : [];
}

/** The contract, prepared for comparison. */
interface Quotable {
  /** The contract on one line, without emphasis. */
  readonly text: string;
  readonly sentences: readonly string[];
}

function rowProblems(row: JsonObject, path: FileProblem['path'], contract: Quotable): FileProblem[] {
  const { quote } = row;
  const [id, source] = [expectText(row['id'], 'the id of a requirement'), expectText(row['source'], 'its source')];
  const isOfContract = source.startsWith('contract ');
  if (quote === undefined) {
    const text = `${id} has no quote, expected the sentence of ${contractFile} that states the rule, below text`;
    return isOfContract ? [{ path, text }] : [];
  }
  const place = [...path, 'quote'];
  if (!isOfContract) {
    const text = `${id} has a quote and the source "${source}", expected a quote only beside a source in the contract`;
    return [{ path: place, text }];
  }
  return excerptsIn(quote).flatMap((excerpt, at) => {
    if (hasExcerpt(contract.text, plainText(excerpt))) return [];
    const text = `${id} quotes "${excerpt}", which ${contractFile} does not contain; expected a literal excerpt, nearest is "${nearestSentence(excerpt, contract.sentences)}"`;
    return [{ path: Array.isArray(quote) ? [...place, at] : place, text }];
  });
}

/** Returns the excerpts of a quote. A quote is one text or a list of texts. */
function excerptsIn(quote: JsonValue): string[] {
  return (Array.isArray(quote) ? quote : [quote]).map((excerpt) => expectText(excerpt, 'an excerpt of a quote'));
}

/** Returns Markdown on one line, without emphasis. */
function plainText(markdown: string): string {
  return markdown.replaceAll('**', '').replaceAll(/\s+/g, ' ').trim();
}

/** Returns whether a text contains an excerpt at a place where the excerpt does not begin or end within a word. */
function hasExcerpt(text: string, excerpt: string): boolean {
  for (let at = text.indexOf(excerpt); at !== -1; at = text.indexOf(excerpt, at + 1)) {
    const end = at + excerpt.length;
    const borders = [text.slice(Math.max(at - 1, 0), at + 1), text.slice(end - 1, end + 1)];
    if (!borders.some((border) => /^\w\w$/.test(border))) return true;
  }
  return false;
}

/** Splits Markdown into sentences and table rows. */
function sentencesIn(markdown: string): string[] {
  return markdown
    .split('\n')
    .flatMap((line) => (line.startsWith('|') ? [line.replaceAll(/^\| | \|$/g, '')] : line.split(/(?<=[.;:]) /)))
    .map(plainText)
    .filter((sentence) => sentence !== '');
}

/**
 * Returns the sentence most similar to an excerpt. The similarity is the number of words that both texts contain,
 * divided by the number of different words in the two texts together.
 */
function nearestSentence(excerpt: string, sentences: readonly string[]): string {
  const wanted = splitWords(excerpt);
  const likeness = (sentence: string): number => {
    const words = splitWords(sentence);
    const shared = [...words].filter((word) => wanted.has(word)).length;
    return shared / (words.size + wanted.size - shared);
  };
  return sentences.reduce((best, sentence) => (likeness(sentence) > likeness(best) ? sentence : best), '');
}

function splitWords(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\w.-]+/g));
}
