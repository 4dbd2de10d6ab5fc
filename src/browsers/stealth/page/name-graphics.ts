import type { Mask } from './create-mask.ts';

/** What WebGL says that it draws with. */
export interface GraphicsNames {
  readonly vendor: string;
  readonly renderer: string;
}

/**
 * Names a graphics card where pictures are drawn in software, which only machines without a screen do. A real card keeps its
 * name. Runs in pages and workers, from its source text, so it is complete in itself.
 */
export function nameGraphics(mask: Mask, { vendor, renderer }: GraphicsNames): void {
  // UNMASKED_VENDOR_WEBGL and UNMASKED_RENDERER_WEBGL of WEBGL_debug_renderer_info, and how software is named there.
  const kinds = [
    { parameter: 0x9245, inSoftware: /^Google Inc\. \((?:Google|Mesa)\)$/, named: vendor },
    { parameter: 0x9246, inSoftware: /SwiftShader|llvmpipe/, named: renderer },
  ];
  for (const context of ['WebGLRenderingContext', 'WebGL2RenderingContext']) {
    mask.method(mask.at(context, 'prototype'), 'getParameter', (call) => {
      const value = call.native();
      if (typeof value !== 'string') return value;
      for (const { parameter, inSoftware, named } of kinds)
        if (parameter === call.args[0] && inSoftware.test(value)) return named;
      return value;
    });
  }
}
