import type { JsonObject } from '#lib/json.ts';

const NAMES = ['Ada Hill', 'Ben Okoro', 'Chloe Martin', 'Dan Weber'];
const THINGS = ['Blue lamp', 'Garden chair', 'Travel mug', 'Desk clock'];
const CITIES = ['Lisbon', 'Oslo', 'Vienna', 'Leeds'];
const COUNTRIES = ['Portugal', 'Norway', 'Austria', 'Ireland'];
const SENTENCES = ['It was found on the page.', 'The page says so.', 'Nothing else was listed.', 'It is in stock.'];

/** By format, or by what the name of a member says: what a text is chosen from, the first that fits. */
const BY_FORMAT: Readonly<Record<string, readonly string[]>> = {
  date: ['2026-03-14', '2026-05-02'],
  'date-time': ['2026-03-14T09:30:00Z', '2026-05-02T16:05:00Z'],
  time: ['09:30:00Z', '16:05:00Z'],
  duration: ['PT30M', 'P1D'],
  email: ['ada@example.com', 'ben@example.com'],
  hostname: ['example.com', 'shop.example.com'],
  ipv4: ['192.0.2.7', '192.0.2.81'],
  ipv6: ['2001:db8::7', '2001:db8::51'],
  uri: ['https://example.com/items/1', 'https://example.com/items/2'],
  uuid: ['3f0c2b8e-5d1a-4c57-9e0b-6a7d2f1c8b90', '8d5b1c7a-2f60-4b3e-a1d4-0c9e7f6b5a32'],
};
const BY_NAME: readonly (readonly [name: RegExp, texts: readonly string[]])[] = [
  [/e-?mail/i, BY_FORMAT['email'] ?? []],
  [/url|link|href|website|address$/i, BY_FORMAT['uri'] ?? []],
  [/date|time|when|_at$|At$/, BY_FORMAT['date'] ?? []],
  [/phone/i, ['+44 20 7946 0018', '+44 20 7946 0952']],
  [/currency/i, ['EUR', 'USD']],
  [/price|cost|amount|total/i, ['24.90', '119.00']],
  [/city|town|place|location/i, CITIES],
  [/country/i, COUNTRIES],
  [/author|person|user|contact|owner|customer|seller/i, NAMES],
  [/summary|description|text|reason|comment|notes?$|answer|body|content/i, SENTENCES],
  [/name|title|product|item|headline|label/i, THINGS],
];

/** A text that a member of that name could have, within the lengths of its schema. A pattern is left to whoever makes it conform. */
export function plausibleText(schema: JsonObject, name: string, draw: () => number): string {
  const { format, minLength, maxLength } = schema;
  const ofFormat = typeof format === 'string' ? BY_FORMAT[format] : undefined;
  const texts = ofFormat ?? BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? SENTENCES;
  const text = texts[Math.floor(draw() * texts.length)] ?? '';
  const longest = typeof maxLength === 'number' ? maxLength : text.length;
  return text.slice(0, longest).padEnd(typeof minLength === 'number' ? Math.min(minLength, 1000) : 0, '.');
}
