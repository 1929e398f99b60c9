import { isObject } from '../payload.ts';

/** Where a text refers to, as the vendor takes it: degrees, metres, km/h, degrees true. */
export interface ReferencePoint {
  readonly LocationType: number;
  readonly Altitude: number;
  readonly Speed: number;
  readonly Course: number;
  readonly Coordinate: { readonly Latitude: number; readonly Longitude: number };
}

const numberOf = (value: unknown): number => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : 0;
};

/**
 * Reads a `ReferencePoint` (device contract, section 5): missing numbers are 0. A label is left out, it would take characters from the
 * text. Undefined when the platform gave none. Ranges are for the vendor to judge.
 */
export const readReferencePoint = (value: unknown): ReferencePoint | undefined => {
  if (!isObject(value)) return undefined;
  const coordinate = isObject(value['Coordinate']) ? value['Coordinate'] : {};
  return {
    LocationType: numberOf(value['LocationType']),
    Altitude: numberOf(value['Altitude']),
    Speed: numberOf(value['Speed']),
    Course: numberOf(value['Course']),
    Coordinate: { Latitude: numberOf(coordinate['Latitude']), Longitude: numberOf(coordinate['Longitude']) },
  };
};
