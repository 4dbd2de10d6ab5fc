import v2 from '#generated/openapi/v2.json' with { type: 'json' };
import v3 from '#generated/openapi/v3.json' with { type: 'json' };
import v4 from '#generated/openapi/v4.json' with { type: 'json' };
import { readBlocks } from './read-blocks.ts';

/** The introductions of the API reference by generation, each with its title, its text and its number of diagrams. */
export const introductions = {
  v2: { title: v2.info.title, text: v2.info.description, pictures: 1 },
  v3: { title: v3.info.title, text: v3.info.description, pictures: 1 },
  v4: { title: v4.info.title, text: v4.info.description, pictures: 2 },
};

/** Returns the code blocks of one language of an introduction, in order. */
export function readExamples(version: keyof typeof introductions, language: string): string[] {
  return readBlocks(`introduction of ${version}`, introductions[version].text)
    .filter((block) => block.language === language)
    .map(({ text }) => text);
}
