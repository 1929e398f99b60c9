import type { HttpClient } from '@ranger-relay/http';
import type { Clock } from '@ranger-relay/runtime';
import { humanSpan } from '@ranger-relay/terminal';
import { failed, ok, skipped, warning, type Check, type Finding } from '../finding.ts';
import type { Place } from '../places.ts';

const name = 'clock';
const mostSkewMs = 60_000;
/** With this much events are taken for old or for those of the future. */
const badSkewMs = 600_000;
const mostPlaces = 5;
const totalMs = 10_000;

/** How far the other side's clock is ahead of ours, ms; null when it does not tell. */
const skewOf = async (
  http: HttpClient,
  clock: Clock,
  { origin }: Place,
  signal: AbortSignal,
): Promise<number | null> => {
  const sent = clock.now();
  const answer = await http.request({ method: 'GET', url: `${origin}/`, totalMs, signal }).catch(() => null);
  const theirs = Date.parse(answer?.headers['date'] ?? '');
  return Number.isNaN(theirs) ? null : theirs - (sent + clock.now()) / 2;
};

const judged = (skews: readonly { readonly place: Place; readonly skew: number }[]): Finding => {
  const worst = skews.toSorted((a, b) => Math.abs(b.skew) - Math.abs(a.skew))[0];
  if (!worst) return skipped(name, 'nobody tells the time');
  const { host } = new URL(worst.place.origin);
  const span = humanSpan(Math.round(Math.abs(worst.skew) / 1_000));
  if (Math.abs(worst.skew) <= mostSkewMs) return ok(name, `${span} from that of ${host} at most`);
  const judge = Math.abs(worst.skew) > badSkewMs ? failed : warning;
  return judge(
    name,
    `ours is ${span} ${worst.skew > 0 ? 'behind' : 'ahead of'} that of ${host}`,
    'Let a time service set the clock of this machine; events of the future are refused, and watermarks go wrong.',
  );
};

/** Compares the clock of this machine with those of platform and sites. */
export const clockCheck = (http: HttpClient, clock: Clock, places: () => Promise<readonly Place[]>): Check => ({
  name,
  async ask(signal) {
    const asked = (await places()).filter(({ kind }) => kind !== 'vendor').slice(0, mostPlaces);
    if (asked.length === 0) return [skipped(name, 'no platform and no site is known here')];
    const skews = await Promise.all(
      asked.map(async (place) => ({ place, skew: await skewOf(http, clock, place, signal) })),
    );
    return [judged(skews.flatMap(({ place, skew }) => (skew === null ? [] : [{ place, skew }])))];
  },
});
