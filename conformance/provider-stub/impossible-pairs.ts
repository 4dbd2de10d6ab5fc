import { type JsonObject, textOf } from '../core/json.ts';
import type { WireFamily } from '../core/provider-call.ts';
import { type Controls, controlsOf } from './request-controls.ts';
import { spelledAt } from './spelled.ts';

/** A request as the pairs look at it. */
export interface Asked {
  family: WireFamily;
  /** Model name in lower case. */
  model: string;
  body: JsonObject;
  /** Features on trial that the request asks for, as one text. */
  betas: string;
}

interface Pair {
  family: WireFamily;
  /** Message of the provider for this pair. */
  says: string;
  breaks: (asked: Asked, controls: Controls) => boolean;
}

/** Claude models that take nothing but adaptive thinking. */
const adaptiveOnly = /claude-(opus-4-[78]|opus-5|sonnet-5|fable-5)/;
/** Claude models that know no adaptive thinking. */
const fixedOnly = /claude-(haiku-4-5|sonnet-4-5|opus-4-5|opus-4-1|sonnet-4-2|opus-4-2|3-)/;
/** Models of the responses family that always reason. */
const alwaysReasons = /(^|\/)(o3|o4|gpt-5($|-))/;

/** Returns whether a request to Claude enables thinking, with a budget or adaptively. */
const thinks = ({ thinking }: Controls): boolean => thinking === 'enabled' || thinking === 'adaptive';

/** Members that are legal alone and not together; each as the providers' documents on reasoning say. */
const pairs: readonly Pair[] = [
  {
    family: 'messages',
    says: 'thinking.budget_tokens must be at least 1024 where thinking is enabled',
    breaks: (_asked, { thinking, budget }) => thinking === 'enabled' && (budget === undefined || budget < 1024),
  },
  {
    family: 'messages',
    says: 'max_tokens must be greater than thinking.budget_tokens',
    breaks: ({ body, betas }, { budget }) =>
      budget !== undefined && !betas.includes('interleaved-thinking') && Number(body['max_tokens']) <= budget,
  },
  {
    family: 'messages',
    says: 'thinking.budget_tokens goes with thinking that is enabled only',
    breaks: (_asked, { thinking, budget }) => budget !== undefined && thinking !== 'enabled',
  },
  {
    family: 'messages',
    says: 'temperature may only be 1 while the model thinks',
    breaks: ({ body }, controls) =>
      thinks(controls) && typeof body['temperature'] === 'number' && body['temperature'] !== 1,
  },
  {
    family: 'messages',
    says: 'no tool can be forced while the model thinks',
    breaks: ({ body }, controls) =>
      thinks(controls) && ['any', 'tool'].includes(textOf(spelledAt(body, 'tool_choice.type'))),
  },
  {
    family: 'messages',
    says: 'this model takes adaptive thinking and no fixed budget',
    breaks: ({ model }, { thinking }) => thinking === 'enabled' && adaptiveOnly.test(model),
  },
  {
    family: 'messages',
    says: 'this model takes a fixed budget and no adaptive thinking',
    breaks: ({ model }, { thinking }) => thinking === 'adaptive' && fixedOnly.test(model),
  },
  {
    family: 'messages',
    says: 'this model takes no effort',
    breaks: ({ model, betas }, { effort }) => effort !== undefined && betas === '' && fixedOnly.test(model),
  },
  {
    family: 'google',
    says: 'thinkingLevel and thinkingBudget exclude each other',
    breaks: (_asked, { level, budget }) => level !== undefined && budget !== undefined,
  },
  {
    family: 'google',
    says: 'this model takes a thinkingBudget and no thinkingLevel',
    breaks: ({ model }, { level }) => level !== undefined && model.includes('gemini-2.5'),
  },
  {
    family: 'google',
    says: 'this model works in thinking mode only: its budget cannot be 0',
    breaks: ({ model }, { budget }) => budget === 0 && model.includes('gemini-2.5-pro'),
  },
  {
    family: 'google',
    says: 'this model takes no thinkingLevel minimal',
    breaks: ({ model }, { level }) => level === 'minimal' && model.includes('gemini-3.1-pro'),
  },
  {
    family: 'responses',
    says: 'this model cannot do without reasoning',
    breaks: ({ model }, { effort }) => effort === 'none' && alwaysReasons.test(model),
  },
  {
    family: 'responses',
    says: 'a model that reasons takes no temperature',
    breaks: ({ body }, { effort }) =>
      effort !== undefined && effort !== 'none' && typeof body['temperature'] === 'number' && body['temperature'] !== 1,
  },
];

/** Returns the provider's messages for settings of a request that exclude each other. */
export function impossiblePairs(asked: Asked): string[] {
  const controls = controlsOf(asked.body);
  return pairs
    .filter(({ family, breaks }) => family === asked.family && breaks(asked, controls))
    .map(({ says }) => says);
}
