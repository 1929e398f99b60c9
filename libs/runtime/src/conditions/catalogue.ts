import type { ConditionSpec, Details, SentenceFacts } from './spec.ts';

const reasonOf = ({ details }: SentenceFacts): string => String(details['reason'] ?? 'unknown reason');

const many = (count: number, one: string, more = `${one}s`): string => `${count} ${count === 1 ? one : more}`;

const maxNamed = 5;
const named = (subjects: readonly string[]): string =>
  subjects.length > maxNamed
    ? `${subjects.slice(0, maxNamed).join(', ')} and ${subjects.length - maxNamed} more`
    : new Intl.ListFormat('en').format(subjects);

const diskCauses = ['volume_full', 'file_replaced'] as const;
const busCauses = [...diskCauses, 'bus_write_failing'] as const;
const topicCauses = [...diskCauses, 'topic_unavailable', 'bus_write_failing'] as const;
const platformCauses = ['platform_unavailable', 'platform_credentials_refused'] as const;
const unwritten = {
  from: ({ code }: Details) => (code === 'bus_topic_unknown' ? topicCauses : busCauses),
  text: (topics: readonly string[]) => `records cannot be written to ${named(topics)}`,
};

/** Codes of failed webhook requests whose cause has a condition of its own. */
const requestCauses: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    ['bus_unavailable', 'store_full', 'store_closed', 'store_damaged'].map((code) => [code, busCauses]),
  ),
  bus_topic_unknown: topicCauses,
  clock_behind: ['clock_wrong'],
  platform_unavailable: platformCauses,
};

/** Every condition by its name. */
export const conditionList = {
  bus_write_failing: {
    subject: 'topic',
    severity: 'critical',
    sentence: (facts) => `Records cannot be written to ${facts.subject}: ${reasonOf(facts)}`,
    remedy:
      'Free the disk; on Kafka, run `ranger-relay topics check` and repair the brokers. Call the parks by telephone until then: the vendor sends again what was refused.',
    runbook: 'RelayWebhookUnavailable',
    follows: unwritten,
  },
  topic_write_failing: {
    subject: 'topic',
    severity: 'warning',
    sentence: (facts) => `Records cannot be written to ${facts.subject}: ${reasonOf(facts)}`,
    remedy: 'Free the disk; on Kafka, run `ranger-relay topics check`, and grant the right to write to the topic.',
    runbook: 'RelayTopicUnavailable',
    follows: unwritten,
  },
  topic_unavailable: {
    subject: 'topic',
    severity: 'critical',
    sentence: (facts) => `The topic ${facts.subject} cannot be used: ${reasonOf(facts)}`,
    remedy: 'Run `ranger-relay topics check`, then `ranger-relay topics apply`, or grant the right to the topic.',
    runbook: 'RelayTopicUnavailable',
    follows: {
      from: ({ code }) => (code === 'bus_unavailable' ? busCauses : []),
      text: (topics) => `what ${named(topics)} ${topics.length === 1 ? 'holds' : 'hold'} is not shown`,
    },
  },
  topic_limit_low: {
    subject: 'topic',
    severity: 'warning',
    sentence: ({ subject, details }) =>
      `The topic ${subject} takes records of ${details['takes']} bytes, but ${details['allowed']} are allowed: larger ones wait, or are refused`,
    remedy: 'Run `ranger-relay topics apply`, which raises max.message.bytes.',
    runbook: 'RelayTopicUnavailable',
  },
  store_write_failing: {
    subject: 'process',
    severity: 'warning',
    sentence: (facts) => `The key-value store takes no writes of ${facts.subject}: ${reasonOf(facts)}`,
    remedy: 'Run `ranger-relay doctor`: events are sent without deduplication until it is repaired.',
    runbook: 'RelayStoreLost',
    follows: { from: () => diskCauses, text: () => 'the key-value store takes no writes' },
  },
  store_lost: {
    subject: 'installation',
    severity: 'warning',
    sentence: ({ details }) => `${details['path']} was lost and started empty: what was wrong before is not known`,
    remedy:
      'Run `ranger-relay sos` and `ranger-relay dlq list`, and ask the parks whether all arrived; then `ranger-relay status --dismiss store_lost`.',
    runbook: 'RelayStoreLost',
  },
  bus_lost: {
    subject: 'installation',
    severity: 'warning',
    sentence: ({ details }) =>
      `${details['path']} was ${details['is']}: events that were not sent, dead letters and the record of SOS may be lost`,
    remedy:
      'Call the parks by telephone and ask whether all arrived, their SOS first; then run `ranger-relay status --dismiss bus_lost`.',
    runbook: 'RelayRecordsLost',
  },
  records_lost: {
    subject: 'topic',
    severity: 'critical',
    tells: 'last',
    sentence: ({ subject, details }) =>
      `${many(Number(details['records']), 'record')} of ${subject} ${details['records'] === 1 ? 'was' : 'were'} lost before anything was done with ${details['records'] === 1 ? 'it' : 'them'}: ${reasonOf({ subject, count: 1, details })}`,
    remedy:
      'Call the parks by telephone and ask whether all arrived, their SOS first; then run `ranger-relay status --dismiss records_lost`.',
    runbook: 'RelayRecordsLost',
  },
  service_gone: {
    subject: 'service',
    severity: 'critical',
    sentence: ({ subject }) => `${subject} does not report any more: it does not run, or cannot write to the store`,
    remedy:
      'Start it, and call the parks by telephone until it runs. If it was removed on purpose, run `ranger-relay status --dismiss service_gone`.',
    runbook: 'RelayComponentGone',
  },
  file_replaced: {
    subject: 'installation',
    severity: 'critical',
    sentence: ({ details }) =>
      `Files of DATA_DIR were removed or replaced while they are open: ${details['files']}; what is in them is lost when the process ends`,
    remedy:
      'Moved on one file system: move the files back. Deleted, or moved to another one: do not stop `up` before `ranger-relay status` shows that nothing waits; then stop it, and restore a backup (what came after it is lost) or run `ranger-relay up --accept-empty-bus` (dead letters and the record of SOS are lost; without kv.sqlite, events and texts may be sent twice).',
    runbook: 'RelayWebhookUnavailable',
  },
  volume_full: {
    subject: 'installation',
    severity: 'critical',
    sentence: ({ details }) => `The volume of ${details['path']} is full: ${details['free_mib']} MiB are free`,
    remedy: 'Free space on it, and call the parks by telephone: what the vendor sends is refused until then.',
    runbook: 'RelayVolumeFilling',
  },
  volume_low: {
    subject: 'installation',
    severity: 'warning',
    sentence: ({ details }) => `The volume of ${details['path']} has ${details['free_percent']} % of its space free`,
    remedy: 'Free space on it, or enlarge it, before it is full.',
    runbook: 'RelayVolumeFilling',
  },
  clock_wrong: {
    subject: 'process',
    severity: 'critical',
    sentence: (facts) => {
      const { effect = '' } = facts.details;
      return `The clock of ${facts.subject} is wrong${effect === '' ? '' : `, and it ${effect}`}: ${reasonOf(facts)}`;
    },
    remedy:
      'Synchronize the clock of this machine with a time service. If it is right, tell the operator of the platform.',
    runbook: 'RelayClockWrong',
  },
  service_not_ready: {
    subject: 'process',
    severity: 'critical',
    sentence: (facts) => `${facts.subject} is not ready: these checks fail: ${reasonOf(facts)}`,
    remedy: 'Run `ranger-relay doctor`, and read the log of the service.',
    runbook: 'RelayNotReady',
    follows: {
      from: () => [...busCauses, 'clock_wrong'],
      text: (services) => `${named(services)} ${services.length === 1 ? 'is' : 'are'} not ready`,
    },
  },
  webhook_token_refused: {
    subject: 'integration',
    severity: 'critical',
    tells: 'last',
    quietMs: 300_000,
    sentence: ({ subject, count, details }) =>
      `${subject}: ${many(count, 'request')} ${details['listed'] === 'no' ? 'with a token, and WEBHOOK_TOKENS_FILE names none of it' : 'with a wrong token'}`,
    remedy:
      'Call the park by telephone: the events of these requests are not stored. Compare the token at the vendor with WEBHOOK_TOKENS_FILE; a good request ends this once no wrong token came for five minutes.',
    runbook: 'RelayWebhookTokenRefused',
  },
  webhook_request_refused: {
    subject: 'sender',
    severity: 'warning',
    tells: 'last',
    sentence: ({ subject, count, details }) =>
      `${many(count, 'request')} of ${subject === '' ? 'no integration' : `the unknown integration ${subject}`} ${count === 1 ? 'was' : 'were'} refused (${details['status']})`,
    remedy:
      'Compare the address at the vendor with the id of the integration. A wrong id is silent once it is corrected: then `ranger-relay status --dismiss webhook_request_refused`.',
    runbook: 'RelayWebhookRefused',
  },
  webhook_failing: {
    subject: 'integration',
    severity: 'critical',
    tells: 'last',
    sentence: (facts) =>
      `${facts.subject}: the last webhook request was answered ${facts.details['status']}, what was refused is not here yet, and the vendor sends it again: ${reasonOf(facts)}`,
    remedy:
      'Call the park by telephone, and remove the cause if it lasts. The vendor sends again at first after 2 s, later every 128 s, or, when it has paused, within twelve hours; the next good request ends this.',
    runbook: 'RelayWebhookUnavailable',
    follows: {
      from: ({ code = '' }) => requestCauses[code] ?? [],
      text: (parks) =>
        `requests of ${named(parks)} were refused, and what they held is not here yet: call ${parks.length === 1 ? 'this park' : 'these parks'} by telephone`,
    },
  },
  sos_not_stored: {
    subject: 'sos',
    severity: 'critical',
    tells: 'last',
    sentence: ({ subject, details }) =>
      `SOS ${details['state']} of ${subject}, recorded at ${details['recorded_at']}, was answered ${details['status']}, and is not here yet`,
    remedy:
      'Call the park by telephone. The vendor sends it again at growing intervals, and pauses after twelve hours. Only this SOS ends the condition; if it never comes, run `ranger-relay status --dismiss sos_not_stored`.',
    runbook: 'RelayWebhookUnavailable',
    follows: {
      from: ({ code = '' }) => requestCauses[code] ?? [],
      text: (devices) =>
        `SOS of ${named(devices)} ${devices.length === 1 ? 'was' : 'were'} refused and ${devices.length === 1 ? 'is' : 'are'} not here yet: call the ${devices.length === 1 ? 'park' : 'parks'} by telephone`,
    },
  },
  webhook_tokens_stale: {
    subject: 'process',
    severity: 'warning',
    sentence: (facts) =>
      `The tokens file of ${facts.subject} is invalid, and the last valid one stays in use: ${reasonOf(facts)}`,
    remedy: 'Correct WEBHOOK_TOKENS_FILE; it is read again when it changes.',
    runbook: 'RelayWebhookTokensStale',
  },
  sos_dropped: {
    subject: 'integration',
    severity: 'critical',
    tells: 'last',
    whileDisabled: true,
    sentence: ({ subject, count }) =>
      `${subject} is disabled, and ${many(count, 'SOS', 'SOS')} of it ${count === 1 ? 'was' : 'were'} dropped`,
    remedy: 'Enable the integration in the portal, or disconnect the devices from it.',
    runbook: 'RelaySosDropped',
  },
  platform_unavailable: {
    subject: 'upstream',
    severity: 'critical',
    sentence: (facts) => `The ${facts.subject} does not answer as it should: ${reasonOf(facts)}`,
    remedy: 'Ask the operator of the platform; everything waits and is sent when it answers.',
    runbook: 'RelayPlatformUnavailable',
    follows: {
      from: () => ['platform_unavailable'],
      text: (upstreams) => `the ${named(upstreams)} ${upstreams.length === 1 ? 'does' : 'do'} not answer either`,
    },
  },
  platform_credentials_refused: {
    subject: 'installation',
    severity: 'critical',
    sentence: (facts) => `The platform refuses our credentials: ${reasonOf(facts)}`,
    remedy:
      'Correct PLATFORM_CLIENT_ID and PLATFORM_CLIENT_SECRET, and restart. Until then a process without a store of the configurations refuses all webhooks: call the parks by telephone.',
    runbook: 'RelayPlatformRefusesCredentials',
  },
  api_key_refused: {
    subject: 'integration',
    severity: 'critical',
    sentence: ({ subject }) => `${subject}: the platform refuses its API key`,
    remedy: 'Bind the key to the integration in the portal; its events wait.',
    runbook: 'RelayApiKeyRefused',
  },
  forwarding_failing: {
    subject: 'integration',
    severity: 'warning',
    sentence: (facts) => `${facts.subject}: the platform takes none of its events: ${reasonOf(facts)}`,
    remedy: 'Ask the operator of the platform; the events wait.',
    runbook: 'RelayEventsWaiting',
    follows: {
      from: () => platformCauses,
      text: (parks) => `no events of ${named(parks)} are accepted`,
    },
  },
  site_events_failing: {
    subject: 'integration',
    severity: 'warning',
    sentence: (facts) => `${facts.subject}: the platform does not take the events of its site: ${reasonOf(facts)}`,
    remedy: 'Ask the operator of the platform; the events wait.',
    runbook: 'RelaySiteEventsWaiting',
    follows: {
      from: () => platformCauses,
      text: (parks) => `no events of the sites of ${named(parks)} are accepted`,
    },
  },
  refusals_held: {
    subject: 'integration',
    severity: 'critical',
    sentence: ({ subject }) => `${subject}: the platform refused more than 20 of its items in a row; the rest is held`,
    remedy: 'Read `ranger-relay dlq list`, then `ranger-relay dlq allow`.',
    runbook: 'RelayRefusalsHeld',
  },
  sos_waiting: {
    subject: 'device',
    severity: 'critical',
    sentence: ({ subject, details }) => `SOS ${details['state']} of ${subject} waits for the platform`,
    remedy:
      'Run `ranger-relay sos --open`, and call the park by telephone. Where after a minute no other condition says why it waits, check that an observation-forwarder runs.',
    runbook: 'RelaySosWaiting',
    follows: {
      // An SOS that waits for a reason of its park alone is the first line, not told with another one.
      from: () => platformCauses,
      text: (devices) =>
        `SOS of ${named(devices)} ${devices.length === 1 ? 'waits' : 'wait'}: run \`ranger-relay sos --open\`, and call the ${devices.length === 1 ? 'park' : 'parks'} by telephone`,
    },
  },
  sos_refused: {
    subject: 'device',
    severity: 'critical',
    sentence: ({ subject, details }) => `SOS ${details['state']} of ${subject} is in the dead letters`,
    remedy: 'Call the park by telephone, then run `ranger-relay sos --open`.',
    runbook: 'RelaySosRefused',
  },
  sos_not_known: {
    subject: 'device',
    severity: 'critical',
    sentence: ({ subject, details }) =>
      `It is not known whether the platform accepted SOS ${details['state']} of ${subject}`,
    remedy:
      'Call the park by telephone, run `ranger-relay sos`, and look for it at the platform or the site; then `ranger-relay status --dismiss sos_not_known`.',
    runbook: 'RelaySosWaiting',
  },
  events_waiting: {
    subject: 'integration',
    severity: 'warning',
    sentence: ({ subject, details }) =>
      `${subject}: ${many(Number(details['events']), 'event')} ${Number(details['events']) === 1 ? 'waits' : 'wait'}${Number(details['parked']) > 0 ? ` (${details['parked']} parked)` : ''}`,
    remedy:
      'Another condition of the integration or of the platform says why. Where after a minute none does, check that an observation-forwarder runs, and for events of a site an action-runner.',
    runbook: 'RelayEventsWaiting',
    // What other parks send after an event that waits is committed after it.
    follows: {
      from: () => [...platformCauses, 'api_key_refused', 'refusals_held', 'forwarding_failing', 'site_events_failing'],
      byOthers: true,
      text: (parks) => `events of ${named(parks)} wait, or stand behind events that wait`,
    },
  },
  texts_undecided: {
    subject: 'installation',
    severity: 'warning',
    sentence: ({ details }) =>
      `${many(Number(details['texts']), 'text')} to devices ${Number(details['texts']) === 1 ? 'is' : 'are'} undecided`,
    remedy: 'Run `ranger-relay activity`: the entries of push_messages say why.',
    runbook: 'RelayTextsStuck',
  },
  dead_letters: {
    subject: 'installation',
    severity: 'warning',
    sentence: ({ details }) => {
      const letters = Number(details['letters']);
      return `${many(letters, 'dead letter')} ${letters === 1 ? 'waits' : 'wait'} for a decision`;
    },
    remedy: 'Run `ranger-relay dlq list`, then `dlq replay` or `dlq drop`.',
    runbook: 'RelayDeadLetters',
  },
  integrations_unlisted: {
    subject: 'installation',
    severity: 'warning',
    sentence: ({ details }) =>
      `The platform lists no integration of ${details['type']} any more; schedules go on with those that were known`,
    remedy: 'Ask the operator of the platform. If the integrations were deleted on purpose, it ends within an hour.',
    runbook: 'RelaySchedulesBehind',
  },
  action_failing: {
    subject: 'action',
    severity: 'warning',
    sentence: (facts) => `The last run of ${facts.subject} failed: ${reasonOf(facts)}`,
    remedy: 'Run `ranger-relay activity`, and correct the configuration in the portal.',
    runbook: 'RelayActionFailing',
  },
  vendor_credentials_refused: {
    subject: 'integration',
    severity: 'critical',
    sentence: ({ subject }) => `${subject}: the vendor refuses its account`,
    remedy: 'Correct user name and password of the integration in the portal; its texts to devices wait.',
    runbook: 'RelayVendorRefusesCredentials',
  },
  site_credentials_refused: {
    subject: 'integration',
    severity: 'warning',
    sentence: ({ subject, details }) => `${subject}: the site refuses its account to ${details['action']}`,
    remedy: 'Correct the account of the integration in the portal, or its permissions at the site; the pulls catch up.',
    runbook: 'RelaySiteRefusesCredentials',
  },
  certificate_expiring: {
    subject: 'variable',
    severity: 'warning',
    sentence: ({ subject, details }) =>
      Number(details['days']) < 0
        ? `The certificate of ${subject} has expired`
        : `The certificate of ${subject} expires in ${many(Number(details['days']), 'day')}`,
    remedy: 'Renew the certificate; the file is read again when it changes.',
    runbook: 'RelayCertificateExpiring',
  },
} as const satisfies Readonly<Record<string, ConditionSpec>>;

/** Name of a condition. */
export type ConditionName = keyof typeof conditionList;

/** Whether a text is the name of a condition. */
export const isConditionName = (name: string): name is ConditionName => Object.hasOwn(conditionList, name);

/** The specification of a condition. */
export const conditionSpec = (name: ConditionName): ConditionSpec => conditionList[name];

/** The integration that a condition is about; null for one of anything else. */
export const integrationOfCondition = (name: ConditionName, subject: string): string | null => {
  const { subject: kind } = conditionSpec(name);
  if (kind === 'integration') return subject;
  return kind === 'action' || kind === 'device' || kind === 'sos' ? (subject.split('/')[0] ?? null) : null;
};
