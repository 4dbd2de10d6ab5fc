import { encodePart } from '../core/path-with-id.ts';
/** Replaces secrets in a text, however they are spelled in it. */
export type Replace = (text: string) => string;

/** As many characters of a secret as are looked up at once; no secret is shorter. */
const headLength = 8;

/**
 * Creates a function that replaces every secret by a placeholder: the same for the same value, another one for another
 * value, of the same length. Checks of presence, freshness and length still work.
 */
export function createReplace(secrets: Iterable<string>): Replace {
  const byHead = new Map<string, [string, string][]>();
  let count = 0;
  for (const secret of secrets) {
    count += 1;
    const placeholder = `svcsecret${String(count).padStart(5, '0')}`.padEnd(secret.length, 'x');
    for (const spelling of spellings(secret)) {
      const head = spelling.slice(0, headLength);
      byHead.set(head, [...(byHead.get(head) ?? []), [spelling, placeholder]]);
    }
  }
  // Of two secrets the longer one may contain the shorter one.
  for (const [head, known] of byHead)
    byHead.set(
      head,
      known.toSorted(([a], [b]) => b.length - a.length),
    );
  return count === 0 ? (text) => text : (text) => replaceAll(text, byHead);
}

function replaceAll(text: string, byHead: ReadonlyMap<string, readonly [string, string][]>): string {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at + headLength <= text.length; ) {
    const found = byHead.get(text.slice(at, at + headLength))?.find(([spelling]) => text.startsWith(spelling, at));
    if (found === undefined) {
      at += 1;
      continue;
    }
    parts.push(text.slice(from, at), found[1]);
    at += found[0].length;
    from = at;
  }
  return from === 0 ? text : parts.join('') + text.slice(from);
}

function spellings(secret: string): Set<string> {
  const json = JSON.stringify(secret).slice(1, -1);
  const form = new URLSearchParams([['', secret]]).toString().slice(1);
  return new Set([secret, encodePart(secret), form, json, json.replaceAll('/', String.raw`\/`)]);
}
