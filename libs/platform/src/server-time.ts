import type { HttpClient } from '@ranger-relay/http';
import type { Clock } from '@ranger-relay/runtime';

/** The platform's clock, as its answers show it. */
export interface ServerTime {
  /** The `Date` of its last good answer, moved on by what has passed since, ms since 1970; null before the first. */
  now(): number | null;
  /** A client whose answers are looked at. */
  watch(http: HttpClient): HttpClient;
}

/** Makes the look at the platform's clock. */
export const createServerTime = (clock: Pick<Clock, 'monotonic'>): ServerTime => {
  let offset: number | null = null;
  return {
    now: () => (offset === null ? null : offset + clock.monotonic()),
    watch: (http) => ({
      async request(request) {
        const answer = await http.request(request);
        const date = Date.parse(answer.headers['date'] ?? '');
        // A page of something on the way is no witness.
        if (answer.status >= 200 && answer.status < 300 && !Number.isNaN(date)) offset = date - clock.monotonic();
        return answer;
      },
      close: () => http.close(),
    }),
  };
};
