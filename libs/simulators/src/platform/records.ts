import {
  type Field,
  filled,
  integer,
  object,
  oneOf,
  optional,
  orNull,
  required,
  text,
  uuid,
  zonedTime,
} from './sensors/fields.ts';
import { validate } from './sensors/validate.ts';

/** Members of every record that the platform reads from a topic. */
const envelope = (...types: readonly string[]): readonly Field[] => [
  required('event_id', filled),
  required('timestamp', zonedTime),
  required('schema_version', oneOf('v1')),
  required('event_type', oneOf(...types)),
  required('payload', object),
];

/** Members of the payload of each activity entry (platform contract, section 2). */
const payloads = (subject: 'action_id' | 'webhook_id'): Readonly<Record<string, readonly Field[]>> => {
  const base = [required('integration_id', uuid), required(subject, filled)];
  const config = required('config_data', object);
  const failure = [
    ...optional(
      ['error_traceback', 'request_verb', 'request_url', 'request_data', 'server_response_body'],
      orNull(text),
    ),
    ...optional(['server_response_status'], orNull(integer)),
  ];
  return {
    Started: [...base, config],
    Complete: [...base, config, required('result', orNull(object))],
    Failed: [...base, required('error', text), ...(subject === 'action_id' ? [config, ...failure] : [])],
    CustomLog: [
      ...base,
      required('title', text),
      required('level', oneOf(10, 20, 30, 40)),
      ...optional(['data'], orNull(object)),
    ],
  };
};

const entryFields: Readonly<Record<string, readonly Field[]>> = Object.fromEntries(
  (['action_id', 'webhook_id'] as const).flatMap((subject) =>
    Object.entries(payloads(subject)).map(([kind, fields]) => [
      `Integration${subject === 'action_id' ? 'Action' : 'Webhook'}${kind}`,
      fields,
    ]),
  ),
);

const sentences = (kind: string, fields: readonly Field[], value: unknown): string[] =>
  Object.entries(validate(kind, fields, value).problems).map(([name, [problem]]) => `${name}: ${problem}`);

const titleLength = 200;

/** The classes of errors by which the portal shows a failed action. */
const errorClass = /^(Authentication failed|Connection failed|Rate limited|Bad response) — /;

const memberOf = (value: unknown, name: string): unknown => (value as Readonly<Record<string, unknown>>)[name];

/** What the portal would show wrongly, although the platform's model takes it. */
const shownWrongly = (payload: unknown): string[] => {
  const [title, error, status] = ['title', 'error', 'server_response_status'].map((name) => memberOf(payload, name));
  return [
    ...(typeof title === 'string' && [...title].length > titleLength ? ['title: longer than 200 characters'] : []),
    ...(typeof error === 'string' && typeof status === 'number' && !error.endsWith(` (HTTP ${status})`)
      ? ['error: does not end with its status']
      : []),
    ...(typeof status === 'number' && typeof error === 'string' && !errorClass.test(error)
      ? ['error: does not begin with a class']
      : []),
  ];
};

/** Why the platform drops an entry of the activity log; empty for a good one. */
export const activityProblems = (entry: unknown): readonly string[] => {
  const problems = sentences('entry', envelope(...Object.keys(entryFields)), entry);
  if (problems.length > 0) return problems;
  const payload = memberOf(entry, 'payload');
  const members = sentences('payload', entryFields[String(memberOf(entry, 'event_type'))] ?? [], payload);
  return [...members, ...shownWrongly(payload)];
};

/** Why a record of a commands topic is none (platform contract, section 3); empty for a good one. */
export const commandProblems = (command: unknown): readonly string[] =>
  sentences(
    'command',
    [
      ...envelope('RunIntegrationAction'),
      required('integration_id', uuid),
      required('action_id', filled),
      ...optional(['config_overrides'], orNull(object)),
      ...optional(['triggered_by'], oneOf('auto', 'manual')),
      ...optional(['scheduled_at'], zonedTime),
    ],
    command,
  );
