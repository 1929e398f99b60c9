import { entries } from '../entry.ts';

export const busErrors = entries({
  bus_unavailable: {
    next: 'retry',
    status: 503,
    text: 'The message bus cannot store records now: {reason}',
    check: 'One machine: free space and permissions of DATA_DIR. Cluster: the brokers and the topics.',
  },
  bus_topic_unknown: {
    next: 'retry',
    status: 503,
    text: 'The topic {topic} does not exist on the bus',
    check: 'Create the topics of the catalogue: `ranger-relay topics apply`. Until then nothing can be written to it.',
  },
  partitions_in_use: {
    next: 'retry',
    status: 409,
    text: '{topic} cannot be given more partitions now: {records} records wait for {group}, and later records of the same source would overtake them',
    check:
      'Wait until `ranger-relay status` shows no waiting records, then repeat. If records keep arriving, stop the producers of the topic first.',
  },
  record_too_large: {
    next: 'dead',
    status: 413,
    text: 'A record of {bytes} bytes is over the limit of {limit} bytes of topic {topic}',
    check: 'Split or cut the record before publishing.',
  },
  record_unreadable: {
    next: 'dead',
    status: 422,
    text: 'A record on {topic} does not match the schema of the topic: {problem}',
    check: '`ranger-relay dlq show <id>` prints the record.',
  },
  record_newer: {
    next: 'retry',
    status: 503,
    text: 'A record on {topic} was written by a newer version of the product (v {version})',
    check: 'The record and all later ones of its lane wait. Upgrade this service; the newer version reads the record.',
  },
  handler_failed: {
    next: 'dead',
    status: 500,
    text: 'The handler of {topic} failed {attempts} times on one record: {problem}',
    check: 'The log holds the stack; replay the dead letter once the cause is fixed.',
  },
});
