import type { RecordedChange } from '@ranger-relay/contracts';
import { toRelayError } from '@ranger-relay/errors';
import type { Journal, Outcome } from './journal.ts';

/** Sends one write between its two lines in the journal. */
export interface Writes {
  /**
   * @param send answers the id of what was created, or null
   * @throws what `send` throws, after it was written down
   */
  write(change: RecordedChange, send: () => Promise<string | null>): Promise<string | null>;
}

/** What nobody has foreseen says nothing about the site: it has to be asked. */
const outcomeOf = (error: unknown): Outcome => {
  const { code, ambiguous } = toRelayError(error);
  return { outcome: ambiguous || code === 'internal' ? 'unknown' : 'refused', reason: code };
};

/** Writes that are written down in a journal. */
export const createWrites = (journal: Pick<Journal, 'intent' | 'result'>): Writes => ({
  async write(change, send) {
    const number = await journal.intent(change);
    const id = await send().catch(async (error: unknown) => {
      await journal.result(number, outcomeOf(error));
      throw error;
    });
    await journal.result(number, { outcome: 'done', id });
    return id;
  },
});
