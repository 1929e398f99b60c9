import type { StatusFault, ConnectionFault } from '../switches/fault.ts';

const html = (status: number): StatusFault => ({
  fault: 'status',
  status,
  headers: { 'content-type': 'text/html' },
  body: `<html><body><h1>${status}</h1></body></html>`,
});

const coded = (status: number, code: number, message: string): StatusFault => ({
  fault: 'status',
  status,
  body: JSON.stringify({ Code: code, Description: '', IMEI: null, Message: message, URL: '' }),
});

/** The text is taken all the same. */
const taken = (fault: StatusFault): StatusFault => ({ ...fault, when: 'after' });

const accepted = (body: string, contentType: string): StatusFault => ({
  fault: 'status',
  status: 200,
  when: 'after',
  body,
  headers: { 'content-type': contentType },
});

/** The unpleasant answers of the vendor's inbound service (device contract, section 8), to be set as switches. */
export const inboundFaults = {
  tooMany: (seconds: number): StatusFault => ({ ...coded(429, 2, 'Too many requests'), retry_after: seconds }),
  internalError: coded(500, 1, 'Internal error'),
  badGateway: html(502),
  unavailable: html(503),
  gatewayTimeout: html(504),
  gatewayTimeoutAfterSending: (code: number): StatusFault => taken(coded(504, code, 'Gateway timeout')),
  acceptedWithError: (code: number): StatusFault => taken(coded(200, code, 'Something went wrong')),
  acceptThenHang: { fault: 'hang', when: 'after' } satisfies ConnectionFault,
  acceptThenReset: { fault: 'reset', when: 'after' } satisfies ConnectionFault,
  emptyAnswer: accepted('', 'application/json'),
  htmlAnswer: accepted('<html><body>OK</body></html>', 'text/html'),
  countAnswer: accepted('{"count":1}', 'application/json'),
  unauthorizedBare: { fault: 'status', status: 401, body: '' } satisfies StatusFault,
  forbiddenBare: { fault: 'status', status: 403, body: '' } satisfies StatusFault,
  errorAsArray: { fault: 'status', status: 422, body: '[{"Code":5}]' } satisfies StatusFault,
  errorAsString: { fault: 'status', status: 422, body: '"refused"' } satisfies StatusFault,
  notImplemented: { fault: 'status', status: 501, body: '' } satisfies StatusFault,
  /** The list of devices under its other name. */
  devicesAsRecipients: (imei: string): StatusFault => ({
    fault: 'status',
    status: 422,
    body: JSON.stringify({
      Code: 4,
      Description: 'The device is not in this account',
      Recipients: [imei],
      Message: '',
    }),
  }),
  unknownCodeRefused: coded(422, 99, 'Something new'),
  unknownCodeFailed: coded(500, 99, 'Something new'),
  redirectTo: (location: string): StatusFault => ({ fault: 'status', status: 307, headers: { location }, body: '' }),
} as const;
