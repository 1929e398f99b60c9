import { namesOffset, readInstant } from './instant.ts';
import { idOf, isRow, type Row } from './read.ts';

/** What one observation of the site says, as far as it can be used. */
export interface Fix {
  /** Id of the observation; what tells it from others when it has none. */
  readonly id: string;
  /** Id of the source at the site. */
  readonly sourceId: string;
  /** ms since 1970. */
  readonly at: number;
  /** As the site wrote it, with an offset. */
  readonly recordedAt: string;
  readonly location: { readonly lat: number; readonly lon: number };
  /** All other members. */
  readonly rest: Row;
}

const degrees = (value: unknown, most: number): number | undefined => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Math.abs(number) <= most ? number : undefined;
};

const locationOf = (value: unknown): Fix['location'] | undefined => {
  if (!isRow(value)) return undefined;
  const [lat, lon] = [degrees(value['latitude'], 90), degrees(value['longitude'], 180)];
  return lat === undefined || lon === undefined ? undefined : { lat, lon };
};

/**
 * Reads an observation; undefined without a time, a location or a source. `only` is the source that was asked for, when one was.
 */
export const readFix = (row: unknown, only: string | null): Fix | undefined => {
  if (!isRow(row)) return undefined;
  const { recorded_at: time, location: place, source, ...rest } = row;
  const at = readInstant(time);
  const location = locationOf(place);
  const sourceId = idOf(source) ?? only ?? undefined;
  if (at === undefined || location === undefined || sourceId === undefined) return undefined;
  const recordedAt = namesOffset(String(time)) ? String(time).trim() : new Date(at).toISOString();
  const id = idOf(row['id']) ?? [sourceId, recordedAt, location.lat, location.lon].join(' ');
  return { id, sourceId, at, recordedAt, location, rest };
};
