import { createRedact, headerPlaceholders, redactJson } from '../transport/redact.ts';
import type { JsonObject, JsonValue } from '../core/json.ts';
import type { Recorder } from '../core/recorder.ts';
import type { RunSettings } from './settings.ts';
import type { Report } from '../core/report.ts';
import { readKeyForms } from '../transport/run-environment.ts';
import type { Recording } from '../recording/recording.ts';

/** Input of {@link createRecording}. */
export interface RecordingInput {
  /** Settings as requested for the run. */
  settings: RunSettings;
  recorder: Recorder;
  report: Report;
}

/** Creates the recording of a run that has ended. */
export function createRecording({ settings, recorder, report }: RecordingInput): Recording {
  const redact = createRedact(settings);
  const hidden = <T>(value: T): T => {
    // The redacted JSON has the type of the original value.
    const copy: T = JSON.parse(JSON.stringify(redactJson(JSON.parse(JSON.stringify(value)), redact)));
    return copy;
  };
  const keyForms = readKeyForms(settings);
  return {
    startedAt: report.startedAt,
    durationMs: report.durationMs,
    options: hidden(serializeOptions(settings)),
    target: hidden(settings.target),
    withOtherKey: settings.otherApiKey !== undefined,
    ...(keyForms === undefined ? {} : { keyForms }),
    headers: headerPlaceholders(settings.headers),
    stamp: settings.environment.stamp,
    secrets: recorder.secrets(),
    happenings: recorder.happenings(),
    totals: report.totals,
    beyond: report.beyond,
  };
}

/**
 * Settings that the member `options` of a recording leaves out: some are other members of the recording, and a playback
 * does not need the others.
 */
const elsewhere = [
  'apiKey',
  'otherApiKey',
  'headers',
  'target',
  'timeLimitMs',
  'ratePerSecond',
  'concurrency',
  'network',
];

/** Returns the serialisable options except the options in `elsewhere`; functions and signals are left out. */
function serializeOptions(settings: RunSettings): JsonObject {
  const written = Object.entries(settings).flatMap(([name, value]: [string, unknown]): [string, JsonValue][] => {
    if (elsewhere.includes(name)) return [];
    if (value === Number.POSITIVE_INFINITY) return [[name, 'unlimited']];
    return isJson(value) ? [[name, value]] : [];
  });
  return Object.fromEntries(written);
}

function isJson(value: unknown): value is JsonValue {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return true;
  if (Array.isArray(value)) return value.every((item) => isJson(item));
  const plain = typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype;
  return plain && Object.values(value).every((item) => isJson(item));
}
