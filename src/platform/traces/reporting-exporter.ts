import type { SpanExporter } from '@opentelemetry/sdk-trace';

/** Told how sending goes; `error` says why spans were not sent, and is none once it works again. */
export type Report = (word: 'unsent' | 'sent again', error?: unknown) => void;

/** OpenTelemetry's `ExportResultCode.SUCCESS`. */
const success = 0;

/** An exporter that tells once when sending begins to fail, and once when it works again: a collector that is down for a day is one line. */
export function reportingExporter(exporter: SpanExporter, report: Report): SpanExporter {
  let isFailing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const code: number = result.code;
        const failed = code !== success;
        if (failed && !isFailing) report('unsent', result.error);
        if (!failed && isFailing) report('sent again');
        isFailing = failed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}
