import { type JsonObject, isJsonObject } from '#domain/json.ts';
import type { RuleBook } from '#domain/rule-book.ts';
import type { CdpMessage } from '../../pipe/cdp-message.ts';
import type { GatewayLimits } from '../gateway-limits.ts';
import { type AnswerName, answerOf } from './answer-of.ts';

/** A well-formed command of a client, with the members of the protocol and no others. */
export interface Command {
  readonly id: number;
  readonly method: string;
  readonly params: JsonObject;
  readonly sessionId?: string;
}

/** A command, or the error that answers what is none. */
export type Reading = { readonly command: Command } | { readonly error: CdpMessage };

/** What a message is judged by. */
export interface ReadingRules {
  readonly table: RuleBook['cdpPolicy'];
  /** `nestingMax`: levels that the params may have; Chromium never answers to a message that is nested too deeply. */
  readonly limits: Pick<GatewayLimits, 'nestingMax'>;
}

/** A level is opened and closed, each by a character. */
const LEVEL_LENGTH = 2;

/** Reads one message of a client; never throws, whatever the text is. */
export function readCommand(text: string, { table, limits: { nestingMax } }: ReadingRules): Reading {
  const parsed = parse(text);
  if (parsed instanceof SyntaxError) return fault(table, 'notJson', { values: { reason: parsed.message } });
  if (!isJsonObject(parsed)) return fault(table, 'notObject');
  const { id, method, params = {}, sessionId } = parsed;
  if (!isId(id)) return fault(table, 'badId');
  if (typeof method !== 'string') return fault(table, 'badMethod', { head: { id } });
  if (!isSession(sessionId)) return fault(table, 'badSession', { head: { id } });
  const head = sessionId === undefined ? { id } : { id, sessionId };
  if (!isJsonObject(params)) return fault(table, 'badParams', { head });
  // A short text has no room for so many levels, whatever it says.
  const mayBeDeep = text.length > nestingMax * LEVEL_LENGTH;
  if (mayBeDeep && isDeeper(params, nestingMax))
    return fault(table, 'tooDeep', { head, values: { limit: String(nestingMax) } });
  return { command: sessionId === undefined ? { id, method, params } : { id, method, params, sessionId } };
}

/** What a refusal of a text says: whose it is, as far as that is known, and what is filled into its words. */
interface Fault {
  readonly head?: CdpMessage;
  readonly values?: Readonly<Record<string, string>>;
}

function fault(table: RuleBook['cdpPolicy'], name: AnswerName, { head = {}, values = {} }: Fault = {}): Reading {
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

/** Whether a value has more levels than that; looks no deeper, so that no value can exhaust the stack. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((element) => isDeeper(element, levels - 1));
  return Object.values(value).some((element) => isDeeper(element, levels - 1));
}

function isId(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isSession(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}
