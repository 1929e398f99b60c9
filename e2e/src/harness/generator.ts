import { Agent, request } from 'node:http';
import type { SentEvent } from './checker.ts';

/** What the generator sends and where. */
export interface GeneratorOptions {
  readonly url: string;
  readonly token: string;
  readonly devices: number;
  /** Events in all. */
  readonly events: number;
  /** Most events in one POST. */
  readonly perPost: number;
  /** Every how manieth event carries a text. */
  readonly textEvery: number;
  /** First device number, so that several generators do not mix. */
  readonly firstDevice?: number;
  /** Milliseconds to wait before a POST that was not answered with 200 is sent again. */
  readonly retryMs?: number;
  /** Milliseconds between two POSTs of a device; none when left out. */
  readonly pauseMs?: number;
  /** Ends the sending before all events are sent. */
  readonly until?: () => boolean;
  /** Share of POSTs that are sent a second time although acknowledged. */
  readonly repeatShare?: number;
}

interface MutableEvent extends SentEvent {
  acknowledged: boolean;
}

const epoch = Date.UTC(2026, 0, 1);

const imeiOf = (device: number): string => `3004340${String(device).padStart(8, '0')}`;

/** Position n of a source as the vendor sends it; the altitude carries n through to the platform's door. */
const wireEvent = ({ source, n, text }: SentEvent): object => ({
  imei: source,
  messageCode: text ? 3 : 0,
  freeText: text ? `text ${n}` : null,
  timeStamp: epoch + n * 1000,
  addresses: [],
  point: { latitude: -1.25, longitude: 36.8, altitude: n, gpsFix: 2, course: 0, speed: 1 },
  status: { autonomous: 1, lowBattery: 0, intervalChange: 0, resetDetected: 0 },
});

const post = (url: URL, token: string, agent: Agent, body: string): Promise<number> =>
  new Promise((resolve) => {
    const call = request(
      url,
      {
        method: 'POST',
        agent,
        timeout: 20_000,
        headers: { 'content-length': Buffer.byteLength(body), 'x-outbound-auth-token': token },
      },
      (answer) => {
        answer.resume();
        answer.on('end', () => resolve(answer.statusCode ?? 0)).on('error', () => resolve(0));
      },
    );
    call.on('error', () => resolve(0)).on('timeout', () => call.destroy());
    call.end(body);
  });

/** A generator under way. */
export interface Generator {
  readonly sent: readonly SentEvent[];
  acknowledged(): number;
  /** Resolves when every event is acknowledged. */
  readonly finished: Promise<void>;
}

/**
 * Sends events of many devices, each device one POST at a time, repeating a POST until it is answered with 200 as the vendor does. The order of
 * `n` within a source is the order of sending.
 */
export const generate = (options: GeneratorOptions): Generator => {
  const { devices, events, perPost, textEvery, firstDevice = 0, retryMs = 50, repeatShare = 0, pauseMs = 0 } = options;
  const url = new URL(options.url);
  const agent = new Agent({ keepAlive: true, maxSockets: devices });
  const sent: MutableEvent[] = [];
  const share = Math.ceil(events / devices);
  let acknowledged = 0;
  let posts = 0;

  const runDevice = async (device: number): Promise<void> => {
    const source = imeiOf(firstDevice + device);
    for (let n = 0; n < share && !options.until?.(); n += perPost) {
      const group: MutableEvent[] = Array.from({ length: Math.min(perPost, share - n) }, (_, index) => ({
        source,
        n: n + index,
        text: (n + index) % textEvery === 1,
        acknowledged: false,
      }));
      sent.push(...group);
      const body = JSON.stringify({ Version: '3.0', Events: group.map(wireEvent) });
      while ((await post(url, options.token, agent, body)) !== 200)
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      for (const event of group) event.acknowledged = true;
      acknowledged += group.length;
      posts += 1;
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      if (repeatShare > 0 && posts % Math.round(1 / repeatShare) === 0) await post(url, options.token, agent, body);
    }
  };

  const finished = Promise.all(Array.from({ length: devices }, (_, device) => runDevice(device))).then(() =>
    agent.destroy(),
  );
  return { sent, acknowledged: () => acknowledged, finished };
};
