import { isRelayError, type RelayError } from '@ranger-relay/errors';

/** Failures after which nothing else will work, nothing can be written down, or nobody knows what is going on: the run ends. */
export const endsRun = (error: RelayError): boolean =>
  isRelayError(
    error,
    'site_unauthorized',
    'site_redirected',
    'site_untrusted',
    'plan_outdated',
    'output_not_writable',
    'internal',
  );

/** A record that the site refuses is one record's failure; everything else will not be better with the next record. */
export const endsStep = (error: RelayError): boolean =>
  !isRelayError(error, 'site_refused', 'site_conflict', 'site_not_found');
