import type { Clock } from '@ranger-relay/runtime';

/** A clock that runs `speed` times as fast from the moment `from` (ms since 1970) on; the same in every process that is given both. */
export const fastClock = (clock: Clock, from: number, speed: number): Clock => ({
  now: () => Math.round(from + (clock.now() - from) * speed),
  monotonic: () => clock.monotonic() * speed,
  after: (ms, task, ref) => clock.after(ms / speed, task, ref),
  sleep: (ms, signal) => clock.sleep(ms / speed, signal),
  turn: () => clock.turn(),
});
