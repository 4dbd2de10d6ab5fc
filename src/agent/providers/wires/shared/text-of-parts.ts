import type { ModelPart } from '../../../model/model-call.ts';

/** A picture among the parts. */
export type ImagePart = Extract<ModelPart, { readonly kind: 'image' }>;

/** The text of all parts, one below the other. */
export function textOfParts(parts: readonly ModelPart[]): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
}

/** The pictures among the parts. */
export function imagesOf(parts: readonly ModelPart[]): readonly ImagePart[] {
  return parts.filter((part) => part.kind === 'image');
}

/** What a picture's bytes are on a wire of JSON. */
export function base64Of({ bytes }: ImagePart): string {
  return Buffer.from(bytes).toString('base64');
}

/** A picture as an address that holds it. */
export function dataUrlOf(part: ImagePart): string {
  return `data:${part.mediaType};base64,${base64Of(part)}`;
}
