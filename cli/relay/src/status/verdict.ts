import { humanCount, humanSpan, plural } from '@ranger-relay/terminal';
import type { Overview, Problem, Status, Verdict } from './model.ts';
import type { Outcomes, RecentCounts } from './recent-counts.ts';

/** Inputs of the verdict. */
export interface Facts extends Pick<Status, 'services' | 'integrations' | 'sos' | 'texts' | 'runs'> {
  readonly totals: Overview['totals'];
  /** Undefined when the services are in other processes, as on a cluster. */
  readonly recent: RecentCounts | undefined;
  /** Ms since 1970. */
  readonly now: number;
}

/** Younger events may still be in flight, s. */
const patienceSeconds = { sos: 10, events: 60, texts: 300 };

const critical = (text: string): Problem => ({ level: 'critical', text });
const warning = (text: string): Problem => ({ level: 'warning', text });

const sosProblems = ({ sos, now }: Facts): Problem[] => {
  const events = sos.flatMap((call) => call.events);
  const ages = events
    .filter(({ delivery }) => delivery === 'waiting')
    .map(({ received_at }) => (now - Date.parse(received_at)) / 1_000)
    .filter((age) => age >= patienceSeconds.sos);
  const refused = events.filter(({ delivery }) => delivery === 'refused').length;
  const unproven = events.filter(({ delivery }) => delivery === 'not_known').length;
  const wait = ages.length === 1 ? 'waits' : 'wait';
  return [
    ...(ages.length > 0
      ? [
          critical(
            `${plural(ages.length, 'SOS', 'SOS')} ${wait} for the platform, the oldest for ${humanSpan(Math.max(...ages))}`,
          ),
        ]
      : []),
    ...(refused > 0
      ? [
          critical(
            `${plural(refused, 'SOS', 'SOS')} could not be delivered and ${refused === 1 ? 'is' : 'are'} in the dead letters`,
          ),
        ]
      : []),
    ...(unproven > 0
      ? [warning(`it is not known whether the platform accepted ${plural(unproven, 'SOS', 'SOS')}: ranger-relay sos`)]
      : []),
  ];
};

const serviceProblems = ({ services }: Facts): Problem[] =>
  services
    .filter(({ ready }) => !ready)
    .map(({ name, failing }) =>
      critical(`${name} is not ready${failing.length > 0 ? ` (${failing.join(', ')})` : ''}`),
    );

const sum = (outcomes: Outcomes, fits: (name: string) => boolean): number =>
  [...outcomes].reduce((total, [name, count]) => total + (fits(name) ? count : 0), 0);

const namesOf = (outcomes: Outcomes, fits: (name: string) => boolean): string =>
  [...outcomes.keys()].filter(fits).sort().join(', ');

const webhookProblems = ({ recent }: Facts): Problem[] => {
  if (!recent) return [];
  const { webhooks } = recent;
  const all = sum(webhooks, () => true);
  const failed = sum(webhooks, (status) => status >= '5');
  const refused = sum(webhooks, (status) => status.startsWith('4'));
  const told = (count: number, statuses: string): string =>
    `${humanCount(count)} of the vendor's ${plural(all, 'request')} in the last minute ${count === 1 ? 'was' : 'were'} answered ${statuses}`;
  if (failed > 0) {
    const text = told(
      failed,
      namesOf(webhooks, (status) => status >= '5'),
    );
    return [failed + refused === all ? critical(text) : warning(text)];
  }
  return refused > 0 && refused === all
    ? [
        warning(
          told(
            refused,
            namesOf(webhooks, () => true),
          ),
        ),
      ]
    : [];
};

/** Any response except a refusal of our credentials shows that it works. */
const isWell = (outcome: string): boolean => /^[234]xx$/.test(outcome);

const platformProblems = ({ recent }: Facts): Problem[] => {
  if (!recent) return [];
  const ends = [
    ['platform', recent.platform],
    ["platform's sensors API", recent.sensors],
  ] as const;
  return ends.flatMap(([name, outcomes]) => {
    const failed = sum(outcomes, (outcome) => !isWell(outcome));
    if (failed === 0 || sum(outcomes, isWell) > 0) return [];
    return [
      critical(
        `the ${name} accepted none of ${plural(failed, 'call')} in the last minute (${namesOf(outcomes, () => true)})`,
      ),
    ];
  });
};

const waitProblems = ({ integrations, totals }: Facts): Problem[] => {
  const parked = integrations.filter((integration) => integration.parked > 0);
  const late = integrations.filter(
    (integration) => integration.parked === 0 && integration.oldest_unsent_seconds >= patienceSeconds.events,
  );
  const oldest = (of: typeof integrations): string =>
    `the oldest for ${humanSpan(Math.max(...of.map(({ oldest_unsent_seconds: age }) => age)))}`;
  return [
    ...(parked.length > 0
      ? [
          warning(
            `${plural(totals.parked, 'event')} of ${plural(parked.length, 'integration')} are parked, ${oldest(parked)}`,
          ),
        ]
      : []),
    ...(late.length > 0 ? [warning(`events of ${plural(late.length, 'integration')} wait, ${oldest(late)}`)] : []),
  ];
};

const textProblems = ({ texts }: Facts): Problem[] => {
  const { pending, unknown, oldest_undecided_seconds: age } = texts;
  if (pending + unknown === 0 || age < patienceSeconds.texts) return [];
  return [warning(`${plural(pending + unknown, 'text')} to devices undecided, the oldest for ${humanSpan(age)}`)];
};

const personProblems = ({ totals, runs }: Facts): Problem[] => {
  const failed = runs.filter(({ outcome }) => outcome === 'failed').map(({ action_id: action }) => action);
  const letters = totals.dead_letters;
  return [
    ...(letters > 0
      ? [warning(`${plural(letters, 'dead letter')} ${letters === 1 ? 'waits' : 'wait'} for a decision`)]
      : []),
    ...(failed.length > 0 ? [warning(`the last run of ${[...new Set(failed)].join(', ')} failed`)] : []),
  ];
};

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** State of the whole chain: responses to the vendor, services, waiting events, responses of the platform, pending decisions. */
export const verdictOf = (facts: Facts): Verdict => {
  const found = [
    ...sosProblems(facts),
    ...serviceProblems(facts),
    ...webhookProblems(facts),
    ...platformProblems(facts),
    ...waitProblems(facts),
    ...textProblems(facts),
    ...personProblems(facts),
  ].map(({ level, text }) => ({ level, text: capital(text) }));
  const problems = [
    ...found.filter(({ level }) => level === 'critical'),
    ...found.filter(({ level }) => level === 'warning'),
  ];
  const [worst] = problems;
  if (worst) return { level: worst.level, text: worst.text, problems };
  const { waiting } = facts.totals;
  const text =
    waiting === 0 ? 'Everything works, nothing waits' : `Everything works, ${plural(waiting, 'event')} on the way`;
  return { level: 'ok', text, problems };
};
