import { isRelayError, RelayError } from '@ranger-relay/errors';

/** Whether the site refuses a look-up for good: that it knows no more is an answer too. */
export const isLastingRefusal = (error: unknown): boolean =>
  isRelayError(error, 'site_forbidden', 'site_not_found', 'site_too_old') ||
  (isRelayError(error, 'site_refused') && Number(error.details['status']) < 500);

/** A response without what was asked for counts as no answer. @param what should have come, such as `a list` */
export const noAnswer = (path: string, what: string): RelayError =>
  new RelayError('site_unavailable', {
    details: { target: `GET ${path}`, reason: `the response is not ${what}`, tries: 1 },
  });
