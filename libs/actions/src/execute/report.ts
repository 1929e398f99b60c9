import { cutText, type RelayError } from '@ranger-relay/errors';
import { redact } from '@ranger-relay/runtime';
import { z } from 'zod';
import type { Action } from '../define/action.ts';
import { type Failure, failureText } from '../failure/classify.ts';
import { safeJson } from '../values/safe-json.ts';
import { createScrubber, type Scrubber } from '../values/scrubber.ts';
import { maskedTexts, maskSecrets } from '../values/secrets.ts';
import type { FailureReport } from './request.ts';

/** The subject of a report; the scrubber knows the secrets of its configuration. */
export const subjectOf = (
  integrationId: string | null,
  action: Pick<Action, 'id' | 'config'> | undefined,
  raw: unknown,
): Subject => {
  const scrubber = createScrubber();
  const masked = maskSecrets(action?.config ?? z.unknown(), raw);
  scrubber.add(maskedTexts(raw, masked));
  return { integrationId, actionId: action?.id ?? null, configData: scrubber.value(masked), scrubber };
};

/** The action and the integration that failed. */
export interface Subject {
  readonly integrationId: string | null;
  readonly actionId: string | null;
  /** Secrets are already masked. */
  readonly configData: unknown;
  readonly scrubber: Scrubber;
}

/** Maximum length of a text in a report, characters. */
const maxLength = 4_000;

const base = ({ integrationId, actionId, configData }: Subject) => ({
  integration_id: integrationId,
  action_id: actionId,
  config_data: configData,
});

/** The report of a failed handler; includes request and response only when they are known. */
export const reportFailure = (subject: Subject, failure: Failure): FailureReport => {
  const { request, response, status = response?.status } = failure;
  const clean = <T>(value: T): T => redact(subject.scrubber.value(value) as T, maxLength);
  // Members of an object are masked by their names, which a text no longer has.
  const text = (name: string, value: unknown): Readonly<Record<string, string>> => {
    if (value === undefined || value === null) return {};
    const shown = clean(safeJson(value));
    return { [name]: cutText(typeof shown === 'string' ? shown : JSON.stringify(shown), maxLength) };
  };
  return {
    ...base(subject),
    error: clean(failureText(failure)),
    error_traceback: clean(failure.trace),
    ...text('request_verb', request?.verb),
    ...text('request_url', request?.url),
    ...text('request_data', request?.data),
    ...(status === undefined ? {} : { server_response_status: status }),
    ...text('server_response_body', response?.body),
    error_type: failure.type,
  };
};

/** The report of a run that did not start. */
export const reportRefusal = (subject: Subject, error: RelayError): FailureReport => ({
  ...base(subject),
  error: cutText(subject.scrubber.text(`Not run — ${error.message}`), maxLength),
  error_traceback: '',
  error_type: null,
});
