import { fillTemplate } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { cdpPolicy } from '#generated/rules.ts';
import { isJsonObject, type JsonObject } from '#lib/json.ts';
import { isWithin } from '#lib/json-size.ts';
import type { CdpMessage } from '../pipe/cdp-client.ts';
import { findMembers, findMembersNow, valueIn } from './find-members.ts';
import type { GatewayLimits } from './gateway-limits.ts';

/** A well-formed command of a client. It contains only members of the DevTools protocol; other members are dropped. */
export interface Command {
  readonly id: number;
  readonly method: string;
  readonly params: JsonObject;
  readonly sessionId?: string;
  /** Unparsed params of a large command as JSON; `params` is empty then. */
  readonly unreadParams?: Buffer;
}

/** A command, or the error response for a malformed message. */
export type Reading = { readonly command: Command } | { readonly error: CdpMessage };

/** Rules for reading a message. */
export interface ReadingRules {
  readonly table: RuleBook['cdpPolicy'];
  /** `nestingMax` is the maximum depth of params. Chromium never answers a message that is nested more deeply. */
  readonly limits: Pick<GatewayLimits, 'nestingMax' | 'commandBytesMax' | 'commandValuesMax'>;
}

/**
 * Parses a client message of at most `commandBytesMax` bytes. Returns an error response for a malformed message; never
 * throws.
 */
export function readCommand(bytes: Buffer, { table, limits }: ReadingRules): Reading {
  const { nestingMax: levels, commandValuesMax: values } = limits;
  if (!isWithin(bytes, { depth: levels + 1, values: Infinity }))
    return fault(table, 'tooDeep', { head: headIn(bytes), values: { limit: String(levels) } });
  if (!isWithin(bytes, { depth: Infinity, values }))
    return fault(table, 'tooManyValues', { head: headIn(bytes), values: { limit: String(values) } });
  const parsed = parse(bytes.toString('utf8'));
  if (parsed instanceof SyntaxError) return fault(table, 'notJson', { values: { reason: parsed.message } });
  if (!isJsonObject(parsed)) return fault(table, 'notObject');
  const { id, method, params = {}, sessionId } = parsed;
  if (!isId(id)) return fault(table, 'badId');
  if (typeof method !== 'string') return fault(table, 'badMethod', { head: { id } });
  if (!isSession(sessionId)) return fault(table, 'badSession', { head: { id } });
  const head = sessionId === undefined ? { id } : { id, sessionId };
  if (!isJsonObject(params)) return fault(table, 'badParams', { head });
  return { command: sessionId === undefined ? { id, method, params } : { id, method, params, sessionId } };
}

/**
 * Optional parts of an error response: the id and session of the command if known, and values for the placeholders of
 * its text.
 */
interface Fault {
  readonly head?: CdpMessage;
  readonly values?: Readonly<Record<string, string>>;
}

/** Returns an error response with the code and text that the table has for `name`. */
function fault(
  table: RuleBook['cdpPolicy'],
  name: AnswerName,
  { head = {}, values = {} }: Fault = {},
): { readonly error: CdpMessage } {
  return { error: { ...head, error: getAnswer(table, name, values) } };
}

/** Parses JSON. For an invalid text, returns the SyntaxError instead of throwing it. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return error;
    throw error;
  }
}

/**
 * Returns an object with the id of a message, without parsing the whole message. The object is empty if the bytes
 * contain no valid id.
 */
function headIn(bytes: Buffer): CdpMessage {
  const id = valueIn(bytes, findMembersNow(bytes)?.get('id'));
  return isId(id) ? { id } : {};
}

/** Returns whether a value is a valid command id. */
function isId(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

/** Returns whether a value is a valid session id: a string, or undefined for the root session. */
function isSession(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

/*
 * Commands that are too large to parse within one event-loop tick. Their members are located in the bytes, and the
 * params are forwarded unparsed.
 */

const openBrace = 0x7b;

/**
 * Parses a client message of more than `commandBytesMax` bytes, except its params, which stay unparsed. Returns an
 * error response for a malformed message and for a method that must not be that large. Never rejects.
 */
export async function readLargeCommand(bytes: Buffer, { table, limits }: ReadingRules): Promise<Reading> {
  const found = await findMembers(bytes, limits.nestingMax + 1);
  if (found === null) return fault(table, 'notJson', { values: { reason: 'it is malformed' } });
  const { members, isTooDeep } = found;
  const readValue = (name: string): unknown => valueIn(bytes, members.get(name));
  const [id, method, sessionId] = [readValue('id'), readValue('method'), readValue('sessionId')];
  if (isTooDeep) return tooDeep(id, { table, limits });
  if (!isId(id)) return fault(table, 'badId');
  if (typeof method !== 'string') return fault(table, 'badMethod', { head: { id } });
  if ((members.has('sessionId') && sessionId === undefined) || !isSession(sessionId))
    return fault(table, 'badSession', { head: { id } });
  const head = sessionId === undefined ? { id } : { id, sessionId };
  if (!mayBeLarge(table, method))
    return fault(table, 'tooLarge', {
      head,
      values: { limit: String(limits.commandBytesMax), methods: table.large.methods.join(', ') },
    });
  const { from, to } = members.get('params') ?? { from: 0, to: 0 };
  const unreadParams = bytes.subarray(from, to);
  if (unreadParams[0] !== openBrace) return fault(table, 'badParams', { head });
  return { command: { ...head, method, params: {}, unreadParams } };
}

/**
 * Returns whether commands of a method may exceed `commandBytesMax`. Always false for a method with a row in the table,
 * because this row needs parsed params.
 */
function mayBeLarge({ large, methods }: RuleBook['cdpPolicy'], method: string): boolean {
  return large.methods.includes(method) && methods.every((row) => row.method !== method);
}

/**
 * Returns the error response for params that are nested too deeply. Contains the command's id only if the id precedes
 * the deep nesting in the message.
 */
function tooDeep(id: unknown, { table, limits }: ReadingRules): Reading {
  return fault(table, 'tooDeep', { head: isId(id) ? { id } : {}, values: { limit: String(limits.nestingMax) } });
}

/** Names of the error responses in spec/rules/cdp-policy.yaml. */
export type AnswerName = (typeof cdpPolicy)['answers'][number]['answer'];

/** Returns a DevTools error with the code and text of a table row. Throws if the table has no row of this name. */
export function getAnswer(
  table: RuleBook['cdpPolicy'],
  name: AnswerName,
  values: Readonly<Record<string, string>>,
): JsonObject {
  const row = table.answers.find(({ answer }) => answer === name);
  if (row === undefined) throw new Error(`cdpPolicy: found no answer ${name}`);
  return { code: row.code, message: fillTemplate(row.message, values) };
}
