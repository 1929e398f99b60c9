const steps = [
  { unit: 'd', seconds: 86_400, below: 'h', belowSeconds: 3_600 },
  { unit: 'h', seconds: 3_600, below: 'min', belowSeconds: 60 },
  { unit: 'min', seconds: 60, below: 's', belowSeconds: 1 },
] as const;

/** A span of time for people: `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`, `9 d 4 h`. */
export const humanSpan = (seconds: number): string => {
  const span = Math.max(0, seconds);
  if (span < 9.95 && !Number.isInteger(span)) return `${span.toFixed(1)} s`;
  const whole = Math.round(span);
  const step = steps.find((s) => whole >= s.seconds);
  if (!step) return `${whole} s`;
  const rest = Math.floor((whole % step.seconds) / step.belowSeconds);
  const head = `${Math.floor(whole / step.seconds)} ${step.unit}`;
  return rest === 0 ? head : `${head} ${rest} ${step.below}`;
};

/** How long ago a moment was; `never` without one. Clocks of devices may be ahead: then `now`. */
export const humanAgo = (iso: string | null, now: number): string => {
  if (iso === null) return 'never';
  const seconds = Math.round((now - Date.parse(iso)) / 1000);
  if (Number.isNaN(seconds)) return '?';
  return seconds < 1 ? 'now' : `${humanSpan(seconds)} ago`;
};

/** A count with a thin grouping: `12 345`. */
export const humanCount = (count: number): string => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ' ');

/** `1 event`, `2 events`. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${humanCount(count)} ${count === 1 ? one : many}`;
