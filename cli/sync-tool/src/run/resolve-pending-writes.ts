import type { RecordedChange } from '@ranger-relay/contracts';
import { isRelayError } from '@ranger-relay/errors';
import type { FormDocument, Site } from '@ranger-relay/site';
import { resourceOf } from '../resources/index.ts';
import type { RunFiles } from './files.ts';
import type { Entry, Outcome } from './journal.ts';
import { readFormBefore } from './record.ts';

/** A list that cannot be read leaves its entries open, and resolves the others. */
const tryToAsk = async (site: Site, change: RecordedChange, files: RunFiles): Promise<Outcome | undefined> => {
  try {
    return await resourceOf(change).reconcile(site, change, (file) => readFormBefore<FormDocument>(files, file));
  } catch (error) {
    if (!isRelayError(error) || isRelayError(error, 'site_unauthorized', 'site_redirected', 'internal')) throw error;
    return undefined;
  }
};

/**
 * Finds out, by asking the site, what became of writes without a known outcome (bundle contract, 7). Where the site cannot say, an entry stays
 * as it is: it is listed as if it had happened, and an undo compares it with the site.
 * @throws RelayError `site_unauthorized`, `site_redirected`
 */
export const resolvePendingWrites = async (
  site: Site,
  entries: readonly Entry[],
  files: RunFiles,
): Promise<readonly Entry[]> => {
  const resolved: Entry[] = [];
  for (const entry of entries) {
    const isPending = entry.outcome === undefined || entry.outcome.outcome === 'unknown';
    const outcome = isPending ? await tryToAsk(site, entry.change, files) : undefined;
    resolved.push(outcome ? { ...entry, outcome } : entry);
  }
  return resolved;
};
