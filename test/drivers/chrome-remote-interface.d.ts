/**
 * Types of those members of chrome-remote-interface that the test's example uses. The library itself contains no types.
 */
declare module 'chrome-remote-interface' {
  export interface Client {
    readonly Network: {
      enable(): Promise<object>;
      requestWillBeSent(handler: (params: { readonly request: { readonly url: string } }) => void): void;
    };
    readonly Page: {
      enable(sessionId?: string): Promise<object>;
      navigate(params: { readonly url: string }, sessionId?: string): Promise<object>;
      loadEventFired(sessionId?: string): Promise<object>;
    };
    readonly Runtime: {
      evaluate(params: { readonly expression: string }, sessionId?: string): Promise<{ result: { value: unknown } }>;
    };
    readonly Target: {
      getTargets(): Promise<{ targetInfos: { readonly targetId: string; readonly type: string }[] }>;
      attachToTarget(params: { readonly targetId: string; readonly flatten: true }): Promise<{ sessionId: string }>;
    };
    once(event: 'disconnect', handler: () => void): void;
    close(): Promise<void>;
  }
  export interface Place {
    readonly host: string;
    readonly port: number;
  }
  export interface Options extends Partial<Place> {
    /** The address of a browser or of a page, in place of host and port. */
    readonly target?: string;
    /** True to use the protocol description that the library contains. */
    readonly local?: boolean;
  }
  export default function CDP(options?: Options): Promise<Client>;
}
