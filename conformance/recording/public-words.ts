import { readDocuments } from '../harness/documents.ts';

/** Words that are no secrets, however they look: everybody can read them, or the suite has said them first. */
export interface PublicWords {
  /** Notes what the suite has sent before it was told. */
  say(text: string): void;
  has(word: string): boolean;
}

/** The words of the documents, to which the words of requests are added. */
export function createPublicWords(): PublicWords {
  const documents = JSON.stringify(readDocuments('openapi'));
  const said: string[] = [];
  const known = new Set<string>();
  const isSaid = (word: string): boolean => documents.includes(word) || said.some((text) => text.includes(word));
  return {
    say: (text) => {
      said.push(text);
    },
    has: (word) => {
      // What was said once stays said.
      if (known.has(word)) return true;
      if (isSaid(word)) known.add(word);
      return known.has(word);
    },
  };
}
