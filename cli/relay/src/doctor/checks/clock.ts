import type { HttpClient } from '@ranger-relay/http';
import { type Clock, parseHttpDate } from '@ranger-relay/runtime';
import { humanSpan } from '@ranger-relay/terminal';
import { failed, ok, skipped, warning, type Check, type Finding } from '../finding.ts';
import type { Place } from '../places.ts';

const name = 'clock';
const maxSkewMs = 60_000;
/** From this skew on, events count as too old or in the future. */
const badSkewMs = 600_000;
const maxPlaces = 5;
const totalMs = 10_000;

/** How far the other clock is ahead of ours, ms; null when it reports no time. */
const skewOf = async (
  http: HttpClient,
  clock: Clock,
  { origin }: Place,
  signal: AbortSignal,
): Promise<number | null> => {
  const sent = clock.now();
  const answer = await http.request({ method: 'GET', url: `${origin}/`, totalMs, signal }).catch(() => null);
  const theirs = parseHttpDate(answer?.headers['date']);
  return theirs === undefined ? null : theirs - (sent + clock.now()) / 2;
};

interface Skew {
  readonly place: Place;
  /** How far the other clock is ahead of ours, ms. */
  readonly skew: number;
}

const hostOf = ({ place }: Skew): string => new URL(place.origin).host;
const textOf = ({ skew }: Skew): string => humanSpan(Math.round(Math.abs(skew) / 1_000));

const judged = (skews: readonly Skew[]): readonly Finding[] => {
  const [worst] = skews.toSorted((a, b) => Math.abs(b.skew) - Math.abs(a.skew));
  if (!worst) return [skipped(name, 'no server reports its time')];
  const off = skews.filter(({ skew }) => Math.abs(skew) > maxSkewMs);
  if (off.length === 0) return [ok(name, `${textOf(worst)} from that of ${hostOf(worst)} at most`)];
  return off.map((each) =>
    (Math.abs(each.skew) > badSkewMs ? failed : warning)(
      name,
      `that of ${hostOf(each)} is ${textOf(each)} ${each.skew > 0 ? 'ahead of' : 'behind'} ours`,
      'Synchronize both with a time service; where all differ alike, the clock of this machine is the wrong one.',
    ),
  );
};

/** Compares the clock of this machine with those of platform and sites; a running process compares its own all the time (`clock_wrong`). */
export const clockCheck = (http: HttpClient, clock: Clock, places: () => Promise<readonly Place[]>): Check => ({
  name,
  async ask(signal) {
    const asked = (await places()).filter(({ kind }) => kind !== 'vendor').slice(0, maxPlaces);
    if (asked.length === 0) return [skipped(name, 'no platform and no site is configured')];
    const skews = await Promise.all(
      asked.map(async (place) => ({ place, skew: await skewOf(http, clock, place, signal) })),
    );
    return judged(skews.flatMap(({ place, skew }) => (skew === null ? [] : [{ place, skew }])));
  },
});
