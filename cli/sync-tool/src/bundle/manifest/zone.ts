import { describe } from '../describe.ts';
import type { Manifest } from '../model.ts';
import type { Part } from '../records/members.ts';
import { canonicalZone } from '../time/zone.ts';
import type { PointAt } from './manifest-findings.ts';

/** The timezone of a manifest. A source that is not `configured` counts as inferred (bundle contract, 2). */
export const readTimezone = ({ members }: Part, point: PointAt): Manifest['timezone'] => {
  const { timezone: name, timezone_source: source } = members;
  const canonical = typeof name === 'string' ? canonicalZone(name) : null;
  if (typeof name === 'string' && canonical !== null)
    return { name, canonical, source: source === 'configured' ? 'configured' : 'inferred' };
  point('timezone').problem(
    `timezone must be UTC or the name of a zone as Asia/Manila, it is ${describe(name)}; re-export with EXT_TIMEZONE set`,
  );
  return { name: 'UTC', canonical: 'UTC', source: 'inferred' };
};
