/** What became of the events of one body, as the activity log and the metrics count it. */
export interface Counts {
  observations: number;
  messages: number;
  skipped_no_fix: number;
  skipped_no_time: number;
  test_events: number;
  not_wanted: number;
  rejected: number;
}

/** Nothing counted yet. */
export const noCounts = (): Counts => ({
  observations: 0,
  messages: 0,
  skipped_no_fix: 0,
  skipped_no_time: 0,
  test_events: 0,
  not_wanted: 0,
  rejected: 0,
});

/** Values of the label `outcome` of `relay_webhook_events_total`. */
export const outcomes: readonly (readonly [keyof Counts, string])[] = [
  ['observations', 'observation'],
  ['messages', 'message'],
  ['skipped_no_fix', 'skipped_no_fix'],
  ['skipped_no_time', 'skipped_no_time'],
  ['test_events', 'test_events'],
  ['not_wanted', 'counted'],
  ['rejected', 'rejected'],
];
