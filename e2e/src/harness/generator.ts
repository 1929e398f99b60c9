import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import type { SentEvent } from './checker.ts';

/** How one POST was answered. Times on the clock of `performance`, ms. */
export interface Answer {
  readonly at: number;
  readonly ms: number;
  /** 0 when the connection broke. */
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** Why there was no answer. */
  readonly problem?: string;
  /** A connection kept from an earlier POST ended before anything of an answer came. */
  readonly reused?: boolean;
  /** From the start of the earlier POST on that connection to its end, ms. */
  readonly sinceEarlierMs?: number;
}

/** Events and target of the generator. */
export interface GeneratorOptions {
  /** One address, or those of several replicas: a POST that was not acknowledged goes to the next one. */
  readonly url: string | readonly string[];
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
  /** Gives up at once, also what is not acknowledged: a scenario that has failed. */
  readonly abandoned?: () => boolean;
  /** Learns of every POST that was acknowledged: how many events it held. */
  readonly onAcknowledged?: (events: number) => void;
  /** Learns of every answer. */
  readonly onAnswer?: (answer: Answer) => void;
}

interface MutableEvent extends SentEvent {
  acknowledged: boolean;
  acknowledgedAt: number;
}

const epoch = Date.UTC(2026, 0, 1);

const imeiOf = (device: number): string => `3004340${String(device).padStart(8, '0')}`;

/** Position n of a source as the vendor sends it; its altitude carries n to the platform. */
const wireEvent = ({ source, n, text }: SentEvent): object => ({
  imei: source,
  messageCode: text ? 3 : 0,
  freeText: text ? `text ${n}` : null,
  timeStamp: epoch + n * 1000,
  addresses: [],
  point: { latitude: -1.25, longitude: 36.8, altitude: n, gpsFix: 2, course: 0, speed: 1 },
  status: { autonomous: 1, lowBattery: 0, intervalChange: 0, resetDetected: 0 },
});

/** Inactivity limit of a POST's connection, ms. */
const answerMs = 20_000;

/** When the newest POST of a connection began. */
const begun = new WeakMap<Socket, number>();

const post = (url: URL, token: string, agent: Agent, body: string): Promise<Answer> =>
  new Promise((resolve) => {
    const at = performance.now();
    let earlier = at;
    const end = (status: number, more: Partial<Answer> = {}): void =>
      resolve({ at, ms: performance.now() - at, status, retryAfter: undefined, ...more });
    const call = request(
      url,
      {
        method: 'POST',
        agent,
        timeout: answerMs,
        headers: { 'content-length': Buffer.byteLength(body), 'x-outbound-auth-token': token },
      },
      (answer) => {
        answer.resume();
        answer
          .on('end', () => end(answer.statusCode ?? 0, { retryAfter: answer.headers['retry-after'] }))
          .on('error', ({ message: problem }) => end(0, { problem }));
      },
    );
    call
      .on('socket', (socket) => {
        earlier = begun.get(socket) ?? at;
        begun.set(socket, performance.now());
      })
      .on('error', ({ message: problem }) =>
        end(0, { problem, reused: call.reusedSocket, sinceEarlierMs: performance.now() - earlier }),
      )
      .on('timeout', () => {
        end(0, { problem: `no answer within ${answerMs} ms` });
        call.destroy();
      });
    call.end(body);
  });

/** A generator under way. */
export interface Generator {
  readonly sent: readonly SentEvent[];
  /** All devices that it sends for. */
  readonly sources: readonly string[];
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
  const urls = [options.url].flat().map((url) => new URL(url));
  // In turn: an idle connection does not learn that its server has ended, and would fail on the next use.
  const agent = new Agent({ keepAlive: true, maxSockets: devices, scheduling: 'fifo' });
  const sent: MutableEvent[] = [];
  const share = Math.ceil(events / devices);
  let acknowledged = 0;
  let posts = 0;

  const send = async (url: URL, body: string): Promise<number> => {
    const answer = await post(url, options.token, agent, body);
    options.onAnswer?.(answer);
    return answer.status;
  };

  const sources = Array.from({ length: devices }, (_, device) => imeiOf(firstDevice + device));

  const runDevice = async (source: string, device: number): Promise<void> => {
    for (let n = 0; n < share && !options.until?.(); n += perPost) {
      const group: MutableEvent[] = Array.from({ length: Math.min(perPost, share - n) }, (_, index) => ({
        source,
        n: n + index,
        text: (n + index) % textEvery === 1,
        acknowledged: false,
        acknowledgedAt: Infinity,
      }));
      sent.push(...group);
      const body = JSON.stringify({ Version: '3.0', Events: group.map(wireEvent) });
      let turn = device + n;
      const url = (): URL => urls[turn % urls.length] as URL;
      while ((await send(url(), body)) !== 200) {
        if (options.abandoned?.()) return;
        turn += 1;
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
      const acknowledgedAt = Date.now();
      for (const event of group) Object.assign(event, { acknowledged: true, acknowledgedAt });
      acknowledged += group.length;
      options.onAcknowledged?.(group.length);
      posts += 1;
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      if (repeatShare > 0 && posts % Math.round(1 / repeatShare) === 0) await send(url(), body);
    }
  };

  const finished = Promise.all(sources.map(runDevice)).then(() => agent.destroy());
  return { sent, sources, acknowledged: () => acknowledged, finished };
};
