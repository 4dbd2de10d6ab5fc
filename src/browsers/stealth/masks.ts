import type { PerformanceEntry } from 'node:perf_hooks';

/** A call of something native that stands behind a mask. */
export interface MaskedCall {
  readonly self: unknown;
  readonly args: readonly unknown[];
  /** Calls what is behind the mask, as it was called. */
  native(): unknown;
}

/** Puts functions of ours before native ones so that a page sees the native ones. */
export interface Mask {
  /** The object at a path from the global object, or null. */
  at(...path: readonly string[]): object | null;
  /** Wraps a method with `act`; does nothing when it does not exist. */
  method(owner: object | null, name: string, act: (call: MaskedCall) => unknown): void;
  /** Wraps a getter with `read`; does nothing when it does not exist. */
  getter(owner: object | null, name: string, read: (call: MaskedCall) => unknown): void;
  /** The same function; its text says that it is native. */
  opaque<Given extends object>(given: Given): Given;
}

/**
 * Makes the tools of the other functions of this folder. Runs in the page, from its source text, so it is complete in itself.
 * A proxy before a native function keeps its name, length and receiver, and its text names no source, also when it is asked
 * from another realm. What is used later is kept from the start, before a page can replace it.
 */
export function createMask(): Mask {
  const { apply, defineProperty, getOwnPropertyDescriptor, get } = Reflect;
  const { create } = Object;
  const ProxyOf = Proxy;
  const isObject = (value: unknown): value is object =>
    (typeof value === 'object' && value !== null) || typeof value === 'function';
  // Without a prototype: what a page adds to all objects is no trap of ours.
  const before = <Native extends Function>(native: Native, act: (call: MaskedCall) => unknown): Native => {
    const traps: ProxyHandler<Native> = create(null);
    traps.apply = (target, self: unknown, args: unknown[]) =>
      act({ self, args, native: () => apply(target, self, args) });
    return new ProxyOf(native, traps);
  };
  return {
    at(...path) {
      let found: unknown = globalThis;
      for (const name of path) found = isObject(found) ? get(found, name) : undefined;
      return isObject(found) ? found : null;
    },
    method(owner, name, act) {
      const found = owner === null ? undefined : getOwnPropertyDescriptor(owner, name);
      if (owner === null || typeof found?.value !== 'function') return;
      defineProperty(owner, name, { ...found, value: before(found.value, act) });
    },
    getter(owner, name, read) {
      const found = owner === null ? undefined : getOwnPropertyDescriptor(owner, name);
      if (owner === null || found?.get === undefined) return;
      defineProperty(owner, name, { ...found, get: before(found.get, read) });
    },
    opaque: (given) => new ProxyOf(given, create(null)),
  };
}

/**
 * Gives a page the `chrome` object that it finds in a Chrome with a window, where it has none (the headless shell). Runs in the
 * page, from its source text, so it is complete in itself.
 */
export function addChromeObject(mask: Mask): void {
  const { defineProperty, has } = Reflect;
  if (has(globalThis, 'chrome') || mask.at('document') === null) return;
  const timing = performance;
  const { round } = Math;
  /** Seconds since 1970 of a moment of the page's loading, 0 before it. */
  const at = (moment: string): number => {
    const value: unknown = Reflect.get(Reflect.get(timing, 'timing'), moment);
    return typeof value === 'number' ? value / 1000 : 0;
  };
  const entryOf = (type: string): PerformanceEntry | undefined =>
    timing.getEntries().find((entry) => Reflect.get(entry, 'entryType') === type);
  const connection = (): string => {
    const entry = entryOf('navigation');
    const protocol: unknown = entry === undefined ? '' : Reflect.get(entry, 'nextHopProtocol');
    return typeof protocol === 'string' && protocol !== '' ? protocol : 'unknown';
  };
  // Passed on, so that they have no name, as the native ones.
  const loadTimes = mask.opaque(function () {
    const isFast = connection() === 'h2' || connection() === 'h3';
    return {
      requestTime: at('navigationStart'),
      startLoadTime: at('navigationStart'),
      commitLoadTime: at('responseStart'),
      finishDocumentLoadTime: at('domContentLoadedEventEnd'),
      finishLoadTime: at('loadEventEnd'),
      firstPaintTime: ((entryOf('paint')?.startTime ?? 0) + timing.timeOrigin) / 1000,
      firstPaintAfterLoadTime: 0,
      navigationType: 'Other',
      wasFetchedViaSpdy: isFast,
      wasNpnNegotiated: isFast,
      npnNegotiatedProtocol: isFast ? connection() : 'unknown',
      wasAlternateProtocolAvailable: false,
      connectionInfo: connection(),
    };
  });
  const csi = mask.opaque(function () {
    const startE = round(at('navigationStart') * 1000);
    return { startE, onloadT: round(at('domContentLoadedEventEnd') * 1000), pageT: timing.now(), tran: 15 };
  });
  // No constructors, like the native ones.
  const methods = {
    getDetails: () => null,
    getIsInstalled: () => false,
    installState: () => undefined,
    runningState: () => 'cannot_run',
  };
  const app = {
    isInstalled: false,
    getDetails: mask.opaque(methods.getDetails),
    getIsInstalled: mask.opaque(methods.getIsInstalled),
    installState: mask.opaque(methods.installState),
    runningState: mask.opaque(methods.runningState),
    InstallState: { DISABLED: 'disabled', INSTALLED: 'installed', NOT_INSTALLED: 'not_installed' },
    RunningState: { CANNOT_RUN: 'cannot_run', READY_TO_RUN: 'ready_to_run', RUNNING: 'running' },
  };
  const value = { loadTimes, csi, app };
  defineProperty(globalThis, 'chrome', { value, writable: true, enumerable: true, configurable: true });
}

/** The viewers that every Chrome with a window lists, all for the same types. */
export interface PdfPlugins {
  readonly names: readonly string[];
  readonly types: readonly string[];
  readonly filename: string;
  readonly suffixes: string;
  readonly description: string;
}

/** Lists that stand for native ones, and what their members are. */
export interface BuiltPlugins {
  readonly plugins: object;
  readonly mimeTypes: object;
  /** The members of one of these objects, `list` being its entries by name; undefined for every other object. */
  readonly recall: (object: object) => Readonly<Record<string, unknown>> | undefined;
}

/**
 * Builds the plugin and type lists of a page out of objects with the native prototypes and no members of their own. Runs in the
 * page, from its source text, so it is complete in itself.
 */
export function buildPlugins(mask: Mask, { names, types, ...shared }: PdfPlugins): BuiltPlugins {
  const { defineProperty } = Reflect;
  const { create } = Object;
  const facts = new WeakMap<object, Readonly<Record<string, unknown>>>();
  const [recall, remember] = [facts.get.bind(facts), facts.set.bind(facts)];
  const objectOf = (kind: string, members: Readonly<Record<string, unknown>>): object => {
    const made: object = create(mask.at(kind, 'prototype'));
    remember(made, members);
    return made;
  };
  type Entry = readonly [name: string, object: object];
  const fill = (list: object, entries: readonly Entry[]): void => {
    entries.forEach(([, value], index) =>
      defineProperty(list, String(index), { value, enumerable: true, writable: false, configurable: true }),
    );
    for (const [name, value] of entries)
      defineProperty(list, name, { value, enumerable: false, writable: false, configurable: true });
  };
  const listOf = (kind: string, entries: readonly Entry[]): object => {
    const list = objectOf(kind, { length: entries.length, list: entries });
    fill(list, entries);
    return list;
  };
  const pluginOf = (name: string): { readonly entry: Entry; readonly mimeTypes: readonly Entry[] } => {
    const mimeTypes: Entry[] = [];
    const plugin = objectOf('Plugin', { ...shared, name, length: types.length, list: mimeTypes });
    for (const type of types) mimeTypes.push([type, objectOf('MimeType', { ...shared, type, enabledPlugin: plugin })]);
    fill(plugin, mimeTypes);
    return { entry: [name, plugin], mimeTypes };
  };
  const made = names.map(pluginOf);
  return {
    plugins: listOf(
      'PluginArray',
      made.map(({ entry }) => entry),
    ),
    // Of the types the first viewer's are listed.
    mimeTypes: listOf('MimeTypeArray', made[0]?.mimeTypes ?? []),
    recall,
  };
}
