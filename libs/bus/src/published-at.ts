import type { BusRecord } from './port.ts';

/** Header of a record that was moved to another topic: when it was first published, ms since 1970. */
export const publishedAtHeader = 'published-at';

/** When a record was first published: its own time, or an earlier one that its header gives. */
export const publishedAt = (headers: BusRecord['headers'], timestamp: number): number => {
  const first = Number(headers[publishedAtHeader]);
  return first > 0 && first < timestamp ? first : timestamp;
};

/** Headers of a copy on another topic: what waits there is as old as it was before. */
export const movedHeaders = ({
  headers,
  timestamp,
}: Pick<BusRecord, 'headers' | 'timestamp'>): BusRecord['headers'] => ({
  ...headers,
  [publishedAtHeader]: String(timestamp),
});
