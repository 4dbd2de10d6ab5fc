import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { type MetricName, durationBuckets, metricNames } from './names.ts';

/** Makes the figures of one registry, each of them once. */
export interface MeterMaker {
  counter<Label extends string>(name: MetricName, labels: readonly Label[]): Counter<Label>;
  histogram<Label extends string>(name: MetricName, labels: readonly Label[]): Histogram<Label>;
  /** Read anew for each answer. */
  gauge<Label extends string>(
    name: MetricName,
    labels: readonly Label[],
    read: (gauge: Gauge<Label>) => void | Promise<void>,
  ): void;
}

/** A maker for a registry of its own: nothing is kept in that of the package, which is global. */
export function createMeterMaker(registry: Registry): MeterMaker {
  const registers = [registry];
  return {
    counter: (name, labels) => new Counter({ name, help: metricNames[name], labelNames: labels, registers }),
    histogram: (name, labels) =>
      new Histogram({ name, help: metricNames[name], labelNames: labels, registers, buckets: [...durationBuckets] }),
    gauge(name, labels, read) {
      const gauge: Gauge<(typeof labels)[number]> = new Gauge({
        name,
        help: metricNames[name],
        labelNames: labels,
        registers,
        collect(): void | Promise<void> {
          gauge.reset();
          return read(gauge);
        },
      });
    },
  };
}
