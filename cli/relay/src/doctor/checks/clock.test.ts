import { broken, httpAnswer, scriptedHttp } from '@ranger-relay/http/testing';
import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import type { Finding } from '../finding.ts';
import type { Place } from '../places.ts';
import { clockCheck } from './clock.ts';

const places = (...hosts: string[]): readonly Place[] =>
  hosts.map((host) => ({
    of: host,
    kind: host.startsWith('platform') ? 'platform' : 'site',
    origin: `https://${host}`,
  }));

/** Others whose clocks are ahead of ours by so many seconds; null: silent about it, undefined: away. */
const checkAt = async (ahead: Readonly<Record<string, number | null | undefined>>): Promise<readonly Finding[]> => {
  const clock = manualClock();
  const http = scriptedHttp(({ url }) => {
    const seconds = ahead[new URL(url).host];
    if (seconds === undefined) return broken('http_connect');
    const headers = seconds === null ? {} : { date: new Date(clock.now() + seconds * 1_000).toUTCString() };
    return httpAnswer(401, '', { headers });
  });
  const { ask } = clockCheck(http, clock, async () => places(...Object.keys(ahead)));
  return ask(new AbortController().signal);
};

const look = async (ahead: Parameters<typeof checkAt>[0]): Promise<Finding | undefined> => (await checkAt(ahead))[0];

test('up to a minute is well', async (t) => {
  t.like(await look({ 'a.example': 59, 'b.example': -60 }), { status: 'ok' });
});

test('each clock that differs is named, how far and in which direction; from ten minutes on it is a failure', async (t) => {
  const found = await checkAt({ 'platform.example': 2, 'a.example': 120, 'b.example': -900, 'c.example': 0 });
  t.deepEqual(
    found.map(({ status, detail }) => [status, detail]),
    [
      ['warning', 'that of a.example is 2 min ahead of ours'],
      ['failed', 'that of b.example is 15 min behind ours'],
    ],
  );
  for (const { remedy } of found) t.regex(remedy ?? '', /time service/);
});

test('who is away or tells no time is passed over', async (t) => {
  t.like(await look({ 'a.example': undefined, 'b.example': null, 'c.example': 0 }), { status: 'ok' });
  t.like(await look({ 'a.example': undefined }), { status: 'skipped' });
});
