/** An address in which one character was changed. */
export interface Alteration {
  /** `path`, or the name of the query member. */
  part: string;
  address: string;
}

/** The address with a change in its path, and with one in each member of its query; empty for what is no address. */
export function alterations(address: string): Alteration[] {
  if (!URL.canParse(address)) return [];
  const path = new URL(address);
  const [last = '', ...rest] = path.pathname.split('/').toReversed();
  path.pathname = [altered(last), ...rest].toReversed().join('/');
  const members = [...new URL(address).searchParams].map(([name, value]) => {
    const changed = new URL(address);
    changed.searchParams.set(name, altered(value));
    return { part: name, address: changed.href };
  });
  return [{ part: 'path', address: path.href }, ...members];
}

// In the middle: the last character of an encoded value may carry bits that mean nothing. Of the same kind, so that the form stays.
function altered(value: string): string {
  const at = Math.floor(value.length / 2);
  const found = value[at] ?? '';
  const next = /\d/.test(found) ? String((Number(found) + 1) % 10) : found === 'a' ? 'b' : 'a';
  return value.slice(0, at) + next + value.slice(at + 1);
}
