import type { Observation, Volume } from './records.ts';
import { rowsOf, type Rows } from './rows.ts';

/** A part of time, ms since 1970: from `from` to before `to`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

/** Id of the nth observation that is made up. */
export const volumeId = (n: number): string => `0b5e0000-0000-4000-8000-${hex(n, 12)}`;

const none = rowsOf<Observation>([]);

/** Time, place and id follow from the number alone, so that no memory is needed for any count. */
const made = (n: number, at: number, source: string): Observation => ({
  id: volumeId(n),
  recorded_at: new Date(at).toISOString(),
  created_at: new Date(at + 60_000).toISOString(),
  source,
  location: { longitude: 36 + (n % 1_000) / 1_000, latitude: -1 - (n % 777) / 777 },
  exclusion_flags: 0,
  device_status_properties: [{ label: 'battery', value: 100 - (n % 100), units: '%' }],
  observation_details: { speed: (n % 90) / 2, altitude: 1_600 + (n % 50) },
});

/** The rows of a volume within a span, of one source or of all (null), in order of time. */
export const volumeRows = (
  { count, start, end }: Volume,
  sources: readonly string[],
  source: string | null,
  span: Span,
): Rows<Observation> => {
  const [begin, stop] = [Date.parse(start), Date.parse(end)];
  const timeOf = (n: number): number => begin + Math.floor((n * (stop - begin)) / count);
  /** The first one that is recorded at or after an instant. */
  const firstAt = (ms: number): number => {
    let n = Math.min(count, Math.max(0, Math.floor(((ms - begin) * count) / (stop - begin)) - 2));
    while (n < count && timeOf(n) < ms) n += 1;
    return n;
  };
  const [low, high] = [firstAt(span.from), firstAt(span.to)];
  const step = source === null ? 1 : sources.length;
  const turn = source === null ? 0 : sources.indexOf(source);
  if (sources.length === 0 || turn < 0) return none;
  const first = low + ((((turn - low) % step) + step) % step);
  return {
    length: Math.max(0, Math.ceil((high - first) / step)),
    at(index) {
      const n = first + index * step;
      return made(n, timeOf(n), sources[n % sources.length] as string);
    },
  };
};
