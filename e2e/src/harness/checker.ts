/** One event that the generator made, and whether the ingester acknowledged it with a 200. */
export interface SentEvent {
  readonly source: string;
  /** Position among the events of its source, from 0, growing in the order in which they were sent. */
  readonly n: number;
  readonly text: boolean;
  readonly acknowledged: boolean;
  /** When, ms since 1970. */
  readonly acknowledgedAt: number;
}

/** One item that the platform received, before its deduplication, in order of arrival. */
export interface IngestLogItem {
  readonly kind: 'observation' | 'message';
  readonly source: string;
  readonly n: number;
  /** The call was answered with 200. */
  readonly accepted: boolean;
  /** The platform has stored it, whatever it answered. */
  readonly stored: boolean;
}

/** What a comparison found. */
export interface Report {
  readonly events: number;
  readonly acknowledged: number;
  readonly kills: number;
  /** Observations and messages of acknowledged events that the platform never stored. */
  readonly lost: number;
  /** Accepted items beyond the first of their kind and event. */
  readonly duplicates: number;
  /** Items whose call to the platform a kill broke, or that were answered so shortly before that no mark can be asked of them. */
  readonly inFlightAtKills: number;
  /** First storings of a source and kind that came before an earlier event's. */
  readonly orderViolations: number;
  /** Sources whose first message came before their first observation. */
  readonly messageFirst: number;
  /** First few findings, for people. */
  readonly examples: readonly string[];
}

const idOf = (kind: string, source: string, n: number): string => `${kind} ${source} ${n}`;

const countLost = (
  sent: readonly SentEvent[],
  stored: ReadonlyMap<string, IngestLogItem>,
  examples: string[],
): number => {
  let lost = 0;
  for (const { source, n, text, acknowledged } of sent) {
    if (!acknowledged) continue;
    for (const kind of text ? ['observation', 'message'] : ['observation']) {
      if (stored.has(idOf(kind, source, n))) continue;
      lost += 1;
      examples.push(`lost: ${idOf(kind, source, n)}`);
    }
  }
  return lost;
};

const countDisorder = (firsts: readonly IngestLogItem[], examples: string[]): number => {
  const highest = new Map<string, number>();
  let violations = 0;
  for (const { kind, source, n } of firsts) {
    const key = `${kind} ${source}`;
    const before = highest.get(key) ?? -1;
    if (n < before) {
      violations += 1;
      examples.push(`order: ${idOf(kind, source, n)} after ${before}`);
    }
    highest.set(key, Math.max(before, n));
  }
  return violations;
};

const countMessageFirst = (firsts: readonly IngestLogItem[], examples: string[]): number => {
  const observed = new Set<string>();
  const guilty = new Set<string>();
  for (const { kind, source } of firsts) {
    if (kind === 'observation') observed.add(source);
    else if (!observed.has(source)) guilty.add(source);
  }
  for (const source of guilty) examples.push(`message before any observation: ${source}`);
  return guilty.size;
};

/** Compares the sent events with the items that the platform received. */
export const check = (
  sent: readonly SentEvent[],
  ingestLog: readonly IngestLogItem[],
  kills: { readonly count: number; readonly inFlight: number },
): Report => {
  const taken = new Map<string, number>();
  const stored = new Map<string, IngestLogItem>();
  for (const item of ingestLog) {
    const id = idOf(item.kind, item.source, item.n);
    if (item.accepted) taken.set(id, (taken.get(id) ?? 0) + 1);
    if (item.stored && !stored.has(id)) stored.set(id, item);
  }
  const firsts = [...stored.values()];
  const examples: string[] = [];
  const lost = countLost(sent, stored, examples);
  const orderViolations = countDisorder(firsts, examples);
  const messageFirst = countMessageFirst(firsts, examples);
  const duplicates = [...taken.values()].reduce((sum, times) => sum + times - 1, 0);
  return {
    events: sent.length,
    acknowledged: sent.filter(({ acknowledged }) => acknowledged).length,
    kills: kills.count,
    lost,
    duplicates,
    inFlightAtKills: kills.inFlight,
    orderViolations,
    messageFirst,
    examples: examples.slice(0, 10),
  };
};
