const zoneOf = (ms: number, zone: string): string =>
  new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
    .formatToParts(ms)
    .find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';

/** A moment in local time with its distance from UTC: `2026-01-31 10:20 UTC+03:00`. */
export const localTime = (ms: number, zone = new Intl.DateTimeFormat().resolvedOptions().timeZone): string => {
  const text = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' }).format(ms);
  return `${text} ${zoneOf(ms, zone).replace('GMT', 'UTC')}`;
};
