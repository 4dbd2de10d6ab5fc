import { randomUUID } from 'node:crypto';
import {
  type Resource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';

/** Who sends spans: one process of a service. What `OTEL_RESOURCE_ATTRIBUTES` says is taken, but for the name. */
export function resourceOf(name: string): Resource {
  return detectResources({ detectors: [resourceAttributesEnvDetector] }).merge(
    resourceFromAttributes({ 'service.name': name, 'service.instance.id': randomUUID() }),
  );
}
