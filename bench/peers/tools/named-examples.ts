import type { JsonObject } from '#lib/json.ts';
import { objectOf } from '../json.ts';

/**
 * A copy of a document in which the example of a path parameter, that of the body and that of a success answer have one
 * name, which is how Specmatic finds out that they belong together.
 */
export function namedExamples(document: JsonObject): JsonObject {
  const copy = structuredClone(document);
  for (const operation of Object.values(objectOf(copy['paths'])).flatMap((item) => Object.values(objectOf(item))))
    nameExamples(objectOf(operation));
  return copy;
}

function nameExamples(operation: JsonObject): void {
  const answers = Object.entries(objectOf(operation['responses'])).filter(([status]) => status.startsWith('2'));
  const answered = answers.flatMap(([, answer]) => contentsOf(answer));
  const [name] = [...contentsOf(operation['requestBody']), ...answered].flatMap(namesIn);
  if (name === undefined) return;
  for (const content of [...contentsOf(operation['requestBody']), ...answered]) keepOne(content, name);
  const { parameters } = operation;
  if (Array.isArray(parameters)) for (const parameter of parameters.map(objectOf)) nameParameter(parameter, name);
}

function keepOne(content: JsonObject, name: string): void {
  const [first] = Object.values(objectOf(content['examples']));
  if (first !== undefined) content['examples'] = { [name]: first };
}

function nameParameter(parameter: JsonObject, name: string): void {
  const { example } = parameter;
  if (parameter['in'] !== 'path' || example === undefined) return;
  delete parameter['example'];
  parameter['examples'] = { [name]: { value: example } };
}

function contentsOf(part: unknown): JsonObject[] {
  return Object.values(objectOf(objectOf(part)['content'])).map(objectOf);
}

function namesIn({ examples }: JsonObject): string[] {
  return Object.keys(objectOf(examples));
}
