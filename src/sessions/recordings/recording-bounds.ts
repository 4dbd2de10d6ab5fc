import { limitOf, type RuleBook } from '#contract/rule-book.ts';

/** What bounds one recording (spec/rules/limits.yaml). */
export interface RecordingBounds {
  readonly durationMaxMs: number;
  readonly bytesMax: number;
  /** The longest side of its pictures, in pixels. */
  readonly sideMax: number;
  /** The shortest time between two pictures. */
  readonly frameIntervalMs: number;
  /** How far apart the places are at which it can be entered. */
  readonly keyIntervalMs: number;
}

/** Ten pictures a second show what happens. */
const frameIntervalMs = 100;

/** A player that is sent to a place decodes at most ten seconds of pictures before it. */
const keyIntervalMs = 10_000;

/** The bounds of every recording. */
export function recordingBounds(rules: RuleBook): RecordingBounds {
  return {
    durationMaxMs: limitOf(rules, 'recordingDuration'),
    bytesMax: limitOf(rules, 'recordingBytes'),
    sideMax: limitOf(rules, 'recordingSide'),
    frameIntervalMs,
    keyIntervalMs,
  };
}
