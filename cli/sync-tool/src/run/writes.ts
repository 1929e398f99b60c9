import type { RecordedChange } from '@ranger-relay/contracts';
import { toRelayError } from '@ranger-relay/errors';
import type { Journal } from './journal.ts';

/** Sends one write between its two lines in the journal. */
export interface Writes {
  /**
   * @param send answers the id of what was created, or null
   * @throws what `send` throws, after it was written down
   */
  write(change: RecordedChange, send: () => Promise<string | null>): Promise<string | null>;
}

/** Writes that are written down in a journal. */
export const createWrites = (journal: Pick<Journal, 'intent' | 'result'>): Writes => ({
  async write(change, send) {
    const number = await journal.intent(change);
    try {
      const id = await send();
      await journal.result(number, { outcome: 'done', id });
      return id;
    } catch (error) {
      const { code, ambiguous } = toRelayError(error);
      const outcome = ambiguous ? 'unknown' : 'refused';
      await journal.result(number, { outcome, reason: code });
      throw error;
    }
  },
});
