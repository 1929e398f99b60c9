import type { Row } from './lists.ts';
import type { Harness } from './harness.ts';

const iso = (ms: number): string => new Date(ms).toISOString();

/** Id of a source by number. */
export const source = (n: number): string => `5c000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** A row on its way to the site; times are true ones, ms since 1970. */
export interface Arrival {
  readonly recordedAt: number;
  readonly source: number;
  /** When the site gets and stamps it. */
  readonly savedAt: number;
  /** When its transaction ends. */
  readonly shownAt: number;
}

/** Has rows come to the site of a world by a clock of its own. */
export const arriving = (harness: Harness, arrivals: readonly Arrival[], offsetAt: (at: number) => number): void => {
  const rows: readonly (readonly [number, Row])[] = arrivals.map(
    ({ recordedAt, savedAt, shownAt, source: n }, index) => [
      shownAt,
      {
        id: `o${index}`,
        recorded_at: iso(recordedAt),
        created_at: iso(savedAt + offsetAt(savedAt)),
        source: source(n),
        location: { longitude: 1, latitude: 1 },
      },
    ],
  );
  harness.site.now = () => harness.clock.now() + offsetAt(harness.clock.now());
  Object.defineProperty(harness.site, 'observations', {
    get: () => rows.flatMap(([shownAt, row]) => (shownAt <= harness.clock.now() ? [row] : [])),
  });
};
