import { RelayError } from '@ranger-relay/errors';
import { quote } from '../describe.ts';
import type { Manifest } from '../model.ts';
import { canonicalZone } from './zone.ts';

/**
 * Holds the timezone that a person named against that of the bundle. Names of one zone are equal; zones that only share an offset are not
 * (bundle contract, 1, and the timezone rules of the command).
 * @returns warnings: that the zone was inferred and nobody has said that it is right
 * @throws RelayError `timezone_mismatch` when they differ; the remedy is an export with EXT_TIMEZONE set
 */
export const assertTimezone = ({ timezone }: Pick<Manifest, 'timezone'>, wanted?: string): readonly string[] => {
  if (wanted !== undefined) {
    const canonical = canonicalZone(wanted.trim());
    if (canonical === timezone.canonical) return [];
    const named = canonical === null ? `${quote(wanted)}, which is no name of a timezone` : wanted;
    throw new RelayError('timezone_mismatch', { details: { timezone: timezone.name, wanted: named } });
  }
  if (timezone.source === 'configured') return [];
  return [
    `the timezone ${timezone.name} of the bundle was inferred from waypoint positions; say --timezone ${timezone.name} if it is right, ` +
      'otherwise re-export with the environment variable EXT_TIMEZONE set',
  ];
};
