import type { Exchange } from './exchange.ts';
import { identifier, memberAt } from './json.ts';

/**
 * The exchanges that lead to one, itself included: what the same scenario or check has sent before for the same thing, from
 * the answer that handed out its id. The exchange alone where it is about nothing that was made.
 */
export function leadingTo(exchange: Exchange, all: readonly Exchange[]): Exchange[] {
  const before = all.filter(({ index, sentBy }) => sentBy === exchange.sentBy && index < exchange.index);
  const creation = before.findLast(({ request, json }) => {
    const id = request.method === 'POST' ? identifier(memberAt(json, 'id')) : undefined;
    return id !== undefined && id.length >= idLengthMin && isAbout(exchange, id);
  });
  const id = identifier(memberAt(creation?.json, 'id'));
  if (creation === undefined || id === undefined) return [exchange];
  return [creation, ...before.filter((one) => one.index > creation.index && isAbout(one, id)), exchange];
}

/** Shorter ids could stand in an address by chance. */
const idLengthMin = 8;

function isAbout({ request }: Exchange, id: string): boolean {
  return request.url.includes(id) || request.body?.includes(id) === true;
}
