/** A stream that takes lines, such as standard output. */
export type LineStream = Pick<NodeJS.WriteStream, 'write' | 'writableLength' | 'on' | 'listeners'>;

/** Bytes that wait for a reader that does not read; what comes behind them is dropped. */
const maxPendingBytes = 1_048_576;

const ignore = (): void => undefined;

/** From now on a stream whose reader, disk or terminal is gone drops what is written to it; without this its error ends the process. */
export const tolerateErrors = (stream: Pick<LineStream, 'on' | 'listeners'>): void => {
  if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
};

/** Writes log lines to a stream. Whatever becomes of its reader, nothing is thrown, and neither memory nor the caller waits for it. */
export const lineWriter = (stream: LineStream): ((line: string) => void) => {
  tolerateErrors(stream);
  return (line) => {
    if (stream.writableLength < maxPendingBytes) stream.write(line);
  };
};
