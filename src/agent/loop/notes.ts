/** What a model wants to keep in mind, however long its task takes. */
export interface Notes {
  /** Answers whether there was room for it. */
  add(text: string): boolean;
  all(): readonly string[];
}

/** Characters of all notes together: they stand in every prompt. */
const NOTES_MAX = 8_000;

/** No notes yet. */
export function createNotes(): Notes {
  const notes: string[] = [];
  return {
    add(text) {
      const used = notes.reduce((sum, note) => sum + note.length, 0);
      if (used + text.length > NOTES_MAX) return false;
      notes.push(text);
      return true;
    },
    all: () => [...notes],
  };
}
