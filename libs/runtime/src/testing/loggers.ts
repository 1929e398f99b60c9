import { createLogger, type Logger } from '../logger.ts';

/** One line a recording logger took. */
export type RecordedLine = Readonly<Record<string, unknown>>;

/** A logger that drops every line. */
export const silentLogger = (): Logger => createLogger({ level: 'silent', service: 'test' });

/** A logger whose lines can be read, as the JSON objects that would be printed. */
export const recordingLogger = (): { log: Logger; lines: RecordedLine[] } => {
  const lines: RecordedLine[] = [];
  const log = createLogger({
    level: 'debug',
    service: 'test',
    write: (line) => lines.push(JSON.parse(line) as RecordedLine),
  });
  return { log, lines };
};
