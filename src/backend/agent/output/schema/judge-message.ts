import type { JsonObject } from '#domain/json.ts';

/** One value to judge, as the worker gets it; the value is JSON text, so that its size is known. */
export interface JudgeQuestion {
  readonly id: number;
  readonly schema: JsonObject;
  readonly valueText: string;
}

/** What the worker says of a value: nothing, or what is wrong in words. */
export interface JudgeAnswer {
  readonly id: number;
  readonly errors: readonly string[];
}
