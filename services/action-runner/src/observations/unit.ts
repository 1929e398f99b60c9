import { isRelayError } from '@ranger-relay/errors';
import type { SiteQuery } from '@ranger-relay/site';
import { readFix, type Fix } from '../mapping/fix.ts';
import { recordOf } from '../mapping/source-event.ts';
import { ahead } from './ahead.ts';
import type { Unit } from './cursor.ts';
import type { PullParts } from './parts.ts';

const pageSize = 100;

/** Some sites leave out what was recorded at the bound itself; what lies before the unit is dropped here. */
const marginMs = 1;

const queryOf = ({ source, from, to }: Unit, size = pageSize): SiteQuery => ({
  since: new Date(from - marginMs).toISOString(),
  until: new Date(to).toISOString(),
  ...(source === null ? {} : { source_id: source }),
  filter: 'null',
  include_details: 'true',
  page_size: String(size),
  use_cursor: 'true',
});

const fixesIn = (rows: readonly unknown[], { source, from, to }: Unit): readonly Fix[] =>
  rows.flatMap((row) => {
    const fix = readFix(row, source);
    return fix && fix.at >= from && fix.at < to ? [fix] : [];
  });

const publish = async ({ context, integrationId, directory }: PullParts, fixes: readonly Fix[]): Promise<void> => {
  if (fixes.length === 0) return;
  await directory.learn(fixes.map(({ sourceId }) => sourceId));
  const origin = { integrationId, receivedAt: new Date(context.clock.now()).toISOString() };
  const records = fixes.map((fix) => recordOf(fix, directory.of(fix.sourceId), origin));
  context.signal.throwIfAborted();
  await context.tools.bus.publish(context.tools.sourceEventsTopic, records);
};

/**
 * Pulls one unit: every page is on the bus before this resolves with how many observations that were. The next page is fetched meanwhile.
 * @throws RelayError of the site or the bus
 */
export const pullUnit = async (parts: PullParts, unit: Unit): Promise<number> => {
  let count = 0;
  for await (const rows of ahead(parts.reader.pages('observations', queryOf(unit)))) {
    const fixes = fixesIn(rows, unit);
    await publish(parts, fixes);
    count += fixes.length;
  }
  return count;
};

/**
 * Whether a failed unit will fail for ever while others do not: the site refuses it, and answers a small question of the same kind. When it
 * refuses that too, nothing is wrong with the unit, and none may be passed over.
 * @throws RelayError of the site when it gives no answer at all
 */
export const isUnitsOwn = async ({ reader }: PullParts, { from }: Unit, error: unknown): Promise<boolean> => {
  if (!isRelayError(error, 'site_refused', 'site_not_found', 'site_forbidden', 'site_answer_unreadable')) return false;
  // What fails with 5xx may go well later (platform contract, runner).
  if (Number(error.details['status']) >= 500) return false;
  try {
    // Read as a list: a page that somebody else answers everything with is none.
    for await (const _ of reader.pages('observations', queryOf({ source: null, from, to: from + marginMs }, 1))) break;
    return true;
  } catch (other) {
    if (isRelayError(other) && other.next !== 'retry') return false;
    throw other;
  }
};
