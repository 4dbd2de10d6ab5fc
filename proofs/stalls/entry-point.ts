import type { Draw } from '../draw.ts';
import type { ServiceKind, WatchedService } from './watched-service.ts';

/** Sends one input that is drawn, and waits until the service has dealt with it. Returns what came of it, in a word. */
export type SendInput = (draw: Draw) => Promise<string>;

/** One place at which a service takes foreign input. */
export interface EntryPoint {
  /** Unique; a part of it selects the entry point. */
  readonly name: string;
  /** The service that it belongs to. @defaultValue simulated browsers */
  readonly service?: ServiceKind;
  /** Prepares what its inputs need. What it opens is ended by the service's `owned`. */
  open(service: WatchedService): Promise<SendInput>;
}
