import { isObject } from '@ranger-relay/errors';
import { readNumber } from '@ranger-relay/runtime';

/** The reference point of a text in the vendor's units: degrees, metres, km/h, degrees true. */
export interface ReferencePoint {
  readonly LocationType: number;
  readonly Altitude: number;
  readonly Speed: number;
  readonly Course: number;
  readonly Coordinate: { readonly Latitude: number; readonly Longitude: number };
}

/** A number within the vendor's range; undefined for any other value, for which the vendor would refuse the whole text. */
const within = (value: unknown, low: number, high: number): number | undefined => {
  const number = readNumber(value);
  return typeof number === 'number' && number >= low && number <= high ? number : undefined;
};

const wrapped = (degrees: number): number => {
  if (degrees > 180) return degrees - 360;
  return degrees < -180 ? degrees + 360 : degrees;
};

/**
 * Reads the `ReferencePoint` of a text (device contract, section 5). Undefined unless both coordinates can be read, because a place that
 * nobody named must not reach a device. What else is missing or out of range is 0. The label is left out: its characters count as text.
 */
export const readReferencePoint = (value: unknown): ReferencePoint | undefined => {
  const point = isObject(value) ? value : {};
  const coordinate = isObject(point['Coordinate']) ? point['Coordinate'] : {};
  const latitude = within(coordinate['Latitude'], -90, 90);
  const longitude = within(coordinate['Longitude'], -360, 360);
  if (latitude === undefined || longitude === undefined) return undefined;
  return {
    LocationType: within(point['LocationType'], 1, 1) ?? 0,
    Altitude: within(point['Altitude'], -1_000, 18_000) ?? 0,
    Speed: within(point['Speed'], 0, 1_854) ?? 0,
    Course: within(point['Course'], -360, 360) ?? 0,
    Coordinate: { Latitude: latitude, Longitude: wrapped(longitude) },
  };
};
