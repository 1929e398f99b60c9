import { kafkaTopicSettings, minInsyncFor } from '@ranger-relay/contracts';
import { readableCompression } from '../wire/read-batches.ts';

/** A topic as specified in the catalogue. */
export interface WantedTopic {
  readonly name: string;
  readonly partitions: number;
  readonly retentionMs: number;
  readonly maxRecordBytes: number;
  /** Consumer groups of the topic. */
  readonly consumers?: readonly string[];
}

/** A topic as it exists on the brokers. */
export interface FoundTopic {
  readonly partitions: number;
  /** Number of replicas; the minimum of all partitions. */
  readonly replicas: number;
  readonly settings: ReadonlyMap<string, string>;
}

/** A difference between a topic and the catalogue. */
export interface Difference {
  /** `problem`: the topic has less than the catalogue requires; `note`: it works, but an operator should know. */
  readonly severity: 'problem' | 'note';
  /** The rest of a sentence that starts with the topic's name. */
  readonly text: string;
  /** The settings that remove the difference; never lower than the current ones. */
  readonly set?: Readonly<Record<string, string>>;
  /** The number of partitions that removes the difference. */
  readonly partitions?: number;
}

/** Settings that the check reads. */
export const watchedSettings = [
  'cleanup.policy',
  'compression.type',
  'max.message.bytes',
  'message.timestamp.type',
  'min.insync.replicas',
  'retention.bytes',
  'retention.ms',
] as const;

type Setting = (typeof watchedSettings)[number];

const forEver = -1;

const numberOf = ({ settings }: FoundTopic, name: Setting): number | undefined => {
  const text = settings.get(name);
  return text === undefined ? undefined : Number(text);
};

const wantedSetting = (wanted: WantedTopic, name: Setting): Readonly<Record<string, string>> => ({
  [name]: kafkaTopicSettings(wanted)[name] ?? '',
});

const partitionsOf = (wanted: WantedTopic, { partitions }: FoundTopic): Difference[] =>
  partitions >= wanted.partitions
    ? []
    : [
        {
          severity: 'problem',
          text: `has ${partitions} partitions, but ${wanted.partitions} are wanted: fewer replicas can share the work`,
          partitions: wanted.partitions,
        },
      ];

const retentionOf = (wanted: WantedTopic, found: FoundTopic): Difference[] => {
  const kept = numberOf(found, 'retention.ms');
  const bytes = numberOf(found, 'retention.bytes') ?? forEver;
  const tooShort =
    kept !== undefined && kept !== forEver && (wanted.retentionMs === forEver || kept < wanted.retentionMs);
  return [
    ...(tooShort
      ? [
          {
            severity: 'problem' as const,
            text: `keeps records for ${kept} ms, but ${wanted.retentionMs} are wanted: records that wait longer are lost`,
            set: wantedSetting(wanted, 'retention.ms'),
          },
        ]
      : []),
    ...(bytes === forEver
      ? []
      : [
          {
            severity: 'note' as const,
            text: `keeps at most ${bytes} bytes of a partition (retention.bytes): waiting records beyond that are lost`,
          },
        ]),
  ];
};

const recordBytesOf = (wanted: WantedTopic, found: FoundTopic): Difference[] => {
  const taken = numberOf(found, 'max.message.bytes');
  if (taken === undefined || taken >= wanted.maxRecordBytes) return [];
  return [
    {
      severity: 'problem',
      text: `accepts batches of ${taken} bytes, but records of ${wanted.maxRecordBytes} are allowed`,
      set: wantedSetting(wanted, 'max.message.bytes'),
    },
  ];
};

const policyOf = ({ settings }: FoundTopic): Difference[] =>
  (settings.get('cleanup.policy') ?? '').includes('compact')
    ? [{ severity: 'problem', text: 'is compacted: records of a key would be lost; another program may own the topic' }]
    : [];

/** Brokers compress records when the topic asks for it; consumers must be able to read the result. */
const compressionOf = (wanted: WantedTopic, { settings }: FoundTopic): Difference[] => {
  const codec = settings.get('compression.type');
  if (codec === undefined || readableCompression.has(codec)) return [];
  return [
    {
      severity: 'problem',
      text: `compresses records as ${codec} (compression.type), which this version cannot read`,
      set: wantedSetting(wanted, 'compression.type'),
    },
  ];
};

/** With the time of the writer, a broker refuses all records of a machine whose clock is ahead of its own. */
const timestampsOf = (wanted: WantedTopic, { settings }: FoundTopic): Difference[] => {
  const set = wantedSetting(wanted, 'message.timestamp.type');
  const type = settings.get('message.timestamp.type');
  if (type === undefined || type === set['message.timestamp.type']) return [];
  return [
    {
      severity: 'problem',
      text: `keeps the writer's time of a record (message.timestamp.type ${type}): a machine whose clock is ahead of the brokers' cannot write`,
      set,
    },
  ];
};

/** Whether acknowledged records survive the loss of one broker, and whether writing continues without it. */
const copiesOf = (found: FoundTopic): Difference[] => {
  const { replicas } = found;
  const insync = numberOf(found, 'min.insync.replicas') ?? 1;
  const wanted = minInsyncFor(replicas);
  if (insync > replicas)
    return [
      {
        severity: 'problem',
        text: `wants ${insync} copies of a record (min.insync.replicas) and has ${replicas}: nothing can be written`,
      },
    ];
  if (replicas === 1)
    return [{ severity: 'note', text: 'has one copy of each record: the loss of a broker loses them' }];
  if (insync < wanted)
    return [
      {
        severity: 'problem',
        text: `counts a record as stored with one of ${replicas} copies (min.insync.replicas): the loss of that broker loses it`,
        set: { 'min.insync.replicas': String(wanted) },
      },
    ];
  if (insync === 1)
    return [
      { severity: 'note', text: 'counts a record as stored with one of 2 copies: the loss of that broker loses it' },
    ];
  return insync === replicas
    ? [
        {
          severity: 'note',
          text: `wants all ${replicas} copies of a record: while a broker is down nothing can be written`,
        },
      ]
    : [];
};

/** Every respect in which a topic has less than the catalogue requires; more is fine. */
export const differencesOf = (wanted: WantedTopic, found: FoundTopic): readonly Difference[] => [
  ...partitionsOf(wanted, found),
  ...retentionOf(wanted, found),
  ...recordBytesOf(wanted, found),
  ...policyOf(found),
  ...compressionOf(wanted, found),
  ...timestampsOf(wanted, found),
  ...copiesOf(found),
];
