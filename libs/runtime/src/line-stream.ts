/** A stream that accepts lines, such as standard output. */
type LineStream = Pick<NodeJS.WriteStream, 'write' | 'writableLength' | 'on' | 'listeners'>;

/** Maximum bytes buffered for a slow reader; later lines are dropped. */
const maxPendingBytes = 1_048_576;

const ignore = (): void => undefined;

/** Makes a stream drop lines once its reader, disk or terminal is gone; otherwise its error would end the process. */
export const tolerateErrors = (stream: Pick<LineStream, 'on' | 'listeners'>): void => {
  if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
};

/** Writes log lines to a stream. Never throws or blocks the caller, and memory stays bounded, whatever happens to the reader. */
export const lineWriter = (stream: LineStream): ((line: string) => void) => {
  tolerateErrors(stream);
  return (line) => {
    if (stream.writableLength < maxPendingBytes) stream.write(line);
  };
};
