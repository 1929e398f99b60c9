import { entries } from '../entry.ts';

/** Error responses of `POST /webhooks`, and the reasons in its `rejected` list. */
export const webhookErrors = entries({
  webhook_unauthorized: {
    next: 'skip',
    status: 401,
    text: 'The token is missing or not one of this integration',
    check: 'The token in the vendor portal against WEBHOOK_TOKENS_FILE.',
  },
  webhook_no_integration: {
    next: 'skip',
    status: 404,
    text: 'The request names no integration: add the header {header} or ?integration_id=<uuid>',
    check: 'The webhook address in the vendor portal.',
  },
  body_too_large: {
    next: 'skip',
    status: 413,
    text: 'The body is over {limit} bytes',
    check: 'WEBHOOK_MAX_BODY_BYTES.',
  },
  too_many_events: {
    next: 'skip',
    status: 413,
    text: 'The body holds more than {limit} events; send fewer in one POST',
    check: 'What the sender puts into one POST.',
  },
  too_many_values: {
    next: 'skip',
    status: 413,
    text: 'The body holds more than {limit} JSON values; send fewer events in one POST',
    check: 'What the sender puts into one POST.',
  },
  body_timeout: {
    next: 'skip',
    status: 408,
    text: 'The body was not complete within {seconds} s',
    check: 'The link of the sender.',
  },
  body_encoded: {
    next: 'skip',
    status: 415,
    text: 'Content-Encoding, and Transfer-Encoding other than chunked, are not supported; send the body uncompressed',
    check: 'Compression in the sender or a proxy.',
  },
  too_busy: {
    next: 'retry',
    status: 503,
    text: 'Too many bodies are being read now; try again',
    check: 'WEBHOOK_MAX_BUFFERED_BYTES, replicas.',
  },
  too_many_bytes: {
    next: 'retry',
    status: 503,
    text: 'The integration has sent more than {limit} bytes within a minute; send it again later',
    check: 'The sender of the integration; WEBHOOK_MAX_BYTES_PER_MINUTE.',
  },
  clock_behind: {
    next: 'retry',
    status: 503,
    text: 'The clock of this machine is wrong ({problem}); the webhook accepts nothing until it is corrected',
    check: 'Date and time of the machine, its NTP service.',
  },
  invalid_json: {
    next: 'dead',
    status: 422,
    text: 'The body is not JSON ({problem})',
    check: '`ranger-relay dlq show <id>` prints the body as it came.',
  },
  not_an_envelope: {
    next: 'dead',
    status: 422,
    text: 'The body is not an object with an Events list',
    check: '`ranger-relay dlq show <id>` prints the body as it came.',
  },
  not_an_object: {
    next: 'dead',
    status: 422,
    text: 'The event is not an object',
    check: '`ranger-relay dlq show <id>` prints the event.',
  },
  missing_imei: {
    next: 'dead',
    status: 422,
    text: 'The event has no usable imei',
    check: '`ranger-relay dlq show <id>` prints the event.',
  },
  missing_message_code: {
    next: 'dead',
    status: 422,
    text: 'The event has no usable messageCode',
    check: '`ranger-relay dlq show <id>` prints the event.',
  },
  bad_time: {
    next: 'dead',
    status: 422,
    text: 'The timeStamp is unreadable, before 2011 or more than 24 h ahead',
    check: 'The clock of the device; `ranger-relay dlq show <id>` prints the event.',
  },
  bad_number: {
    next: 'dead',
    status: 422,
    text: 'The latitude or longitude of the point is no number',
    check: 'A gateway in front of the webhook that rewrites bodies; `ranger-relay dlq show <id>` prints the event.',
  },
  event_too_large: {
    next: 'dead',
    status: 422,
    text: 'The event is over {limit} bytes without its media',
    check: '`ranger-relay dlq show <id>` prints the start of the event.',
  },
});
