import type { InboundOutcome } from '@ranger-relay/device';
import { RelayError, type ErrorCode } from '@ranger-relay/errors';

const url = 'https://inbound.vendor.example/IPCInbound/V1/Messaging.svc/Message';

const failure = (
  kind: 'permanent' | 'transient' | 'ambiguous',
  code: ErrorCode,
  more: { status?: number | null; vendorCode?: number; retryAfterMs?: number } = {},
): InboundOutcome => ({
  kind,
  error: new RelayError(code, {
    details: { reason: 'told so' },
    ambiguous: kind === 'ambiguous',
    ...(more.retryAfterMs === undefined ? {} : { retryAfterMs: more.retryAfterMs }),
  }),
  status: more.status ?? null,
  code: more.vendorCode ?? null,
  body: more.status ? 'what the vendor said' : '',
  url,
});

/** The ends that a call of the vendor can have. */
export const outcomes = {
  accepted: (): InboundOutcome => ({ kind: 'accepted', status: 200 }),
  refused: (vendorCode = 4): InboundOutcome => failure('permanent', 'vendor_refused', { status: 422, vendorCode }),
  unreachable: (): InboundOutcome => failure('transient', 'vendor_unreachable'),
  unavailable: (): InboundOutcome => failure('transient', 'vendor_unreachable', { status: 503 }),
  internal: (): InboundOutcome => failure('transient', 'vendor_internal', { status: 500, vendorCode: 1 }),
  unauthorized: (): InboundOutcome => failure('transient', 'vendor_auth_refused', { status: 403, vendorCode: 3 }),
  throttled: (retryAfterMs?: number): InboundOutcome =>
    failure('transient', 'vendor_throttled', {
      status: 429,
      vendorCode: 2,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    }),
  lost: (): InboundOutcome => failure('ambiguous', 'vendor_answer_lost'),
  gatewayTimeout: (): InboundOutcome => failure('ambiguous', 'vendor_unreachable', { status: 504 }),
} as const;
