/** Width and height of a video in pixels, 2 to 16,383 included, both even. */
export interface FrameSize {
  readonly width: number;
  readonly height: number;
}

/** One picture of a video, encoded with VP8. */
export interface EncodedFrame {
  readonly data: Uint8Array;
  /** Whether it can be shown without the pictures before it. */
  readonly isKey: boolean;
  /** Its place in the video, in whole milliseconds from 0. */
  readonly timeMs: number;
}

/** When a picture is shown, and whether the video can be entered there. */
export interface FramePlace {
  readonly timeMs: number;
  readonly isKey: boolean;
}

/** Makes a video of pictures, one by one. Nothing but its owner can reach it. */
export interface FrameEncoder {
  /**
   * Encodes a JPEG, fitted into the video's size with its own proportions. Rejects when the picture cannot be read, or the encoder
   * has ended: then another one goes on with a key frame.
   */
  encode(jpeg: Uint8Array, place: FramePlace): Promise<EncodedFrame[]>;
  /** Ends it; idempotent, and without effect on one that has ended by itself. */
  close(): Promise<void>;
}
