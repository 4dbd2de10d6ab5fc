import type { Tool } from '../tool.ts';
import { ELEMENT_TOOLS } from './element-tools.ts';
import { FILE_TOOLS } from './file-tools.ts';
import { LOOKING_TOOLS, PICTURE_TOOL } from './looking-tools.ts';
import { PAGE_TOOLS } from './page-tools.ts';
import { TAB_TOOLS } from './tab-tools.ts';

/** What a model may call besides `finish`: what a person could do in the browser, and the files. */
export function allTools(seesImages: boolean, more: readonly Tool[]): readonly Tool[] {
  const pictures = seesImages ? [PICTURE_TOOL] : [];
  return [...PAGE_TOOLS, ...ELEMENT_TOOLS, ...TAB_TOOLS, ...FILE_TOOLS, ...LOOKING_TOOLS, ...pictures, ...more];
}
