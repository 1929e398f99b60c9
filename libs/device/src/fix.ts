import type { CodeFacts } from './codes.ts';
import type { DevicePoint } from './payload.ts';

/** What the point of an event is worth (device contract, section 1, bad fix or sentinel). */
export type Fix =
  | { readonly kind: 'usable'; readonly latitude: number; readonly longitude: number; readonly stale: boolean }
  /** 0,0 of a device that knows no position. */
  | { readonly kind: 'zero' }
  /** No point, or coordinates that are none. */
  | { readonly kind: 'none' };

const none: Fix = { kind: 'none' };
const zero: Fix = { kind: 'zero' };

/** Judges a point; an absent one is null. */
export const readFix = (point: DevicePoint | null, code: CodeFacts): Fix => {
  if (point === null) return none;
  const { latitude, longitude, gpsFix } = point;
  if (latitude === null || longitude === null || Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return none;
  const withoutFix = gpsFix === 0 || typeof gpsFix !== 'number';
  if (latitude === 0 && longitude === 0 && (withoutFix || code.zeroIsNoFix)) return zero;
  return { kind: 'usable', latitude, longitude, stale: gpsFix === 0 };
};
