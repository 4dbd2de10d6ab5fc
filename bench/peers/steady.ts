/** A complaint without what differs from run to run: ids, addresses, times, numbers and drawn texts. */
export function steady(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, 'UUID')
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'ADDRESS')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, 'TIME')
    .replaceAll(/\b\d{4,}(\.\d+)?\b/g, 'N')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 300);
}
