import { type JsonObject, isJsonObject } from '#domain/json.ts';
import type { RuleBook } from '#domain/rule-book.ts';
import type { CdpMessage } from '../../pipe/cdp-message.ts';
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
  /** Levels that the params may have; Chromium never answers to a message that is nested too deeply. */
  readonly nestingMax: number;
}

/** Reads one message of a client; never throws, whatever the text is. */
export function readCommand(text: string, { table, nestingMax }: ReadingRules): Reading {
  const fault = (name: AnswerName, head: CdpMessage = {}, values = {}): Reading => ({
    error: { ...head, error: answerOf(table, name, values) },
  });
  const parsed = parse(text);
  if ('reason' in parsed) return fault('notJson', {}, parsed);
  if (!isJsonObject(parsed.value)) return fault('notObject');
  const { id, method, params = {}, sessionId } = parsed.value;
  if (!isId(id)) return fault('badId');
  if (typeof method !== 'string') return fault('badMethod', { id });
  if (sessionId !== undefined && typeof sessionId !== 'string') return fault('badSession', { id });
  const session = sessionId === undefined ? {} : { sessionId };
  if (!isJsonObject(params)) return fault('badParams', { id, ...session });
  if (isDeeper(params, nestingMax)) return fault('tooDeep', { id, ...session }, { limit: String(nestingMax) });
  return { command: { id, method, params, ...session } };
}

function parse(text: string): { readonly value: unknown } | { readonly reason: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return { reason: error.message };
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
