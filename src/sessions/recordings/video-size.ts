import type { VideoSize } from './webm/webm-head.ts';

/** The size of a video of such pictures: no side longer than `sideMax`, in proportion, and both even, as encoders want them. */
export function videoSize({ width, height }: VideoSize, sideMax: number): VideoSize {
  const scale = Math.min(1, sideMax / Math.max(width, height));
  const even = (side: number): number => Math.max(2, Math.floor((side * scale) / 2) * 2);
  return { width: even(width), height: even(height) };
}
