/** Folders of Chromium's user data that it fills again by itself, and files that belong to one process. */
const leftOut = new Set([
  'BrowserMetrics',
  'Cache',
  'Code Cache',
  'Crash Reports',
  'Crashpad',
  'DawnCache',
  'DawnGraphiteCache',
  'DawnWebGPUCache',
  'GPUCache',
  'GPUPersistentCache',
  'GrShaderCache',
  'GraphiteDawnCache',
  'Safe Browsing',
  'Shared Dictionary',
  'ShaderCache',
  'SingletonCookie',
  'SingletonLock',
  'SingletonSocket',
  'DevToolsActivePort',
  'component_crx_cache',
  'extensions_crx_cache',
  'optimization_guide_model_store',
  'segmentation_platform',
]);

/** Folders of user data whose parts are looked at by name: their own ones, and those of the one profile in them. */
const depthMax = 2;

/** Whether a part of the user data is not kept: `depth` is 1 for the parts of the folder itself. What pages store lies deeper. */
export function isLeftOut(name: string, depth: number): boolean {
  return depth <= depthMax && leftOut.has(name);
}
