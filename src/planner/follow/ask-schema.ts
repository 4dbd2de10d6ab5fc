import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import { memberOf, type TableAnswer } from '../page/table-answer.ts';
import { shortened } from '../shortened.ts';
import { askTable } from './ask-tables.ts';
import { tryPage } from './press.ts';
import { waysOf } from './visit.ts';
import { cannot, type Walker } from './walker.ts';

/** Answers questions by the members that a schema asks for; looks on the pages that this one leads to when it must. Gives up when a page does not say all of them. */
export async function askSchema(walker: Walker, question: string, schema: JsonObject): Promise<JsonObject> {
  const here = await answerHere(walker, question, schema);
  if (here !== null) return here;
  for (const url of waysOf(walker)) {
    const there = (await tryPage(walker, url)) ? await answerHere(walker, question, schema) : null;
    if (there !== null) return there;
  }
  throw cannot(`I did not find the answer to: ${shortened(question)}.`);
}

async function answerHere(walker: Walker, question: string, schema: JsonObject): Promise<JsonObject | null> {
  const answer = await askTable(walker, question);
  return answer === null ? null : fill(schema, answer);
}

/** The members of an object as the answer has them; null when one is not among them. */
function fill(schema: JsonObject, answer: TableAnswer): JsonObject | null {
  const { properties } = schema;
  if (properties === undefined || !isJsonObject(properties)) return null;
  const members = Object.entries(properties).map(([name, member]) => [name, valueOf(name, member, answer)] as const);
  const known = members.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return members.length === 0 || known.length < members.length ? null : Object.fromEntries(known);
}

function valueOf(name: string, member: JsonValue, answer: TableAnswer): JsonValue | undefined {
  const type = isJsonObject(member) ? member['type'] : undefined;
  return typeof type === 'string' ? memberOf(answer, name, type) : undefined;
}
