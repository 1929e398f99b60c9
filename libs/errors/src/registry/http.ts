import { entries } from '../entry.ts';

/** Failures of outgoing calls. `{target}` is method, host and path, never the query. */
export const httpErrors = entries({
  http_connect: {
    next: 'retry',
    status: 502,
    text: 'No connection for {target} ({reason})',
    check: 'Name, address, firewall and certificate of the host.',
  },
  http_timeout: {
    next: 'retry',
    status: 504,
    text: 'No answer in time from {target} ({phase} limit {ms} ms)',
    check: 'The load of that service and the quality of the link.',
  },
  http_reset: {
    next: 'retry',
    status: 502,
    text: 'The connection broke during {target} ({reason})',
    check: 'Proxies and load balancers in between.',
  },
  http_status: {
    next: 'retry',
    status: 502,
    text: '{target} answered {code}',
    check: 'The response, and the log of that service.',
  },
  http_body_too_large: {
    next: 'retry',
    status: 502,
    text: 'The answer of {target} is over {limit} bytes',
    check: 'Whether the address belongs to the intended service.',
  },
  http_body_unreadable: {
    next: 'retry',
    status: 502,
    text: 'The answer of {target} is not the expected JSON ({problem})',
    check: 'A proxy may answer in place of the service.',
  },
  http_address_refused: {
    next: 'alert',
    status: 502,
    text: '{target} resolves to the private address {address}; if this is intended, allow its network in HTTP_ALLOWED_NETWORKS',
    check: 'HTTP_ALLOWED_NETWORKS lists networks in CIDR form.',
  },
  http_scheme_refused: {
    next: 'alert',
    status: 502,
    text: '{target} is not https; plain http is allowed only to networks in HTTP_ALLOWED_NETWORKS',
    check: 'Use https, or allow the network.',
  },
});
