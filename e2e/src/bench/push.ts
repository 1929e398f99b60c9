import { Agent, request } from 'node:http';
import type { PlatformProcess } from '../harness/platform.ts';
import { startChild } from './child.ts';
import type { Figure } from './table.ts';

const token = 'bench-token';
const latencyMs = 20;
/** The vendor takes one call of an integration at a time: so many texts are under way. */
const parks = 4;
const allowed = 1.2;
/** Texts that are sent before time is taken, so that nothing is done for the first time. */
const warmUp = 400;

const parkOf = (number: number): string => `dddddddd-0000-4000-8000-${String(number).padStart(12, '0')}`;
const deviceOf = (number: number): string => `3004340${String(number).padStart(8, '0')}`;

interface Call {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const post = ({ url, headers, body }: Call, agent: Agent): Promise<void> =>
  new Promise((resolve, reject) => {
    const length = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const call = request(url, { method: 'POST', agent, headers: { ...headers, ...length } }, (answer) => {
      answer
        .resume()
        .on('end', () => (answer.statusCode === 200 ? resolve() : reject(new Error(`${answer.statusCode}`))));
    });
    call.on('error', reject).end(body);
  });

/** Seconds that it takes to have these calls answered, so many at a time. */
const secondsOf = async (calls: readonly Call[], lanes: number): Promise<number> => {
  const agent = new Agent({ keepAlive: true, maxSockets: lanes });
  let next = 0;
  const begin = performance.now();
  const lane = async (): Promise<void> => {
    for (let call = calls[next++]; call; call = calls[next++]) await post(call, agent);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  agent.destroy();
  return (performance.now() - begin) / 1000;
};

const textTo = (device: string): object => ({
  Message: 'Return to camp',
  Recipients: [device],
  Sender: 'ops@site.example',
  Timestamp: '2026-01-01 06:00:00+00:00',
});

/** The platform's push of one text. */
const pushOf = (url: string, number: number): Call => {
  const data = {
    event_id: `e-${number}`,
    event_type: 'MessageTransformed',
    schema_version: 'v1',
    payload: textTo(deviceOf(number % parks)),
  };
  const message = {
    data: Buffer.from(JSON.stringify(data)).toString('base64'),
    attributes: { destination_id: parkOf(number % parks), delivery_id: `d-${number}` },
    messageId: `m-${number}`,
  };
  return {
    url,
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ message, subscription: 'bench' }),
  };
};

/** The same text as the vendor gets it. */
const vendorCall = (url: string, number: number): Call => ({
  url: `${url}/IPCInbound/V1/Messaging.svc/Message`,
  headers: { authorization: `Basic ${Buffer.from('ops:ops-password').toString('base64')}` },
  body: JSON.stringify({ Messages: [{ ...textTo(deviceOf(number % parks)), Timestamp: '/Date(1767247200000)/' }] }),
});

/** Texts pushed by the platform to a vendor whose answers take 20 ms. */
export const benchPush = async (platform: PlatformProcess, facts: object, texts: number): Promise<Figure[]> => {
  const devices = Array.from({ length: parks }, (_, number) => deviceOf(number)).join(',');
  const vendor = await startChild<{ url: string }>('./vendor-child.ts', [String(latencyMs), devices]);
  for (let number = 0; number < parks; number += 1)
    await platform.control('POST', `integrations/${parkOf(number)}`, {
      configurations: {
        auth: { api_url: vendor.ready.url, username: 'ops', password: 'ops-password' },
        push_messages: {},
      },
    });
  const pusher = await startChild<{ url: string }>('./pusher-child.ts', [JSON.stringify(facts), token]);
  try {
    const numbers = Array.from({ length: warmUp + texts }, (_, number) => number);
    const timed = async (call: (number: number) => Call, lanes: number): Promise<number> => {
      await secondsOf(numbers.slice(0, warmUp).map(call), lanes);
      return secondsOf(numbers.slice(warmUp).map(call), lanes);
    };
    const bare = await timed((number) => vendorCall(vendor.ready.url, number), parks);
    const seconds = await timed((number) => pushOf(pusher.ready.url, number), 64);
    const counted = vendor.next<number>();
    vendor.tell('count');
    const twice = (await counted) - 2 * numbers.length;
    const ideal = (texts * latencyMs) / parks / 1000;
    return [
      {
        name: `pusher: ${texts.toLocaleString('en')} texts of ${parks} integrations, vendor of ${latencyMs} ms`,
        unit: 's',
        value: seconds,
        bare,
        bound: `≤ ${(allowed * ideal).toFixed(2)} s`,
        holds: seconds <= allowed * ideal,
      },
      { name: 'pusher: texts sent twice', unit: 'texts', value: twice, bound: '0', holds: twice === 0 },
    ];
  } finally {
    await Promise.all([pusher.end(), vendor.end()]);
  }
};
