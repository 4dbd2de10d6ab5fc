import type { Mask } from './create-mask.ts';

/**
 * A headless shell says at one place that notifications are forbidden and at another that they can be asked for; a browser
 * says the same at both. Runs in the page, from its source text, so it is complete in itself.
 */
export function openNotifications(mask: Mask): void {
  // Pages without encryption may not ask in any browser.
  if (Reflect.get(globalThis, 'isSecureContext') !== true || Reflect.has(globalThis, 'chrome')) return;
  mask.getter(mask.at('Notification'), 'permission', (call) => {
    const value = call.native();
    return value === 'denied' ? 'default' : value;
  });
}
