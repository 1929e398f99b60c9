import { entries } from '../entry.ts';

/** Failures of texts to devices and of calls to the vendor's inbound service. `{reason}` contains the vendor's message, never a text. */
export const vendorErrors = entries({
  vendor_address_invalid: {
    next: 'dead',
    status: 422,
    text: 'The address of the vendor {problem}; write it as host or https://host',
    check: 'api_url in the auth configuration of the integration.',
  },
  vendor_auth_refused: {
    next: 'retry',
    status: 502,
    text: 'The vendor refuses the credentials: {reason}',
    check: 'Username and password of the integration; sending continues once they are fixed.',
  },
  vendor_unreachable: {
    next: 'retry',
    status: 502,
    text: 'The vendor cannot be reached: {reason}',
    check: 'api_url of the integration, the link, and whether the service of the vendor works.',
  },
  vendor_internal: {
    next: 'retry',
    status: 502,
    text: 'The vendor failed: {reason}',
    check: 'The service retries for PUSH_MAX_AGE_H hours; ask the support of the vendor.',
  },
  vendor_throttled: {
    next: 'retry',
    status: 502,
    text: 'The vendor throttles requests: {reason}',
    check: 'Usual under load; sending continues by itself.',
  },
  vendor_refused: {
    next: 'dead',
    status: 422,
    text: 'The vendor refuses the call: {reason}',
    check: 'The code and the message of the vendor; whether the device belongs to the account.',
  },
  vendor_web_page: {
    next: 'retry',
    status: 502,
    text: "A web page answered, not the vendor's service: {reason}",
    check:
      'api_url of the integration; a captive portal, a sign-in page or a proxy between this machine and the vendor. PUSH_AMBIGUOUS says whether a text is then sent again.',
  },
  vendor_answer_lost: {
    next: 'retry',
    status: 504,
    text: 'No answer of the vendor, which may have accepted the call: {reason}',
    check: 'The link to the vendor; PUSH_AMBIGUOUS says whether a text is then sent again.',
  },
  text_invalid: {
    next: 'dead',
    status: 422,
    text: 'The text cannot be sent to a device: {field} {problem}',
    check:
      'The client that composes the text: 1 to 160 characters, a sender like an e-mail address or a number, devices by IMEI.',
  },
  push_data_invalid: {
    next: 'dead',
    status: 422,
    text: 'The data of the push is not a message to devices: {problem}',
    check:
      '`ranger-relay dlq show <id>` prints the data as it came; PUSH_MESSAGE_EVENT_TYPE names the event type of messages.',
  },
  push_unconfigured: {
    next: 'dead',
    status: 422,
    text: 'The integration cannot send texts: {field} of its auth configuration is missing',
    check: 'The auth configuration in the portal; replay the dead letters once it is set.',
  },
  push_busy: {
    next: 'retry',
    status: 503,
    text: 'Another worker is sending this text now',
    check: 'Usual when a message is delivered twice; its next delivery reads the outcome.',
  },
  push_given_up: {
    next: 'dead',
    status: 422,
    text: 'An earlier delivery of the text was given up ({reason})',
    check: 'The dead letter of that delivery says why; replay it once the cause is fixed.',
  },
  push_expired: {
    next: 'dead',
    status: 422,
    text: 'The text was not accepted within {hours} h; last failure: {reason}',
    check: 'The cause named at the end; replay the dead letter if the text is still wanted.',
  },
});
