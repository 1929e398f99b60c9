import { rowsOf, type Rows } from '../answers/paging.ts';
import type { Observation } from './records.ts';

/** Observations that are made up as they are read: spread evenly over a time and, in turn, over all sources of the site. */
export interface Volume {
  readonly count: number;
  /** ISO; the first one is recorded then, the last before `end`. */
  readonly start: string;
  readonly end: string;
  /** So many are recorded in one and the same second, as by devices that all report at the full hour; without it, each by itself. */
  readonly together?: number;
  /** Each so-manieth comes to the site so many seconds late. */
  readonly late?: { readonly every: number; readonly by_s: number };
}

/** Which rows, ms since 1970. */
export interface VolumeQuery {
  /** Recorded then or later. */
  readonly from: number;
  /** Recorded before. */
  readonly to: number;
  /** Come to the site then or later, by the machine's clock. */
  readonly cameFrom: number;
  /** Items that have not arrived by now are lost. */
  readonly now: number;
  /** Offset of the site's clock from the machine's. */
  readonly offsetMs: number;
  /** All when null. */
  readonly source: string | null;
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

/** Id of the nth observation that is made up. */
export const volumeId = (n: number): string => `0b5e0000-0000-4000-8000-${hex(n, 12)}`;

const none = rowsOf<Observation>([]);

/** From an observation to its arrival at the site, ms. */
const wayMs = 2_000;

const wayOf = ({ late }: Volume, n: number): number => wayMs + (late && n % late.every === 0 ? late.by_s * 1_000 : 0);

/** Time, place and id follow from the number alone, so that no memory is needed for any count. */
const made = (n: number, at: number, createdAt: number, source: string): Observation => ({
  id: volumeId(n),
  recorded_at: new Date(at).toISOString(),
  created_at: new Date(createdAt).toISOString(),
  source,
  location: { longitude: 36 + (n % 1_000) / 1_000, latitude: -1 - (n % 777) / 777 },
  exclusion_flags: 0,
  device_status_properties: [{ label: 'battery', value: 100 - (n % 100), units: '%' }],
  observation_details: { speed: (n % 90) / 2, altitude: 1_600 + (n % 50) },
});

/** The rows of a volume that a query finds, in order of time. */
export const volumeRows = (volume: Volume, sources: readonly string[], query: VolumeQuery): Rows<Observation> => {
  const { count, start, end, together, late } = volume;
  const { from, to, cameFrom, now, offsetMs, source } = query;
  const [begin, stop] = [Date.parse(start), Date.parse(end)];
  const evenly = (n: number): number => begin + Math.floor((n * (stop - begin)) / count);
  const timeOf = (n: number): number =>
    together === undefined ? evenly(n) : Math.floor(evenly(n - (n % together)) / 1_000) * 1_000;
  /** The first one that is recorded at or after an instant. */
  const firstAt = (ms: number): number => {
    if (!Number.isFinite(ms)) return ms > 0 ? count : 0;
    let n = Math.min(count, Math.max(0, Math.floor(((ms - begin) * count) / (stop - begin)) - 2));
    while (n < count && timeOf(n) < ms) n += 1;
    return n;
  };
  const row = (n: number): Observation =>
    made(n, timeOf(n), timeOf(n) + wayOf(volume, n) + offsetMs, sources[n % sources.length] as string);
  const maxDelayMs = wayMs + (late?.by_s ?? 0) * 1_000;
  const low = Math.max(firstAt(from), firstAt(cameFrom - maxDelayMs));
  const high = Math.min(firstAt(to), firstAt(now - wayMs + 1));
  const turn = source === null ? 0 : sources.indexOf(source);
  if (sources.length === 0 || turn < 0) return none;
  const step = source === null ? 1 : sources.length;
  const first = low + ((((turn - low) % step) + step) % step);
  const length = Math.max(0, Math.ceil((high - first) / step));
  if (!late) return { length, at: (index) => row(first + index * step) };
  const numbers = Array.from({ length }, (_, index) => first + index * step).filter((n) => {
    const came = timeOf(n) + wayOf(volume, n);
    return came >= cameFrom && came <= now;
  });
  return { length: numbers.length, at: (index) => row(numbers[index] as number) };
};
