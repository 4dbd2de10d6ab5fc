import type { FormValues } from '../parts/form-values.ts';

/** The body of a request for a new run: only what was chosen, so that everything else is as the service has it. */
export function wantedRun(values: FormValues): Readonly<Record<string, unknown>> {
  const [ceiling, country, profile] = [values.text('ceiling'), values.text('country'), values.text('profile')];
  const browserSettings = {
    ...(country === '' ? {} : { proxyCountryCode: country === 'none' ? null : country }),
    ...(profile === '' ? {} : { profileId: profile }),
    ...(values.isTicked('record') ? { record: true } : {}),
  };
  return {
    task: values.text('task'),
    model: values.text('model'),
    ...(ceiling === '' ? {} : { maxCostUsd: ceiling }),
    ...(values.isTicked('inbox') ? { inbox: true } : {}),
    ...(Object.keys(browserSettings).length === 0 ? {} : { browserSettings }),
  };
}
