/** A point of the watched page in CSS pixels. */
export interface PagePoint {
  readonly x: number;
  readonly y: number;
}

/** Canvas with the picture of the page. */
export interface Screen {
  readonly canvas: HTMLCanvasElement;
  /** Shows a frame received over the connection. */
  take(message: ArrayBuffer): void;
  /** Shows nothing until the next frame. */
  blank(): void;
  /** Converts a point of this window to a point of the watched page. */
  toPage(clientX: number, clientY: number): PagePoint;
}

/** Bytes before the JPEG: frame number (4), width (2) and height (2) of the page, big endian. */
const headBytes = 8;

/**
 * Creates the screen. It draws one frame at a time, always the newest, and then calls `shown` with the number of the
 * frame, even if the frame could not be drawn. While this page is hidden, the newest frame is kept and not reported, so
 * the service waits for its acknowledgement.
 */
export function createScreen(canvas: HTMLCanvasElement, stage: HTMLElement, shown: (picture: number) => void): Screen {
  const context = canvas.getContext('2d');
  const size = { width: canvas.width, height: canvas.height };
  let waiting: ArrayBuffer | null = null;
  let isDrawing = false;
  /** Number of calls of `blank`. A frame that was received before such a call is not drawn. */
  let blanks = 0;

  const fit = (): void => {
    const scale = Math.min(stage.clientWidth / size.width, stage.clientHeight / size.height);
    canvas.style.width = `${Math.floor(size.width * scale)}px`;
    canvas.style.height = `${Math.floor(size.height * scale)}px`;
  };
  const draw = async (message: ArrayBuffer): Promise<void> => {
    const head = new DataView(message);
    const blanksBefore = blanks;
    try {
      const picture = await createImageBitmap(new Blob([message.slice(headBytes)], { type: 'image/jpeg' }));
      if (blanks !== blanksBefore) return picture.close();
      [size.width, size.height] = [head.getUint16(4), head.getUint16(6)];
      // Setting the size of a canvas clears it, so it is set only when it changes.
      if (canvas.width !== picture.width) canvas.width = picture.width;
      if (canvas.height !== picture.height) canvas.height = picture.height;
      context?.drawImage(picture, 0, 0);
      picture.close();
      fit();
    } finally {
      // Also for a frame that could not be drawn, because the next frame may succeed.
      shown(head.getUint32(0));
    }
  };
  const drawNext = async (): Promise<void> => {
    if (isDrawing || document.hidden) return;
    isDrawing = true;
    try {
      while (waiting !== null) {
        const message = waiting;
        waiting = null;
        await draw(message);
      }
    } finally {
      isDrawing = false;
    }
  };
  new ResizeObserver(fit).observe(stage);
  document.addEventListener('visibilitychange', () => void drawNext());
  return {
    canvas,
    take(message) {
      waiting = message;
      void drawNext();
    },
    blank() {
      waiting = null;
      blanks += 1;
      context?.clearRect(0, 0, canvas.width, canvas.height);
    },
    toPage(clientX, clientY) {
      const box = canvas.getBoundingClientRect();
      const x = ((clientX - box.left) / box.width) * size.width;
      const y = ((clientY - box.top) / box.height) * size.height;
      return { x: Math.round(x * 10) / 10, y: Math.round(y * 10) / 10 };
    },
  };
}
