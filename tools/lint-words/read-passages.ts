import { readFileSync } from 'node:fs';
import ts from 'typescript';
import type { Hit, Passage } from './phrases.ts';

const isCode = /\.(?:tsx?|mjs)$/;
const isTest = /\.test\.tsx?$/;

/**
 * Returns the texts of a file that people read: the path of the file; of code its comments, messages and declared
 * names; of Markdown the text without code; of YAML the whole file.
 */
export function readPassages(file: string): Passage[] {
  const text = readFileSync(file, 'utf8');
  const path = { file, line: 0, text: splitName(file.replaceAll(/[/.]/g, ' ')), isName: true };
  if (isCode.test(file)) return [path, ...readCode(file, text)];
  const prose = file.endsWith('.md') ? withoutCode(text) : text;
  return [path, { file, line: 1, text: prose, isName: false }];
}

/** Replaces fenced blocks and code spans of Markdown by blanks, so that lines keep their numbers. */
function withoutCode(markdown: string): string {
  return markdown.replaceAll(/^ *```[\s\S]*?^ *```|`[^`\n]*`/gm, blank);
}

function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ');
}

/** Splits a name into its words: `keptAnswers` becomes `kept Answers`, `loose_blobs` becomes `loose blobs`. */
function splitName(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, ' ').replaceAll(/[_-]/g, ' ');
}

/**
 * Returns the comments of a module, its string literals of several words, and the names that it declares. Of a test
 * file (`*.test.ts`), only the titles of tests are returned as string literals.
 */
function readCode(file: string, text: string): Passage[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const passages: Passage[] = [];
  const literals: ts.Node[] = [];
  const add = (node: ts.Node, found: string, isName: boolean): void => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
    passages.push({ file, line: line + 1, text: found, isName });
  };
  const visit = (node: ts.Node): void => {
    if (isLiteral(node)) {
      literals.push(node);
      if (isSentence(node) && (!isTest.test(file) || isTitle(node))) add(node, node.text, false);
    }
    const name = declaredName(node);
    if (name !== undefined) add(name, splitName(name.text), true);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...passages, ...readComments(file, text, literals)];
}

type Literal = ts.LiteralLikeNode;

function isLiteral(node: ts.Node): node is Literal {
  return ts.isLiteralExpression(node) || ts.isTemplateLiteralToken(node) || ts.isJsxText(node);
}

function isSentence(node: Literal): boolean {
  return !ts.isRegularExpressionLiteral(node) && node.text.trim().includes(' ');
}

/** Returns whether a literal is the title of a test: the first argument of `it`, `describe` or `test`. */
function isTitle(node: ts.Node): boolean {
  const { parent } = node;
  return (
    ts.isCallExpression(parent) &&
    parent.arguments[0] === node &&
    /^(?:it|describe|test)\b/.test(parent.expression.getText())
  );
}

function declaredName(node: ts.Node): ts.Identifier | undefined {
  const isDeclaration =
    ts.isVariableDeclaration(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isPropertySignature(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isClassDeclaration(node);
  return isDeclaration && node.name && ts.isIdentifier(node.name) ? node.name : undefined;
}

/**
 * Returns the comments of a module without their code spans. Replaces literals by blanks first, because they may
 * contain comment marks.
 */
function readComments(file: string, text: string, literals: readonly ts.Node[]): Passage[] {
  let rest = text;
  for (const node of literals) {
    const [start, end] = [node.getStart(), node.getEnd()];
    rest = rest.slice(0, start) + blank(rest.slice(start, end)) + rest.slice(end);
  }
  return [...rest.matchAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm)].map((match) => ({
    file,
    line: rest.slice(0, match.index).split('\n').length,
    text: withoutCode(match[0]),
    isName: false,
  }));
}

/** Number of phrases to avoid by top folder, found or still allowed; `.` is the root of the repository. */
export type Counts = Readonly<Record<string, number>>;

/** Returns the top folder of a path. */
function topFolder(file: string): string {
  return file.includes('/') ? file.slice(0, file.indexOf('/')) : '.';
}

/** Counts hits by top folder, in the order of names. */
export function countHits(hits: readonly Hit[]): Counts {
  const groups = Map.groupBy(hits, ({ file }) => topFolder(file));
  return Object.fromEntries(
    [...groups].map(([folder, found]) => [folder, found.length] as const).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Returns a message for each folder with more phrases than allowed. */
export function judgeCounts(found: Counts, allowed: Counts): string[] {
  return Object.entries(found)
    .filter(([folder, count]) => count > (allowed[folder] ?? 0))
    .map(
      ([folder, count]) =>
        `${folder}: found ${count} phrases to avoid, expected at most ${allowed[folder] ?? 0}. ` +
        `Next: npm run lint:words -- --list ${folder} shows each with its line and what to write instead.`,
    );
}

/**
 * Returns the allowed counts, each lowered to the found count if that is smaller. A folder without phrases to avoid is
 * removed.
 */
export function lowerCounts(found: Counts, allowed: Counts): Counts {
  return Object.fromEntries(
    Object.entries(allowed)
      .map(([folder, count]) => [folder, Math.min(count, found[folder] ?? 0)] as const)
      .filter(([, count]) => count > 0),
  );
}
