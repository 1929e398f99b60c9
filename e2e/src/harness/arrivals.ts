import { check, type SentEvent } from './checker.ts';
import { ingestLogItems, readIngestLog, type IngestLogLine, type PlatformProcess } from './platform.ts';

/** Items that the platform received, read incrementally: reading a long log at once would delay this process and its measurements. */
export interface Arrivals {
  /** Lines so far; grows with `read`. */
  readonly lines: readonly IngestLogLine[];
  read(): Promise<readonly IngestLogLine[]>;
  /** Whether each of these events is stored, each of its parts at least once. */
  complete(owed: readonly SentEvent[]): Promise<boolean>;
}

/**
 * Follows the ingest log.
 * @param sources leaves out the lines of others
 */
export const followArrivals = (
  platform: Pick<PlatformProcess, 'ingestLogFrom'>,
  sources?: readonly string[],
): Arrivals => {
  const lines: IngestLogLine[] = [];
  const wanted = sources && new Set(sources);
  let since = 0;
  const read = async (): Promise<readonly IngestLogLine[]> => {
    since = await readIngestLog(platform, since, (some) =>
      lines.push(...some.filter(({ item }) => wanted?.has(item.source) ?? true)),
    );
    return lines;
  };
  return {
    lines,
    read,
    complete: async (owed) => check(owed, ingestLogItems(await read()), { count: 0, inFlight: 0 }).lost === 0,
  };
};
