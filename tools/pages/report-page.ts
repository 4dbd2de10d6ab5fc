import { readFileSync } from 'node:fs';
import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import { page, table } from './markdown.ts';

const file = 'spec/meta/report.schema.json';

/** Returns the page with every member of a report, from its schema. */
export function reportPage(): string {
  const schema = at(JSON.parse(readFileSync(file, 'utf8')));
  const parts = Object.entries(at(schema['$defs'])).filter(([, part]) => isJsonObject(at(part)['properties']));
  return page(
    'The report',
    `${textAt(schema, 'description')} A program has to ignore unknown members. The same as a JSON Schema: \`${file}\`.`,
    table(['Member', 'Type', 'Always', 'Meaning'], rows(schema, '')),
    ...parts.flatMap(([name, part]) => [
      `## ${name}`,
      textAt(at(part), 'description'),
      table(['Member', 'Type', 'Always', 'Meaning'], rows(at(part), '')),
    ]),
  );
}

function rows(owner: JsonObject, prefix: string): string[][] {
  const required = owner['required'];
  return Object.entries(at(owner['properties'])).flatMap(([name, value]) => {
    const member = at(value);
    const always = Array.isArray(required) && required.includes(name) ? 'yes' : '';
    const own = [`\`${prefix}${name}\``, getType(member), always, textAt(member, 'description')];
    const items = at(member['items']);
    return [own, ...rows(member, `${prefix}${name}.`), ...rows(items, `${prefix}${name}[].`)];
  });
}

function getType(member: JsonObject): string {
  const { const: only, enum: words, type, items, $ref } = member;
  if (only !== undefined) return `\`${textAt(member, 'const')}\``;
  if (Array.isArray(words))
    return words.map((word) => `\`${typeof word === 'string' ? word : JSON.stringify(word)}\``).join(', ');
  if (typeof $ref === 'string') return `[${nameIn($ref)}](#${nameIn($ref).toLowerCase()})`;
  if (type === 'array') return `list of ${getType(at(items))}`;
  return typeof type === 'string' ? type : 'any';
}

function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

function textAt(owner: JsonObject, name: string): string {
  const value = owner[name];
  return typeof value === 'string' ? value : '';
}

function at(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
