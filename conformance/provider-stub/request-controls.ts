import { providerRequests } from '#generated/rules.ts';
import type { JsonObject, JsonValue } from '../core/json.ts';
import { spelledAt } from './spelled.ts';

/** The reasoning controls of one request. A control is undefined if the request does not have it. */
export interface Controls {
  /** Reasoning effort, in lower case. */
  effort: string | undefined;
  /** Thinking level, in lower case. */
  level: string | undefined;
  /** Thinking budget, in tokens. */
  budget: number | undefined;
  /**
   * Thinking mode: `adaptive`, `enabled`, `disabled` or another word of the provider; a boolean switch is read as
   * `enabled` or `disabled`.
   */
  thinking: string | undefined;
  display: string | undefined;
}

type Control = (typeof providerRequests.controls)[number]['control'];

/** Returns the reasoning controls of a request, from every location that a provider's API defines for them. */
export function readControls(body: JsonObject): Controls {
  const at = (control: Control): JsonValue | undefined => find(body, control);
  const budget = at('budget');
  const flip = at('switch');
  return {
    effort: word(at('effort')),
    level: word(at('level')),
    budget: typeof budget === 'number' ? budget : undefined,
    thinking: word(at('thinking')) ?? (typeof flip === 'boolean' ? switchWord(flip) : undefined),
    display: word(at('display')),
  };
}

function switchWord(isOn: boolean): string {
  return isOn ? 'enabled' : 'disabled';
}

function find(body: JsonObject, control: Control): JsonValue | undefined {
  const places: readonly string[] = providerRequests.controls.find((row) => row.control === control)?.places ?? [];
  return places.map((place) => spelledAt(body, place)).find((value) => value !== undefined && value !== null);
}

function word(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value.toLowerCase() : undefined;
}
