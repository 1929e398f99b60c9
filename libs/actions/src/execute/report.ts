import { cutText, type RelayError } from '@ranger-relay/errors';
import { redact } from '@ranger-relay/runtime';
import { failureText, type Failure } from '../failure/classify.ts';
import type { Scrubber } from '../values/scrubber.ts';
import type { FailureReport } from './request.ts';

/** Whose failure is told. */
export interface Subject {
  readonly integrationId: string | null;
  readonly actionId: string | null;
  /** Already without secrets. */
  readonly configData: unknown;
  readonly scrubber: Scrubber;
}

/** Longest text in a report, characters. */
const longest = 4_000;

const known = (members: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

const base = ({ integrationId, actionId, configData }: Subject) => ({
  integration_id: integrationId,
  action_id: actionId,
  config_data: configData,
});

/** The report of a handler that failed; request and answer only when they are known. */
export const reportFailure = (subject: Subject, failure: Failure): FailureReport => {
  const { scrubber } = subject;
  const { request, response, status } = failure;
  const members = known({
    error: failureText(failure),
    error_traceback: failure.trace,
    request_verb: request?.verb,
    request_url: request?.url,
    request_data: request?.data,
    server_response_status: response?.status ?? status,
    server_response_body: response?.body,
  });
  const clean = redact(scrubber.value(members), longest) as Pick<FailureReport, 'error' | 'error_traceback'>;
  return { ...base(subject), ...clean, error_type: failure.type };
};

/** The report of a run that was not started. */
export const reportRefusal = (subject: Subject, error: RelayError): FailureReport => ({
  ...base(subject),
  error: cutText(subject.scrubber.text(`Not run - ${error.message}`), longest),
  error_traceback: '',
  error_type: null,
});
