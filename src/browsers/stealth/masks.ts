import type { PerformanceEntry } from 'node:perf_hooks';

/** A call of a wrapped native function. */
export interface MaskedCall {
  readonly self: unknown;
  readonly args: readonly unknown[];
  /** Calls the native function with the receiver and arguments of this call. */
  native(): unknown;
}

/** Functions that replace native functions of a page, so that scripts of the page cannot see the replacement. */
export interface Mask {
  /**
   * Returns the object at a path of member names, starting at the global object; null if the path leads to no object.
   */
  at(...path: readonly string[]): object | null;
  /** Replaces a method of `owner` by `act`. Does nothing when `owner` has no such method. */
  method(owner: object | null, name: string, act: (call: MaskedCall) => unknown): void;
  /** Replaces a getter of `owner` by `read`. Does nothing when `owner` has no such getter. */
  getter(owner: object | null, name: string, read: (call: MaskedCall) => unknown): void;
  /** Returns a proxy of a function. Its source text looks like that of a native function. */
  opaque<Given extends object>(given: Given): Given;
}

/**
 * Creates the functions that replace native functions. A replacement is a proxy, which keeps name, length and receiver,
 * and whose source text looks native, even from another realm. All functions that it uses are stored before a page can
 * replace them. Runs in the page from its source text, so it is self-contained.
 */
export function createMask(): Mask {
  const { apply, defineProperty, getOwnPropertyDescriptor, get } = Reflect;
  const { create } = Object;
  const ProxyOf = Proxy;
  const isObject = (value: unknown): value is object =>
    (typeof value === 'object' && value !== null) || typeof value === 'function';
  // Without a prototype, so that members that a page adds to all objects are no traps.
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
 * Adds the `chrome` object of a non-headless Chrome if it is missing, as in a headless shell. Runs in the page from its
 * source text, so it is self-contained.
 */
export function addChromeObject(mask: Mask): void {
  const { defineProperty, has } = Reflect;
  if (has(globalThis, 'chrome') || mask.at('document') === null) return;
  const timing = performance;
  const { round } = Math;
  /** Returns the time of a loading event of the page in seconds since 1970; 0 if the event has not occurred. */
  const at = (moment: string): number => {
    const value: unknown = Reflect.get(Reflect.get(timing, 'timing'), moment);
    return typeof value === 'number' ? value / 1000 : 0;
  };
  const getEntry = (type: string): PerformanceEntry | undefined =>
    timing.getEntries().find((entry) => Reflect.get(entry, 'entryType') === type);
  const connection = (): string => {
    const entry = getEntry('navigation');
    const protocol: unknown = entry === undefined ? '' : Reflect.get(entry, 'nextHopProtocol');
    return typeof protocol === 'string' && protocol !== '' ? protocol : 'unknown';
  };
  // Passed as arguments, so that they have no name, like the native ones.
  const loadTimes = mask.opaque(function () {
    const isFast = connection() === 'h2' || connection() === 'h3';
    return {
      requestTime: at('navigationStart'),
      startLoadTime: at('navigationStart'),
      commitLoadTime: at('responseStart'),
      finishDocumentLoadTime: at('domContentLoadedEventEnd'),
      finishLoadTime: at('loadEventEnd'),
      firstPaintTime: ((getEntry('paint')?.startTime ?? 0) + timing.timeOrigin) / 1000,
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
  // Method syntax, because native methods are no constructors.
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

/** PDF plugins of a non-headless Chrome. All of them have the same MIME types. */
export interface PdfPlugins {
  readonly names: readonly string[];
  readonly types: readonly string[];
  readonly filename: string;
  readonly suffixes: string;
  readonly description: string;
}

/** Plugin list and type list that replace those of the page, and the member values of their objects. */
export interface BuiltPlugins {
  readonly plugins: object;
  readonly mimeTypes: object;
  /**
   * Returns the member values of one of these lists, or of a plugin or type in them. The member `list` of a list or
   * plugin contains its entries with their names. Undefined for every other object.
   */
  readonly recall: (object: object) => Readonly<Record<string, unknown>> | undefined;
}

/**
 * Builds a plugin list and a type list from objects with native prototypes. An object itself has only its entries as
 * properties; `recall` returns the values of its other members. Runs in the page from its source text, so it is
 * self-contained.
 */
export function buildPlugins(mask: Mask, { names, types, ...shared }: PdfPlugins): BuiltPlugins {
  const { defineProperty } = Reflect;
  const { create } = Object;
  const facts = new WeakMap<object, Readonly<Record<string, unknown>>>();
  const [recall, remember] = [facts.get.bind(facts), facts.set.bind(facts)];
  const getObject = (kind: string, members: Readonly<Record<string, unknown>>): object => {
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
  const createList = (kind: string, entries: readonly Entry[]): object => {
    const list = getObject(kind, { length: entries.length, list: entries });
    fill(list, entries);
    return list;
  };
  const getPlugin = (name: string): { readonly entry: Entry; readonly mimeTypes: readonly Entry[] } => {
    const mimeTypes: Entry[] = [];
    const plugin = getObject('Plugin', { ...shared, name, length: types.length, list: mimeTypes });
    for (const type of types) mimeTypes.push([type, getObject('MimeType', { ...shared, type, enabledPlugin: plugin })]);
    fill(plugin, mimeTypes);
    return { entry: [name, plugin], mimeTypes };
  };
  const made = names.map(getPlugin);
  return {
    plugins: createList(
      'PluginArray',
      made.map(({ entry }) => entry),
    ),
    // The type list has the types of the first viewer.
    mimeTypes: createList('MimeTypeArray', made[0]?.mimeTypes ?? []),
    recall,
  };
}
