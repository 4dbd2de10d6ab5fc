import { type JsonObject, isJsonObject, type JsonValue } from '#lib/json.ts';
import type { AgentWorld } from '#agent/agent.ts';
import type { Directive } from '../instructions/directive.ts';
import { getWords } from '../page/words.ts';
import type { PerformedAction } from '#agent/answer/plan.ts';
import { executeDirective } from './do-directive.ts';
import { createWalker, impossibleAction, type Walker } from './walker.ts';
import { answerQuestion, tableWords, getMember, type TableAnswer, tableAnswer } from '../page/answer-question.ts';
import { shortened } from '../step-summary.ts';
import { tryPage, pressNode } from './press.ts';
import { getSameSiteLinks } from './visit.ts';
import { nodesIn, type PageNode, getText } from '#agent/page-node.ts';
import { readTables, type ShownTable } from '../page/read-tables.ts';

const pagesMax = 20;
const nextPattern = /^(?:next|next page|older)\b/i;
const beforePattern = /^(?:previous|prev|back|newer)\b/i;

const addressPattern =
  /\b(?:address|url|link)\s+of\s+(?:the|this|that)\s+(?:new\s+)?(?:page|thread|post|article|entry|\w+)$/i;
const otherAddress = /\b(?:e-?mail|street|postal|home|delivery)\b/i;

/** Result of completed directives. */
export interface Followed {
  readonly done: readonly PerformedAction[];
  /** Output for the task's schema; null without one. */
  readonly output: JsonObject | null;
  /**
   * Answers to the questions of the task, in the words of the page. Empty for a task with a schema, which has an output
   * instead.
   */
  readonly answers: readonly string[];
  /** Latest confirmation message of the page, or a sentence about the latest download; null if there was none. */
  readonly said: string | null;
  readonly url: string;
  readonly title: string;
}

/** Directives to follow. */
export interface ToFollow {
  readonly directives: readonly Directive[];
  /** Schema of the output; null for free text. */
  readonly schema: JsonObject | null;
  /** List to which every executed action is added, even if a later directive fails. */
  readonly done: PerformedAction[];
}

/** Words that are ignored in a prohibition. "Do not order anything" forbids every button that contains "order". */
const any = new Set(getWords('anything something any yet now again'));

/**
 * Executes the directives of a task in order, and answers its questions. Rejects with a TabError or a FileError if a
 * directive fails, or if a question has no answer.
 */
export async function followDirectives({ directives, schema, done }: ToFollow, world: AgentWorld): Promise<Followed> {
  const walker = await createWalker(world);
  for (const directive of directives)
    if (directive.kind === 'avoid') walker.avoided.push(getWords(directive.what).filter((word) => !any.has(word)));
  const answers: string[] = [];
  const questions: string[] = [];
  const agrees = directives.some(({ kind }) => kind === 'agree');
  for (const directive of directives) {
    if (agrees) await walker.tab.dialogs.answerNext({ accept: true, text: '' });
    if (directive.kind !== 'ask') await executeDirective(directive, walker);
    else if (schema === null) answers.push(await ask(walker, directive.question, directive.about));
    else questions.push(directive.question);
    done.push(...walker.done.splice(0));
  }
  const output = schema === null ? null : await askSchema(walker, questions.join(', '), schema);
  return { done, output, answers, said: walker.said, url: walker.url(), title: walker.title() };
}

/**
 * Answers a question with text of the page, or with the URL of the page if the question asks for it. Rejects with a
 * TabError when the page contains no answer.
 */
async function ask(walker: Walker, question: string, about: string): Promise<string> {
  const named = getWords(about);
  const found = await walker.lookFor((page) =>
    answerQuestion(page, { text: question, about: named.length > 0 ? named : walker.named }),
  );
  const answer =
    found ??
    (addressPattern.test(question) && !otherAddress.test(question) ? walker.url() : await askWhole(walker, question));
  if (answer === null) throw impossibleAction(`The page does not tell me: ${shortened(question)}.`);
  const usage = { inputTokens: 0, outputTokens: 0 };
  await walker.world.step({
    summary: `Read: ${shortened(answer)}`,
    action: { kind: 'read', what: 'text' },
    url: walker.url(),
    usage,
  });
  return answer;
}

async function askWhole(walker: Walker, question: string): Promise<string | null> {
  const answer = await askTable(walker, question);
  return answer === null ? null : tableWords(answer, question);
}

/**
 * Answers a question with an object that has all members of a schema. Searches the table of the current page, then the
 * tables of linked pages. Rejects with a TabError if no table answers all members.
 */
async function askSchema(walker: Walker, question: string, schema: JsonObject): Promise<JsonObject> {
  const here = await answerHere(walker, question, schema);
  if (here !== null) return here;
  for (const url of getSameSiteLinks(walker)) {
    const there = (await tryPage(walker, url)) ? await answerHere(walker, question, schema) : null;
    if (there !== null) return there;
  }
  throw impossibleAction(`I did not find the answer to: ${shortened(question)}.`);
}

async function answerHere(walker: Walker, question: string, schema: JsonObject): Promise<JsonObject | null> {
  const answer = await askTable(walker, question);
  return answer === null ? null : fill(schema, answer);
}

/**
 * Returns an object with all members of a schema. Their values come from the answer of a table. Null if the answer
 * lacks a member, or if the schema has no members.
 */
function fill(schema: JsonObject, answer: TableAnswer): JsonObject | null {
  const { properties } = schema;
  if (properties === undefined || !isJsonObject(properties)) return null;
  const members = Object.entries(properties).map(([name, member]) => [name, getValue(name, member, answer)] as const);
  const known = members.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return members.length === 0 || known.length < members.length ? null : Object.fromEntries(known);
}

function getValue(name: string, member: JsonValue, answer: TableAnswer): JsonValue | undefined {
  const type = isJsonObject(member) ? member['type'] : undefined;
  return typeof type === 'string' ? getMember(answer, name, type) : undefined;
}

/**
 * Answers a question from the only table of the page, after loading all pages of this table. Returns null without an
 * answer.
 */
async function askTable(walker: Walker, question: string): Promise<TableAnswer | null> {
  const shown = walker.page();
  const known = getWords(
    [
      walker.title(),
      ...nodesIn(shown)
        .filter(({ role }) => role === 'heading' || role === 'paragraph')
        .map(getText),
    ].join(' '),
  );
  const order = getOrder(getText(shown));
  const table = await wholeTable(walker);
  return table === null ? null : tableAnswer(table, { text: question, known, order });
}

function getOrder(text: string): 'newest first' | 'oldest first' | null {
  if (/\b(?:newest|latest|most recent)\b[\w ]{0,30}\bfirst\b/i.test(text)) return 'newest first';
  return /\boldest\b[\w ]{0,30}\bfirst\b/i.test(text) ? 'oldest first' : null;
}

/**
 * Returns the only table of the page that has a header, with the rows from all of its pages. Returns null if the first
 * page is not shown, if there is no such table, or if it has more than `pagesMax` pages.
 */
async function wholeTable(walker: Walker): Promise<ShownTable | null> {
  if (leading(walker.page(), beforePattern) !== undefined) return null;
  const first = onlyTable(walker.page());
  if (first === null) return null;
  const rows = [...first.rows];
  for (let pages = 1; ; pages += 1) {
    const next = leading(walker.page(), nextPattern);
    if (next === undefined) return { header: first.header, rows };
    if (pages === pagesMax) return null;
    await pressNode(walker, next);
    const table = onlyTable(walker.page());
    if (table === null) return null;
    rows.push(...table.rows);
  }
}

function onlyTable(page: PageNode): ShownTable | null {
  const [table, ...others] = readTables(page).filter(({ header }) => header.length > 0);
  return table === undefined || others.length > 0 ? null : table;
}

function leading(page: PageNode, name: RegExp): PageNode | undefined {
  return nodesIn(page).find(
    (node) => (node.role === 'link' || node.role === 'button') && name.test(node.name) && !node.flags.has('disabled'),
  );
}
