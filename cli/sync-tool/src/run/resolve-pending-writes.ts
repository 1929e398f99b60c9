import type { RecordedChange } from '@ranger-relay/contracts';
import { isRelayError } from '@ranger-relay/errors';
import type { Site } from '@ranger-relay/site';
import { resourceOf } from '../resources/index.ts';
import type { RunFiles } from './files.ts';
import { addOutcomes, type Entry, type Outcome } from './journal.ts';
import { readFormBefore } from './record.ts';

/** Whether the outcome of a write is unknown. */
export const isPending = ({ outcome }: Entry): boolean => outcome === undefined || outcome.outcome === 'unknown';

/** A list that cannot be read leaves its own entries unresolved; all other entries are resolved. */
const tryToAsk = async (site: Site, change: RecordedChange, files: RunFiles): Promise<Outcome | undefined> => {
  try {
    return await resourceOf(change).reconcile(site, change, (file) => readFormBefore(files, file));
  } catch (error) {
    if (!isRelayError(error) || isRelayError(error, 'site_unauthorized', 'site_redirected', 'internal')) throw error;
    return undefined;
  }
};

/**
 * Reads the site to find the outcome of writes whose outcome is unknown (bundle contract, 7). An entry that the site cannot resolve stays
 * unchanged: the record lists it as if it had happened, and an undo compares it with the site.
 * @throws RelayError `site_unauthorized`, `site_redirected`
 */
export const resolvePendingWrites = async (
  site: Site,
  entries: readonly Entry[],
  files: RunFiles,
): Promise<readonly Entry[]> => {
  const resolved: Entry[] = [];
  for (const entry of entries) {
    const outcome = isPending(entry) ? await tryToAsk(site, entry.change, files) : undefined;
    resolved.push(outcome ? { ...entry, outcome } : entry);
  }
  return resolved;
};

/**
 * Resolves writes whose outcome is unknown, and keeps what was found in the journal of their run: what stands on the site later may be
 * somebody else's.
 * @throws RelayError `site_unauthorized`, `site_redirected`, `output_not_writable`
 */
export const settlePendingWrites: typeof resolvePendingWrites = async (site, entries, files) => {
  const resolved = await resolvePendingWrites(site, entries, files);
  await addOutcomes(
    files,
    resolved.filter((entry, at) => entry !== entries[at] && !isPending(entry)),
  );
  return resolved;
};
