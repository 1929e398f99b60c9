import type { SosStep, SourceEvent } from '@ranger-relay/contracts';
import type { SeenEntry } from '@ranger-relay/simulators';
import { siteIntegration } from './site-data.ts';
import type { Troubles } from './troubles.ts';

/** An item that must reach the platform: of an acknowledged event, or of a row of a site. */
export interface Owed {
  readonly integration: string;
  /** An `event` is owed in its last version; its source is its name at the site. */
  readonly kind: 'observation' | 'message' | 'event' | 'call for help';
  readonly source: string;
  /** Time of the event, ms since 1970; a source has one event at a time. Of an `event` its version. */
  readonly at: number;
  /** Position in the order of its source; null when none is promised. */
  readonly order: number | null;
  readonly sos: boolean;
  /** What it says: a position as `latitude longitude`, a text, the state of an `event`, or null when nobody compares it. */
  readonly says: string | null;
}

/** A call for help of a device without a clock. */
export interface HelpCall {
  readonly integration: string;
  readonly source: string;
  /** When it was sent and acknowledged, ms since 1970. */
  readonly from: number;
  readonly to: number;
}

/** Names an item. */
export const nameOf = (kind: string, integration: string, source: string, at: number): string =>
  `${kind} ${integration.slice(0, 8)} ${source} ${at}`;

type ServiceRule =
  | 'lost'
  | 'given up'
  | 'order'
  | 'message first'
  | 'content'
  | 'repeated'
  | 'text lost'
  | 'text twice'
  | 'tick'
  | 'lease'
  | 'unbounded'
  | 'not in BUDGET.md'
  | 'refused by the platform'
  | 'secret'
  | 'sos list';
type SyncRule =
  'overwritten' | 'approval' | 'unrecorded' | 'wrote' | 'created twice' | 'two writers' | 'unsettled' | 'restored';

/** An invariant that does not hold. */
export interface Violation {
  readonly rule: ServiceRule | SyncRule | 'stuck' | 'unhandled';
  readonly what: string;
  /** Texts in the payloads that its story is about. */
  readonly about: readonly string[];
}

/** What is known of an event that does not reach the platform any more. */
type GivenUp = Pick<SourceEvent, 'integration_id' | 'source' | 'observation' | 'message'>;

/** Sees what the platform stores, and compares it with what it must have. */
export interface Truth {
  owe(items: readonly Owed[]): void;
  /** Takes a call for help without a time that was sent and acknowledged between two times. */
  oweCall(call: HelpCall): void;
  /** Takes lines of the platform's ingest log, in order. */
  see(entries: readonly SeenEntry[]): void;
  /** Takes a text that the vendor took over to send. */
  sent(text: string, at: number): void;
  /** When the vendor took a text over. */
  timesOf(text: string): readonly number[];
  /** Takes an event that was dead-lettered, and why: people know of it. */
  deadLettered(event: GivenUp, reason: string): void;
  /** Takes a version of an event of the site that was dead-lettered, by its title, and why. */
  reportDeadLettered(title: string, reason: string): void;
  /** Takes an undone event of a topic that was deleted. */
  lost(event: GivenUp): void;
  /** Takes an undone version of an event of the site, by its title, of a topic that was deleted. */
  reportLost(title: string): void;
  /** Items that are owed, and neither stored nor dead-lettered. */
  missing(): readonly Owed[];
  /** Reports whose last state is not the one that stands at the platform. */
  outdated(): Violation[];
  /** SOS items that the log of SOS calls accepted and the platform did not accept, and those that it leaves out. */
  sosViolations(steps: readonly SosStep[]): Violation[];
  /** Whether nothing is missing. */
  complete(): boolean;
  readonly counts: { repeats: number; deadLettered: number };
  /** What was wrong so far, except what is missing. */
  readonly violations: Violation[];
}

interface Item {
  readonly source?: string;
  readonly recorded_at?: string;
  readonly title?: string;
  readonly location?: { readonly lat: number; readonly lon: number };
  readonly text?: string;
  readonly status?: string;
  readonly priority?: number;
  readonly notes?: readonly { readonly id: string }[];
  /** The object that a change is of. */
  readonly event?: string;
}

/** Beginning of the numbers of devices without a clock. */
export const clocklessPrefix = '3004340390';

/** Why good events may be dead-lettered: the platform failed on them again and again while it took others. */
const goodReasons = new Set(['item_fails']);

/** How wrong the clock of a process can be, ms. */
const clockErrorMs = 15 * 60_000;

/** The report and version that an event or a change of one carries. */
const reportIn = ({ title = '' }: Item): { readonly source: string; readonly version: number } | undefined => {
  const [, source, version] = /^(report \d+) version (\d+)$/.exec(title) ?? [];
  return source === undefined ? undefined : { source, version: Number(version) };
};

/** What an item says, as in {@link Owed}. */
const saidBy = ({ text, location }: Item): string | null =>
  text ?? (location ? `${location.lat} ${location.lon}` : null);

const sosViolation = (name: string, source: string, what: string): Violation => ({
  rule: 'sos list',
  what: `${name} ${what}`,
  about: [source],
});

/** Creates the record of what must be where. */
export const createTruth = ({ mayRepeat }: Pick<Troubles, 'mayRepeat'>): Truth => {
  const owed = new Map<string, Owed>();
  const missing = new Map<string, Owed>();
  const givenUp = new Set<string>();
  /** Sources of owed SOS items, by name. */
  const sosItems = new Map<string, string>();
  const stored = new Set<string>();
  const accepted = new Map<string, number>();
  const newest = new Map<string, number>();
  const seenAt = new Map<string, number[]>();
  const texts = new Map<string, number[]>();
  /** What stands of reports at the site, their objects at the platform, and what those were given. */
  const standing = new Map<string, string | null>();
  const objects = new Map<string, string | undefined>();
  const given = new Map<string | undefined, Pick<Item, 'status' | 'priority'> & { readonly notes: Set<string> }>();
  const callsOf = new Map<string, readonly [string, HelpCall][]>();
  const violations: Violation[] = [];
  const counts = { repeats: 0, deadLettered: 0 };

  const firstStored = (name: string, entry: SeenEntry, source: string): void => {
    const item = owed.get(name);
    owed.delete(name);
    missing.delete(name);
    const says = saidBy(entry.item as Item);
    if (item && item.says !== null && item.says !== says)
      violations.push({ rule: 'content', what: `${name} says "${says}" and not "${item.says}"`, about: [source] });
    // What was dead-lettered may come once more, late: by the vendor, when the store has lost its mark.
    if (!item || item.order === null || item.sos || givenUp.has(name)) return;
    const line = `${entry.kind} ${item.integration} ${source}`;
    const before = newest.get(line) ?? -1;
    if (item.order < before)
      violations.push({ rule: 'order', what: `${name} came after event ${before}`, about: [source] });
    newest.set(line, Math.max(before, item.order));
    const own = nameOf('observation', item.integration, source, item.at);
    if (entry.kind === 'message' && !stored.has(own) && !givenUp.has(own))
      violations.push({ rule: 'message first', what: `${name} came before its observation`, about: [source] });
  };

  const isOf = (at: number, { from, to }: HelpCall): boolean => at >= from - clockErrorMs && at <= to + clockErrorMs;

  /** An item of a device without a clock answers each call that was under way when it was received. */
  const answerCalls = (source: string, at: number): void => {
    seenAt.set(source, [...(seenAt.get(source) ?? []), at]);
    for (const [name, call] of callsOf.get(source) ?? []) if (isOf(at, call)) missing.delete(name);
  };

  /** What the platform has of a report is what came last. */
  const showReport = (source: string, version: number): void => {
    const last = newest.get(source) ?? 0;
    newest.set(source, Math.max(last, version));
    const name = nameOf('event', siteIntegration, source, Math.max(last, version));
    const item = owed.get(name);
    if (version >= last) missing.delete(name);
    else if (item) missing.set(name, item);
  };

  const give = ({ kind, object_id, item }: SeenEntry): void => {
    if (kind !== 'event' && kind !== 'event_change') return;
    const { event = object_id, status, priority, notes = [] } = item as Item;
    const { notes: before, ...members } = given.get(event) ?? { notes: new Set<string>() };
    given.set(event, {
      ...members,
      ...(status === undefined ? {} : { status }),
      ...(priority === undefined ? {} : { priority }),
      notes: new Set([...before, ...notes.map(({ id }) => id)]),
    });
  };

  const accept = (name: string, entry: SeenEntry, source: string): void => {
    const before = accepted.get(name);
    if (before !== undefined) {
      counts.repeats += 1;
      if (!mayRepeat(before, entry.at))
        violations.push({
          rule: 'repeated',
          what: `${name}: accepted at ${before}, again at ${entry.at}`,
          about: [source],
        });
    }
    accepted.set(name, entry.at);
  };

  /** Until its next version, which brings all of it. */
  const giveUpReport = (title: string): void => {
    const report = reportIn({ title });
    if (!report) return;
    missing.delete(nameOf('event', siteIntegration, report.source, report.version));
    standing.delete(report.source);
  };

  const judgeLetter = (source: string, reason: string): void => {
    counts.deadLettered += 1;
    if (goodReasons.has(reason)) return;
    violations.push({ rule: 'given up', what: `an event of ${source} was dead-lettered: ${reason}`, about: [source] });
  };

  const giveUp = ({ integration_id: integration, source, observation, message }: GivenUp): void => {
    for (const [kind, item] of [
      ['observation', observation],
      ['message', message],
    ] as const)
      if (item) {
        const name = nameOf(kind, integration, source, Date.parse(item.recorded_at));
        missing.delete(name);
        givenUp.add(name);
      }
  };

  return {
    counts,
    violations,
    missing: () => [...missing.values()],
    outdated: () =>
      [...standing].flatMap(([source, says]): Violation[] => {
        const object = given.get(objects.get(source));
        if (object === undefined) return [];
        const has = JSON.stringify([object.status, object.priority, [...object.notes].sort()]);
        const what = `${source} is ${has} at the platform, and ${says} at the site`;
        return has === says ? [] : [{ rule: 'lost', what, about: [`${source} `, `${source} note`] }];
      }),
    sosViolations(steps) {
      const namesOf = (...kinds: readonly SosStep['step'][]) =>
        new Map(
          steps
            .filter(({ step, source }) => kinds.includes(step) && !source.startsWith(clocklessPrefix))
            .flatMap(({ parts, integration_id: id, source, recorded_at: at }) =>
              parts.map((part) => [nameOf(part, id, source, Date.parse(at)), source] as const),
            ),
        );
      const told = namesOf('accepted', 'settled');
      return [
        ...[...namesOf('accepted')]
          .filter(([name]) => !stored.has(name) && !accepted.has(name))
          .map(([name, source]) =>
            sosViolation(name, source, 'counts as accepted, and the platform has not accepted it'),
          ),
        ...[...sosItems]
          .filter(([name]) => !told.has(name) && !givenUp.has(name))
          .map(([name, source]) => sosViolation(name, source, 'was accepted, and the log of SOS does not say so')),
      ];
    },
    complete: () => missing.size === 0,
    sent: (text, at) => void texts.set(text, [...(texts.get(text) ?? []), at]),
    timesOf: (text) => texts.get(text) ?? [],
    owe(items) {
      for (const item of items) {
        const name = nameOf(item.kind, item.integration, item.source, item.at);
        if (owed.has(name) || stored.has(name)) continue;
        owed.set(name, item);
        if (item.sos) sosItems.set(name, item.source);
        if (item.kind === 'event') {
          standing.set(item.source, item.says);
          missing.delete(nameOf(item.kind, item.integration, item.source, item.at - 1));
        }
        if (!givenUp.has(name)) missing.set(name, item);
      }
    },
    oweCall(call) {
      const { integration, source, from } = call;
      const name = nameOf('call for help', integration, source, from);
      callsOf.set(source, [...(callsOf.get(source) ?? []), [name, call]]);
      if ((seenAt.get(source) ?? []).some((at) => isOf(at, call))) return;
      missing.set(name, { kind: 'call for help', integration, source, at: from, order: null, sos: true, says: null });
    },
    deadLettered(event, reason) {
      judgeLetter(event.source, reason);
      giveUp(event);
    },
    reportDeadLettered(title, reason) {
      judgeLetter(title, reason);
      giveUpReport(title);
    },
    lost: giveUp,
    reportLost: giveUpReport,
    see(entries) {
      for (const entry of entries) {
        if (entry.integration === null || entry.kind === 'attachment') continue;
        const report = reportIn(entry.item as Item);
        const { source: said = '', recorded_at = '' } = entry.item as Item;
        const source = report?.source ?? said;
        const at = report?.version ?? Date.parse(recorded_at);
        const name = nameOf(report ? 'event' : entry.kind, entry.integration, source, at);
        if (entry.outcome === 'stored') {
          give(entry);
          if (report && entry.kind === 'event') objects.set(source, entry.object_id);
          if (report) showReport(source, at);
          else if (source.startsWith(clocklessPrefix)) answerCalls(source, at);
          else if (!stored.has(name)) {
            stored.add(name);
            firstStored(name, entry, source);
          }
        }
        // A change says what is, so it may come again; an event that is dropped as a repeat may be posted anew.
        if (source.startsWith(clocklessPrefix) || entry.kind === 'event_change') continue;
        const isTaken = entry.outcome === 'stored' || (entry.outcome === 'duplicate' && !report);
        if (entry.status === 200 && isTaken) accept(name, entry, source);
      }
    },
  };
};
