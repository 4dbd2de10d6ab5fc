import { emitTables } from '../emit.ts';
import { pictureName } from './introduction.ts';
import { type Machine, movesOf } from './moves.ts';
import { lifeCyclePicture } from './picture.ts';

/** A module that holds the pictures of all life cycles, by the names of their places in the introductions. */
export function picturesModule(machines: readonly Machine[]): string {
  const pictures = machines.map((machine) => [pictureName(machine), lifeCyclePicture(machine, movesOf(machine))]);
  return emitTables([
    {
      name: 'lifeCyclePictures',
      comment: 'SVG elements of the life cycles, by the class of the element of an introduction that shows them.',
      value: Object.fromEntries(pictures),
    },
  ]);
}
