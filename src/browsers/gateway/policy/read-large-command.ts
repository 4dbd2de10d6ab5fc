import type { RuleBook } from '#contract/rule-book.ts';
import { findMembers, valueIn } from './find-members.ts';
import { type Reading, type ReadingRules, fault, isId, isSession } from './read-command.ts';

/*
 * Commands that are too large to be parsed within one event-loop tick. Their members are found in the bytes, and the params are passed on
 * as they are.
 */

/** `{` */
const openBrace = 0x7b;

/** Reads one message of more than `commandBytesMax`; never rejects. Only few methods may be as large. */
export async function readLargeCommand(bytes: Buffer, { table, limits }: ReadingRules): Promise<Reading> {
  const found = await findMembers(bytes, limits.nestingMax + 1);
  if (found === null) return fault(table, 'notJson', { values: { reason: 'it is malformed' } });
  const { members, isTooDeep } = found;
  const valueOf = (name: string): unknown => valueIn(bytes, members.get(name));
  const [id, method, sessionId] = [valueOf('id'), valueOf('method'), valueOf('sessionId')];
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

/** A method with a rule of its own has params that have to be read. */
function mayBeLarge({ large, methods }: RuleBook['cdpPolicy'], method: string): boolean {
  return large.methods.includes(method) && methods.every((row) => row.method !== method);
}

/** The refusal of params of too many levels; it names the command where its id was found before the level too many. */
function tooDeep(id: unknown, { table, limits }: ReadingRules): Reading {
  return fault(table, 'tooDeep', { head: isId(id) ? { id } : {}, values: { limit: String(limits.nestingMax) } });
}
