import type { ErrorCode, RelayError } from '@ranger-relay/errors';

/** How a failure is called in front of people, and `error_type` of the platform contract, section 4. */
export interface FailureKind {
  readonly title: string;
  readonly errorType: 'auth' | 'connectivity' | 'timeout' | 'rate_limit' | 'bad_response' | null;
}

const configuration: FailureKind = { title: 'Configuration error', errorType: null };
const message: FailureKind = { title: 'Invalid message', errorType: null };
const other: FailureKind = { title: 'Not sent', errorType: null };

const kinds: Readonly<Partial<Record<ErrorCode, FailureKind>>> = {
  vendor_auth_refused: { title: 'Authentication error', errorType: 'auth' },
  vendor_unreachable: { title: 'Service unreachable', errorType: 'connectivity' },
  vendor_answer_lost: { title: 'No answer', errorType: 'timeout' },
  vendor_throttled: { title: 'Too many requests', errorType: 'rate_limit' },
  vendor_internal: { title: 'Internal error', errorType: 'bad_response' },
  vendor_refused: { title: 'Refused', errorType: 'bad_response' },
  vendor_address_invalid: configuration,
  http_address_refused: configuration,
  http_scheme_refused: configuration,
  push_unconfigured: configuration,
  text_invalid: message,
  push_data_invalid: message,
};

/** The kind of a failure. */
export const failureKind = ({ code }: Pick<RelayError, 'code'>): FailureKind => kinds[code] ?? other;
