/** A white JPEG of 16 x 10 pixels, as Chromium encodes it. */
const WHITE_JPEG =
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////2wBDAf//////////////////////////////////////////////////////////////////////////////////////wAARCAAKABADASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAP/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFAEBAAAAAAAAAAAAAAAAAAAAAP/EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAMAwEAAhEDEQA/AKAA/9k=';

const frame = Buffer.from(WHITE_JPEG, 'base64');

/** The picture that a simulated browser shows; a fresh copy, so that nobody can change everybody's. */
export function placeholderFrame(): Uint8Array {
  return Buffer.from(frame);
}
