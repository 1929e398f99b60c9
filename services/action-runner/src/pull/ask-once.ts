import { RelayError } from '@ranger-relay/errors';
import type { SiteQuery } from '@ranger-relay/site';

/** Asks for no page twice: pages that lead back to each other have no end. */
export interface AskOnce {
  /** @throws RelayError `site_answer_unreadable` when the page was asked for before */
  note(query: SiteQuery): void;
  /** What is read again on purpose. */
  forget(): void;
}

/** Makes the memory of one run. @param path of the list at the site */
export const createAskOnce = (path: string): AskOnce => {
  const asked = new Set<string>();
  return {
    note(query) {
      const text = JSON.stringify(query);
      const details = { target: `GET ${path}`, problem: 'the pages of the list do not end' };
      if (asked.has(text)) throw new RelayError('site_answer_unreadable', { details });
      asked.add(text);
    },
    forget: () => asked.clear(),
  };
};
