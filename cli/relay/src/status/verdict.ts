import {
  type Causes,
  conditionSpec,
  type ConditionName,
  type Conditions,
  type ConditionState,
  type Details,
  findCauses,
  integrationOfCondition,
  isAboutSos,
  remedyOf,
  sentenceOf,
} from '@ranger-relay/runtime';
import { humanAgo, humanSpan, plural } from '@ranger-relay/terminal';
import type { Delivery, SosEvent } from '../sos/model.ts';
import type { Overview, Problem, Status, Verdict } from './model.ts';

/** What bus and store hold, as far as it can be wrong. */
export interface Facts extends Pick<Status, 'integrations' | 'sos' | 'texts'> {
  readonly totals: Overview['totals'];
  /** When each service wrote to the store last, ms since 1970. */
  readonly lastWrites: ReadonlyMap<string, number>;
  /** Time of the store, ms since 1970. */
  readonly storeNow: number;
  /** What people dismissed. */
  readonly dismissed: readonly ConditionState[];
  /** When the oldest dead letter failed, ms since 1970. */
  readonly lettersSince: number;
  /** ms since 1970. */
  readonly now: number;
}

/** Younger ones may still be in flight, s. */
const patienceSeconds = { sos: 10, events: 60, texts: 300 };

/** A service that has written nothing to the store for so long, four times its interval, does not run, ms. */
export const silentMs = 60_000;

/** The conditions that are seen in what bus and store hold. */
const factNames = [
  'sos_waiting',
  'sos_refused',
  'sos_not_known',
  'events_waiting',
  'texts_undecided',
  'dead_letters',
  'service_gone',
] as const;

/** Whether a condition is a view of what bus and store hold, which alone end it. */
export const isOfStores = (name: string): boolean =>
  name !== 'sos_not_known' && (factNames as readonly string[]).includes(name);

interface Fact {
  readonly name: ConditionName;
  readonly subject: string;
  readonly details: Details;
  /** ms since 1970. */
  readonly since?: number;
}

const sosFacts = ({ sos, now }: Facts): Fact[] =>
  sos.flatMap(({ integration_id: integration, source, events }) => {
    const oldest = (wanted: Delivery): SosEvent | undefined => events.find(({ delivery }) => delivery === wanted);
    const waiting = oldest('waiting');
    const late = waiting && now - Date.parse(waiting.received_at) >= patienceSeconds.sos * 1_000 ? waiting : undefined;
    const found = [
      ['sos_waiting', late],
      ['sos_refused', oldest('refused')],
      ['sos_not_known', oldest('not_known')],
    ] as const;
    return found.flatMap(([name, event]) => {
      if (!event) return [];
      const { state, received_at: at } = event;
      return { name, subject: `${integration}/${source}`, details: { state }, since: Date.parse(at) };
    });
  });

const eventFacts = ({ integrations, now }: Facts): Fact[] =>
  integrations
    .filter(({ parked, oldest_unsent_seconds: age }) => parked > 0 || age >= patienceSeconds.events)
    .map(({ id, waiting, parked, oldest_unsent_seconds: age }) => ({
      name: 'events_waiting',
      subject: id,
      details: { events: waiting + parked, parked },
      since: now - age * 1_000,
    }));

const textFacts = ({ texts, now }: Facts): Fact[] => {
  const { pending, unknown, oldest_undecided_seconds: age } = texts;
  if (pending + unknown === 0 || age < patienceSeconds.texts) return [];
  return [{ name: 'texts_undecided', subject: '', details: { texts: pending + unknown }, since: now - age * 1_000 }];
};

const letterFacts = ({ totals: { dead_letters: letters }, lettersSince: since }: Facts): Fact[] =>
  letters > 0 ? [{ name: 'dead_letters', subject: '', details: { letters }, since }] : [];

const serviceFacts = ({ lastWrites, storeNow }: Facts): Fact[] =>
  [...lastWrites]
    .filter(([, at]) => storeNow - at >= silentMs)
    .map(([subject, since]) => ({ name: 'service_gone', subject, details: {}, since }));

/** Nothing shows that it is over what became of an SOS: a person's word ends it, until the device has a newer one. */
const isDismissed = ({ name, subject, since = Infinity }: Fact, { dismissed }: Facts): boolean =>
  name === 'sos_not_known' &&
  dismissed.some((each) => each.name === name && each.subject === subject && each.lastAt >= since);

/** Sets and clears the conditions that bus and store show. */
export const applyFacts = (conditions: Conditions, facts: Facts): void => {
  const all = [sosFacts, eventFacts, textFacts, letterFacts, serviceFacts].flatMap((find) => find(facts));
  const found = all.filter((fact) => !isDismissed(fact, facts));
  for (const { name, subject, details, since } of found) conditions.set(name, subject, details, since);
  const held = new Set(found.map(({ name, subject }) => `${name} ${subject}`));
  for (const { name, subject } of conditions.active())
    if ((factNames as readonly string[]).includes(name) && !held.has(`${name} ${subject}`))
      conditions.clear(name, subject);
};

/** Conditions that say why the events of an integration wait. */
const reasons: ReadonlySet<ConditionName> = new Set([
  'api_key_refused',
  'forwarding_failing',
  'refusals_held',
  'site_events_failing',
]);
const minuteMs = 60_000;
/** Subjects of one condition that are listed; of more, the first one and their number. */
const maxListed = 3;

/** What the verdict is made of. */
export interface VerdictFacts {
  /** Merged conditions of all processes. */
  readonly conditions: readonly ConditionState[];
  readonly integrations: Status['integrations'];
  readonly nameOf: (integrationId: string) => string | null;
  /** The services that are known. */
  readonly services: Status['services'];
  /** Events on the way. */
  readonly waiting: number;
  /** ms since 1970. */
  readonly now: number;
}

/** The subject as people know it: the integration's name in place of its id, and an SOS by its device. */
export const shownSubject = ({ name, subject }: ConditionState, nameOf: VerdictFacts['nameOf']): string => {
  const integration = integrationOfCondition(name, subject);
  if (integration === null) return subject;
  const shown = nameOf(integration) ?? integration;
  const below = subject.slice(integration.length + 1);
  const rest = conditionSpec(name).subject === 'sos' ? below.slice(0, below.lastIndexOf('/')) : below;
  return rest === '' ? shown : `${rest} of ${shown}`;
};

const waitText = ({ sos, waiting, parked }: Status['integrations'][number]): string => {
  const events = waiting + parked - sos;
  const parts = [...(sos > 0 ? [plural(sos, 'SOS', 'SOS')] : []), ...(events > 0 ? [plural(events, 'event')] : [])];
  return parts.length === 0 ? '' : `; ${parts.join(' and ')} ${sos + events === 1 ? 'waits' : 'wait'}`;
};

const problemOf = (
  state: ConditionState,
  facts: VerdictFacts,
  { causeOf, followersOf, followersText }: Causes,
): Problem => {
  const followers = followersText(state, (each) => shownSubject(each, facts.nameOf));
  const { name, subject, since, lastAt } = state;
  const { runbook, tells } = conditionSpec(name);
  const integration = integrationOfCondition(name, subject);
  const own = reasons.has(name) ? facts.integrations.find(({ id }) => id === integration) : undefined;
  const isCritical = [state, ...followersOf(state)].some((each) => conditionSpec(each.name).severity === 'critical');
  const span = `for ${humanSpan(Math.round((facts.now - since) / 1_000))}`;
  const last = `the last ${humanAgo(new Date(lastAt).toISOString(), facts.now)}`;
  const age = tells !== 'last' ? span : lastAt - since >= minuteMs ? `${span}, ${last}` : last;
  return {
    level: isCritical ? 'critical' : 'warning',
    condition: name,
    subject,
    since: new Date(since).toISOString(),
    text: `${sentenceOf(state, shownSubject(state, facts.nameOf))}, ${age}${own ? waitText(own) : ''}${followers === '' ? '' : `; follows from it: ${followers}`}`,
    remedy: remedyOf(state),
    runbook,
    follows_from: causeOf(state)?.name ?? null,
  };
};

const withoutRepeats = (states: readonly ConditionState[]): readonly ConditionState[] => {
  const explained = new Set(states.filter(({ name }) => reasons.has(name)).map(({ subject }) => subject));
  return states.filter(({ name, subject }) => name !== 'events_waiting' || !explained.has(subject));
};

/** The problems to show: causes, and of a condition with more subjects, the first one and the number of the others; each SOS, because each is a person. */
export const listedProblems = (problems: readonly Problem[]): readonly Problem[] => {
  const causes = problems.filter(({ follows_from: cause }) => cause === null);
  return [...Map.groupBy(causes, ({ condition }) => condition).values()].flatMap((same) => {
    const [first] = same;
    if (!first || same.length <= maxListed || isAboutSos(first.condition)) return same;
    return [{ ...first, text: `${first.text} (and ${same.length - 1} more)` }];
  });
};

/** An SOS that came a moment ago: not late, but nobody is told that all is well while a call for help is on its way. */
const sosOnTheWay = ({ integrations, now }: VerdictFacts): Problem[] => {
  const waiting = integrations.filter(({ sos }) => sos > 0);
  const [first] = waiting;
  if (!first) return [];
  const { remedy, runbook } = conditionSpec('sos_waiting');
  const count = waiting.reduce((sum, { sos }) => sum + sos, 0);
  return [
    {
      level: 'warning',
      condition: 'sos_waiting',
      subject: first.id,
      since: new Date(now).toISOString(),
      text: `${plural(count, 'SOS', 'SOS')} ${count === 1 ? 'is' : 'are'} on the way to the platform`,
      remedy: `If it is not accepted within ten seconds: ${remedy}`,
      runbook,
      follows_from: null,
    },
  ];
};

/** Without a service nothing is received, and nobody would say so. */
const noService = ({ services, now }: VerdictFacts): Problem[] =>
  services.length > 0
    ? []
    : [
        {
          level: 'critical',
          condition: 'service_gone',
          subject: '',
          since: new Date(now).toISOString(),
          text: 'No service writes to this store: none runs, or they use another one',
          remedy: 'Start the services, or compare KV_HOST, KV_PORT and the databases with theirs.',
          runbook: conditionSpec('service_gone').runbook,
          follows_from: null,
        },
      ];

/** State of the whole chain: a view of the conditions, the worst first, and first of all what is about an SOS. */
export const verdictOf = (facts: VerdictFacts): Verdict => {
  const conditions = withoutRepeats(facts.conditions);
  const causes = findCauses(conditions);
  const tellsOfSos = (state: ConditionState): boolean =>
    [state, ...causes.followersOf(state)].some(({ name }) => isAboutSos(name));
  const sosFirst = [...conditions.filter(tellsOfSos), ...conditions.filter((state) => !tellsOfSos(state))];
  const known = sosFirst.map((state) => problemOf(state, facts, causes));
  const found = known.length > 0 ? known : [...noService(facts), ...sosOnTheWay(facts)];
  const problems = [
    ...found.filter(({ level }) => level === 'critical'),
    ...found.filter(({ level }) => level === 'warning'),
  ];
  const [worst] = listedProblems(problems);
  if (worst) return { level: worst.level, text: worst.text, problems };
  const text =
    facts.waiting === 0
      ? 'Everything works, nothing waits'
      : `Everything works, ${plural(facts.waiting, 'event')} on the way`;
  return { level: 'ok', text, problems };
};
