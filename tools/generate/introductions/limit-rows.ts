/** A row of spec/rules/limits.yaml. */
export interface LimitRow {
  readonly limit: string;
  readonly value?: number;
  readonly unit: string;
  readonly appliesTo: readonly string[];
  readonly text?: string;
}

/** Returns the limits of a generation that clients have to know, as rows of a Markdown table. */
export function limitRows(limits: readonly LimitRow[], version: string): string {
  return limits
    .filter(({ appliesTo, text, value }) => appliesTo.includes(version) && text !== undefined && value !== undefined)
    .map(({ text = '', value = 0, unit }) => `| ${text} | ${amount(value, unit)} |`)
    .join('\n');
}

const bytes = [
  [1_073_741_824, 'GiB'],
  [1_048_576, 'MiB'],
  [1024, 'KiB'],
  [1, 'bytes'],
] as const;

const times = [
  [86_400_000, 'days'],
  [3_600_000, 'hours'],
  [60_000, 'minutes'],
  [1000, 'seconds'],
  [1, 'ms'],
] as const;

/** A number with its unit, in the largest unit that it is a whole number of. */
function amount(value: number, unit: string): string {
  if (unit === 'ms') return whole(value, times).replace(/^1 (\w{3,})s$/, '1 $1');
  if (unit === 'minutes') return amount(value * 60_000, 'ms');
  if (unit === 'bytes') return whole(value, bytes);
  const digits = value.toLocaleString('en-US');
  return unit === 'items' ? digits : `${digits} ${unit}`;
}

function whole(value: number, units: readonly (readonly [size: number, name: string])[]): string {
  const [size, name] = units.find(([least]) => value >= least && value % least === 0) ?? [1, ''];
  return `${value / size} ${name}`;
}
