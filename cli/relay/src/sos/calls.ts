import { type EventPart, eventPartSchema, sosStateSchema, type SosStep, sourceEventKey } from '@ranger-relay/contracts';
import type { Delivery, SosCall, SosEvent, Step } from './model.ts';

/** Identity of an SOS event: what every fact about it repeats. */
export type SosEventId = Pick<
  SosStep,
  'integration_id' | 'source' | 'event_id' | 'sos' | 'recorded_at' | 'received_at' | 'parts'
>;

/** A fact about one SOS event. */
export type SosFact = SosEventId &
  Pick<SosStep, 'at' | 'object_ids' | 'dead_letter'> & {
    /** Besides the steps of the log: `refused`, told by a dead letter; `waiting`, told by a record that the forwarder has not committed. */
    readonly step: SosStep['step'] | 'refused' | 'waiting';
  };

/** Facts about one event; of equal facts the earliest. */
interface Event extends SosEventId {
  readonly facts: Map<string, SosFact>;
}

const textOrder = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
const earlier = (a: string, b: string): string => (textOrder(a, b) <= 0 ? a : b);

const factKey = ({ step, dead_letter: letter, parts }: SosFact): string =>
  [step, letter?.id, letter?.attempts, ...parts.toSorted()].join(' ');

/** Equal facts are told several times, in any order: which one counts depends on neither. */
const isEarlier = (a: SosFact, b: SosFact): boolean =>
  (textOrder(a.at, b.at) || textOrder(JSON.stringify(a), JSON.stringify(b))) < 0;

const add = (event: Event | undefined, fact: SosFact): Event => {
  const facts = event?.facts ?? new Map<string, SosFact>();
  const known = facts.get(factKey(fact));
  if (!known || isEarlier(fact, known)) facts.set(factKey(fact), fact);
  const { integration_id, source, event_id, sos } = fact;
  return {
    integration_id,
    source,
    event_id,
    sos,
    facts,
    recorded_at: earlier(fact.recorded_at, event?.recorded_at ?? fact.recorded_at),
    received_at: earlier(fact.received_at, event?.received_at ?? fact.received_at),
    parts: eventPartSchema.options.filter((part) => fact.parts.includes(part) || event?.parts.includes(part)),
  };
};

/** The worst first. */
const urgency: readonly Delivery[] = ['refused', 'waiting', 'not_known', 'dropped_disabled', 'dropped', 'accepted'];

const worst = (deliveries: readonly Delivery[]): Delivery =>
  urgency.find((delivery) => deliveries.includes(delivery)) ?? 'not_known';

/** What became of a dead letter: a person replays it, and it may be refused again. */
const letterDelivery = (id: string, facts: readonly SosFact[]): Delivery | undefined => {
  const own = facts.filter(({ dead_letter: letter }) => letter?.id === id);
  const refused = own.filter(({ step }) => step === 'refused');
  const attempts = Math.max(0, ...refused.map(({ dead_letter: letter }) => letter?.attempts ?? 0));
  const has = (step: SosFact['step']): boolean =>
    own.some((fact) => fact.step === step && (fact.dead_letter?.attempts ?? 0) >= attempts);
  if (has('accepted') || has('settled')) return 'accepted';
  if (has('dropped')) return 'dropped';
  if (has('waiting')) return 'waiting';
  if (!has('replayed')) return 'refused';
  // A letter that holds the whole event, or what could not be read as one, is replayed as the event itself.
  return refused.every(({ parts }) => parts.length === 1) ? 'not_known' : undefined;
};

const deliveryOf = (event: Event): Pick<SosEvent, 'delivery' | 'dead_letter'> => {
  const facts = [...event.facts.values()];
  const ids = [...new Set(facts.flatMap(({ dead_letter: letter }) => letter?.id ?? []))].sort();
  const letters = ids.map((id) => ({ id, delivery: letterDelivery(id, facts) }));
  const told = new Set(letters.filter(({ delivery }) => delivery !== undefined).map(({ id }) => id));
  const inLetters = new Set(
    facts.filter(({ dead_letter: letter }) => letter && told.has(letter.id)).flatMap(({ parts }) => parts),
  );
  const direct = facts.filter(({ dead_letter: letter }) => !letter);
  const steps = new Set(direct.map(({ step }) => step));
  const partDelivery = (part: EventPart): Delivery => {
    // What is in no dead letter.
    const isIn = ({ step, parts }: SosFact): boolean =>
      (step === 'accepted' || step === 'settled') && parts.includes(part);
    if (direct.some(isIn)) return 'accepted';
    if (steps.has('waiting')) return 'waiting';
    // A vendor sends an event again: what was stored once was not dropped.
    return steps.has('dropped_disabled') && !steps.has('stored') ? 'dropped_disabled' : 'not_known';
  };
  const delivery = worst([
    ...letters.flatMap((letter) => letter.delivery ?? []),
    ...event.parts.filter((part) => !inLetters.has(part)).map(partDelivery),
  ]);
  return { delivery, dead_letter: letters.find((letter) => letter.delivery === 'refused')?.id ?? null };
};

const seconds = (from: string, to: string): number => Math.max(0, Date.parse(to) - Date.parse(from)) / 1_000;

const arrival = { declared: 'received', confirmed: 'confirmed', cancelled: 'cancelled' } as const;

/** The facts that are steps. Parts that are settled were accepted, except those whose acceptance or refusal another fact tells. */
const toldFacts = (event: Event): SosFact[] => {
  const facts = [...event.facts.values()];
  const isTold = (part: EventPart): boolean =>
    facts.some(({ step, parts }) => (step === 'accepted' || step === 'refused') && parts.includes(part));
  return facts.flatMap((fact): SosFact[] => {
    if (fact.step === 'waiting') return [];
    if (fact.step !== 'settled') return [fact];
    const parts = fact.parts.filter((part) => !isTold(part));
    return parts.length > 0 ? [{ ...fact, step: 'accepted', parts }] : [];
  });
};

const stepsOf = (event: Event): Step[] => {
  const told = toldFacts(event).sort((a, b) => (isEarlier(a, b) ? -1 : 1));
  const steps = told.map(({ step, at, dead_letter: letter, object_ids: ids }) => ({
    step: step as Step['step'],
    at,
    seconds: seconds(event.received_at, at),
    dead_letter: letter?.id ?? null,
    object_ids: ids ?? [],
  }));
  return [{ step: arrival[event.sos], at: event.received_at, seconds: 0, dead_letter: null, object_ids: [] }, ...steps];
};

const toEvent = (event: Event): SosEvent => ({
  event_id: event.event_id,
  state: event.sos,
  recorded_at: event.recorded_at,
  received_at: event.received_at,
  ...deliveryOf(event),
  steps: stepsOf(event),
});

/** Nothing more happens to it by itself. */
const isSettled = ({ delivery }: SosEvent): boolean => ['accepted', 'dropped', 'dropped_disabled'].includes(delivery);

const callOf = ({ integration_id, source }: Event, events: readonly SosEvent[]): SosCall => {
  const delivery = worst(events.map((event) => event.delivery));
  return {
    integration_id,
    source,
    state: events.at(-1)?.state ?? 'declared',
    received_at: events[0]?.received_at ?? '',
    name: null,
    open: !events.some(({ state }) => state === 'cancelled') || !events.every(isSettled),
    delivery,
    dead_letter: events.find((event) => event.dead_letter !== null)?.dead_letter ?? null,
    events: [...events],
  };
};

const ranks = sosStateSchema.options;

/** By the device's own time: a network may bring a cancellation before the SOS. */
const byDevice = (a: Event, b: Event): number =>
  textOrder(a.recorded_at, b.recorded_at) ||
  ranks.indexOf(a.sos) - ranks.indexOf(b.sos) ||
  textOrder(a.event_id, b.event_id);

/** Each declared event is an SOS; later events of the device join those that it has not cancelled yet. */
const callsOfDevice = (events: readonly Event[]): SosCall[] => {
  const calls: Event[][] = [];
  let current: Event[][] = [];
  for (const event of [...events].sort(byDevice)) {
    if (event.sos === 'declared' || current.length === 0) {
      const call: Event[] = [];
      calls.push(call);
      current.push(call);
      call.push(event);
    } else for (const call of current) call.push(event);
    if (event.sos === 'cancelled') current = [];
  }
  return calls.map((call) => callOf(call[0] as Event, call.map(toEvent)));
};

/** An event that could not be read has the id of its dead letter, until a replay tells which events it is. */
const aliasesOf = (facts: readonly SosFact[]): ReadonlyMap<string, ReadonlySet<string>> => {
  const aliases = new Map<string, Set<string>>();
  for (const { dead_letter: letter, event_id: id } of facts)
    if (letter && letter.id !== id) aliases.set(letter.id, (aliases.get(letter.id) ?? new Set()).add(id));
  return aliases;
};

const byUrgency = (a: SosCall, b: SosCall): number =>
  Number(b.open) - Number(a.open) ||
  urgency.indexOf(a.delivery) - urgency.indexOf(b.delivery) ||
  textOrder(b.received_at, a.received_at) ||
  textOrder(a.events[0]?.event_id ?? '', b.events[0]?.event_id ?? '');

/**
 * Folds what is known about SOS events into the list of SOS: open ones first, then the newest. Facts may be doubled and in any order.
 * An event counts as accepted only where each of its parts has a fact that says so.
 */
export const sosCalls = (facts: readonly SosFact[]): SosCall[] => {
  const aliases = aliasesOf(facts);
  const byId = new Map<string, Event>();
  const groups = new Map<string, Event[]>();
  for (const fact of facts)
    for (const id of aliases.get(fact.event_id) ?? [fact.event_id]) {
      const key = `${fact.integration_id} ${id}`;
      byId.set(key, add(byId.get(key), { ...fact, event_id: id }));
    }
  for (const event of byId.values()) {
    // Without a device, an event joins no other.
    const device = event.source === '' ? event.event_id : sourceEventKey(event.integration_id, event.source);
    groups.set(device, [...(groups.get(device) ?? []), event]);
  }
  return [...groups.values()].flatMap(callsOfDevice).sort(byUrgency);
};
