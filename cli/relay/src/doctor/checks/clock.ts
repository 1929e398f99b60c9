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

const isOff = ({ skew }: Skew): boolean => Math.abs(skew) > maxSkewMs;

const finding = (skew: number, detail: string, remedy: string): Finding =>
  (Math.abs(skew) > badSkewMs ? failed : warning)(name, detail, remedy);

const worstOf = (skews: readonly Skew[]): Skew | undefined =>
  skews.toSorted((a, b) => Math.abs(b.skew) - Math.abs(a.skew))[0];

/** If the platform agrees with our clock, the clock of a differing site is wrong. */
const judged = (skews: readonly Skew[]): readonly Finding[] => {
  const worst = worstOf(skews);
  if (!worst) return [skipped(name, 'no server reports its time')];
  const words = ({ place, skew }: Skew) => ({
    host: new URL(place.origin).host,
    span: humanSpan(Math.round(Math.abs(skew) / 1_000)),
  });
  if (!isOff(worst)) return [ok(name, `${words(worst).span} from that of ${words(worst).host} at most`)];
  const platform = worstOf(skews.filter(({ place }) => place.kind === 'platform'));
  if (platform && !isOff(platform))
    return skews.filter(isOff).map((each) => {
      const { host, span } = words(each);
      return finding(
        each.skew,
        `that of ${host} is ${span} ${each.skew > 0 ? 'ahead of' : 'behind'} ours and the platform's`,
        `Ask the operator of ${host} to synchronize its clock with a time service: it writes wrong times.`,
      );
    });
  const ours = platform ?? worst;
  const { host, span } = words(ours);
  return [
    finding(
      ours.skew,
      `ours is ${span} ${ours.skew > 0 ? 'behind' : 'ahead of'} that of ${host}`,
      'Synchronize the clock of this machine with a time service: until then events may be refused as too old or in the future.',
    ),
  ];
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
