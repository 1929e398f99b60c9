import type { PlatformProcess } from '../harness/platform.ts';
import { startChild } from './child.ts';
import { secondsToPost, type Post } from './post.ts';
import { exactly, type Figure } from './table.ts';

const token = 'bench-token';
const latencyMs = 20;
/** The vendor takes one call of an integration at a time: so many texts are under way. */
const parks = 4;
const allowed = 1.2;
/** Texts that are sent before time is taken, so that nothing is done for the first time. */
const warmUp = 400;

const parkOf = (number: number): string => `dddddddd-0000-4000-8000-${String(number).padStart(12, '0')}`;
const deviceOf = (number: number): string => `3004340${String(number).padStart(8, '0')}`;

const textTo = (device: string): object => ({
  Message: 'Return to camp',
  Recipients: [device],
  Sender: 'ops@site.example',
  Timestamp: '2026-01-01 06:00:00+00:00',
});

/** The platform's push of one text. */
const pushOf = (url: string, number: number): Post => {
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
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return { url, headers, body: JSON.stringify({ message, subscription: 'bench' }) };
};

/** The same text as the vendor gets it. */
const vendorCall = (url: string, number: number): Post => ({
  url: `${url}/IPCInbound/V1/Messaging.svc/Message`,
  headers: {
    authorization: `Basic ${Buffer.from('ops:ops-password').toString('base64')}`,
    'content-type': 'application/json',
  },
  body: JSON.stringify({ Messages: [{ ...textTo(deviceOf(number % parks)), Timestamp: '/Date(1767247200000)/' }] }),
});

/** Texts pushed by the platform to a vendor whose answers take 20 ms. */
export const benchPush = async (platform: PlatformProcess, texts: number): Promise<Figure[]> => {
  const devices = Array.from({ length: parks }, (_, number) => deviceOf(number)).join(',');
  const vendor = await startChild<{ url: string }>('./vendor-child.ts', [String(latencyMs), devices]);
  for (let number = 0; number < parks; number += 1)
    await platform.control('POST', `integrations/${parkOf(number)}`, {
      configurations: {
        auth: { api_url: vendor.ready.url, username: 'ops', password: 'ops-password' },
        push_messages: {},
      },
    });
  const pusher = await startChild<{ url: string }>('./pusher-child.ts', [token], platform.env);
  try {
    const timed = async (postOf: (number: number) => Post, lanes: number): Promise<number> => {
      await secondsToPost(warmUp, lanes, postOf);
      return secondsToPost(texts, lanes, (number) => postOf(warmUp + number));
    };
    const bare = await timed((number) => vendorCall(vendor.ready.url, number), parks);
    const value = await timed((number) => pushOf(pusher.ready.url, number), 64);
    const twice = (await vendor.ask<number>('count')) - 2 * (warmUp + texts);
    const maxSeconds = (allowed * texts * latencyMs) / parks / 1000;
    const name = `pusher: ${texts.toLocaleString('en')} texts of ${parks} integrations, vendor of ${latencyMs} ms`;
    return [
      { name, unit: 's', value, bare, bound: `≤ ${maxSeconds.toFixed(2)} s`, holds: value <= maxSeconds },
      exactly('pusher: texts sent twice', 'texts', twice, 0),
    ];
  } finally {
    await Promise.all([pusher.end(), vendor.end()]);
  }
};
