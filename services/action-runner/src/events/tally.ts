/** What a run did (platform contract, `pull_events`). */
export interface Tally {
  /** Events that the platform did not have. */
  events_extracted: number;
  /** Events of which at least one change was sent. */
  events_updated: number;
  /** Changes that were sent. */
  updates_emitted: number;
  events_skipped_unchanged: number;
  attachments_forwarded: number;
  /** Pages of events that the site was asked for. */
  pages_read: number;
}

/** A tally at zero. */
export const emptyTally = (): Tally => ({
  events_extracted: 0,
  events_updated: 0,
  updates_emitted: 0,
  events_skipped_unchanged: 0,
  attachments_forwarded: 0,
  pages_read: 0,
});
