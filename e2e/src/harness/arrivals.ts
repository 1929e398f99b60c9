import { check, type SentEvent } from './checker.ts';
import { ingestLogItems, readIngestLog, type IngestLogLine, type PlatformProcess } from './platform.ts';

/** What has come to the platform's door, read on from where the last look ended: long logs would hold up this process and what it measures. */
export interface Arrivals {
  /** Lines so far; grows with `read`. */
  readonly lines: readonly IngestLogLine[];
  read(): Promise<readonly IngestLogLine[]>;
  /** Whether each of these events is stored, each of its parts at least once. */
  complete(owed: readonly SentEvent[]): Promise<boolean>;
}

/**
 * Follows the door log.
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
