import type { RuleBook } from '../rule-book.ts';

/** A generation that has models. */
export type Version = keyof RuleBook['models'];

/** A generation whose requests carry thinkingLevel. */
export type LevelVersion = keyof RuleBook['thinkingLevels'];
