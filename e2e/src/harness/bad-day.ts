import type { Random } from '@ranger-relay/runtime';
import type { PlatformProcess } from './platform.ts';

/** Faults of a platform and of a gateway in front of it; each affects a call or two. */
const troubles: readonly Readonly<Record<string, unknown>>[] = [
  { fault: 'status', status: 500, when: 'marked' },
  { fault: 'status', status: 500, when: 'after' },
  { fault: 'status', status: 504, when: 'after', body: '<html>Gateway timeout</html>' },
  { fault: 'status', status: 200, body: '<html>Under maintenance</html>' },
  { fault: 'status', status: 200, body: '[]' },
  { fault: 'status', status: 202, body: '{"message":"Accepted"}' },
  { fault: 'status', status: 207, body: '{"message":"Partly"}', when: 'marked' },
  { fault: 'status', status: 400, body: '{"message":"Bad request"}' },
  { fault: 'status', status: 404, body: '' },
  { fault: 'status', status: 405, body: '<html>Not allowed</html>' },
  { fault: 'status', status: 401 },
  { fault: 'status', status: 429, retry_after: 1 },
  { fault: 'short_list' },
  { fault: 'half_body' },
  { fault: 'reset', when: 'after' },
];

const everyMs = 1_500;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Switches faults on, one after the other, until stopped. Resolves with their number. */
export const haveABadDay = async (platform: PlatformProcess, random: Random, over: () => boolean): Promise<number> => {
  let count = 0;
  while (!over()) {
    const trouble = troubles[Math.floor(random.next() * troubles.length)];
    const id = await platform.fault({ ...trouble, endpoint: 'sensors', count: 1 + Math.floor(random.next() * 2) });
    count += 1;
    await pause(everyMs * (0.3 + 1.4 * random.next()));
    // A fault that has affected no request must not wait for requests that it slows.
    await platform.repair(id);
  }
  return count;
};

/** An event that the platform fails on whenever it comes. */
export interface FailingEvent {
  readonly source: string;
  readonly n: number;
}

/** Makes the platform fail on one event permanently; resolves with the id of the switch. */
export const failOn = (platform: PlatformProcess, { source, n }: FailingEvent): Promise<string> =>
  platform.fault({ fault: 'fail_item', endpoint: 'observations', fields: { source, 'additional.altitude': n } });
