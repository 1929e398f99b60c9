import type { Finding } from '../doctor/finding.ts';
import { withStores, type OpenStores } from '../program/stores.ts';
import { awaitAcceptance } from './accepted.ts';
import type { Goal, ProbeParts, Sent } from './parts.ts';
import { storeEvent } from './stored.ts';

/**
 * Sends the event and follows it as far as the goal. What goes wrong on the way is a finding.
 * @throws RelayError when bus or store cannot be opened; nothing was sent then
 */
export const followEvent = async (
  parts: ProbeParts,
  goal: Exclude<Goal, 'ready'>,
  sent: Sent,
  openStores: OpenStores,
): Promise<readonly Finding[]> => {
  if (goal === 'stored') return [await storeEvent(parts, sent)];
  const findings: Finding[] = [];
  await withStores(openStores, async ({ bus, kv }) => {
    const stored = await storeEvent(parts, sent);
    findings.push(stored);
    if (stored.status === 'ok') findings.push(await awaitAcceptance(parts, { bus, state: kv.state }, sent));
  });
  return findings;
};
