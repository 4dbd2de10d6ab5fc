const units = ['kB', 'MB', 'GB', 'TB'];

/** A number of bytes as people read it. */
export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  let value = count / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit] ?? ''}`;
}
