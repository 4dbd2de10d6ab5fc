import { isJsonObject, isWithin, type JsonObject } from '#lib/json.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { CdpMessage } from '../../pipe/cdp-message.ts';
import type { GatewayLimits } from '../gateway-limits.ts';
import { findMembersNow, valueIn } from './find-members.ts';
import { type AnswerName, answerOf } from './answer-of.ts';

/** A well-formed command of a client, with the members of the protocol and no others. */
export interface Command {
  readonly id: number;
  readonly method: string;
  readonly params: JsonObject;
  readonly sessionId?: string;
  /** The params of a large command as JSON, which nobody has read: `params` is empty then. */
  readonly unreadParams?: Buffer;
}

/** A command, or the error that answers what is none. */
export type Reading = { readonly command: Command } | { readonly error: CdpMessage };

/** What a message is judged by. */
export interface ReadingRules {
  readonly table: RuleBook['cdpPolicy'];
  /** `nestingMax`: levels that the params may have; Chromium never answers to a message that is nested too deeply. */
  readonly limits: Pick<GatewayLimits, 'nestingMax' | 'commandBytesMax' | 'commandValuesMax'>;
}

/** Reads one message of a client of at most `commandBytesMax`; never throws, whatever its bytes are. */
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

/** What a refusal of a message says: whose it is, as far as that is known, and what is filled into its words. */
interface Fault {
  readonly head?: CdpMessage;
  readonly values?: Readonly<Record<string, string>>;
}

/** An error in the words of the table. */
export function fault(
  table: RuleBook['cdpPolicy'],
  name: AnswerName,
  { head = {}, values = {} }: Fault = {},
): { readonly error: CdpMessage } {
  return { error: { ...head, error: answerOf(table, name, values) } };
}

/** What the text says, or the error where it is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return error;
    throw error;
  }
}

/** Whose a message is that cannot be parsed, as far as its bytes tell. */
function headIn(bytes: Buffer): CdpMessage {
  const id = valueIn(bytes, findMembersNow(bytes)?.get('id'));
  return isId(id) ? { id } : {};
}

/** Whether a value is an id as clients give their commands. */
export function isId(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

/** Whether a value names a session, or none. */
export function isSession(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}
