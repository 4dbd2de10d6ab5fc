import { models } from '#generated/rules.ts';
import type { Scenario } from '../../core/scenario.ts';
import { sessionProbe } from '../common/probe-bodies.ts';
import { type ProbeRecording, probeCells } from '../common/scenarios-part-probe-cells.ts';

/** An own-key model without the option, or with the option off. */
export interface OwnKeyCell {
  /** `<model> absent` or `<model> false`. */
  key: string;
  model: string;
  option: { useOwnKey?: false };
}

/** Sends every own-key model without `useOwnKey` true. */
export const ownKeyRefusals: Scenario<ProbeRecording<OwnKeyCell>> = {
  name: 'own-key-refusals',
  creates: 'nothing: every own-key model is sent without useOwnKey',
  spend: 'none',
  dispatches: 0,
  stateful: false,
  drive: ({ sessions, target }) =>
    probeCells(ownKeyCells(), ({ model, option }) => sessions.probe({ ...sessionProbe(target), model, ...option })),
};

function ownKeyCells(): OwnKeyCell[] {
  const names = models.v3.models.filter((model) => model.availability === 'own-key').map(({ name }) => name);
  return names.flatMap((model) => [
    { key: `${model} absent`, model, option: {} },
    { key: `${model} false`, model, option: { useOwnKey: false } },
  ]);
}
