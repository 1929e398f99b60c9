/** Largest event without its media, bytes of JSON. */
export const eventBytesLimit = 256 * 1024;

const withoutMedia = (key: string, value: unknown): unknown => (key === 'mediaBytes' ? undefined : value);

/**
 * Whether an event is over the limit without its `mediaBytes`. Measuring costs as much as serialising, so the size of the body it came in
 * spares it where the whole is below. The depth of the event must be bounded before.
 */
export const isTooLarge = (event: unknown, bodyBytes: number): boolean =>
  bodyBytes > eventBytesLimit &&
  typeof event === 'object' &&
  event !== null &&
  Buffer.byteLength(JSON.stringify(event, withoutMedia)) > eventBytesLimit;
