import { entries } from '../entry.ts';

/** What texts to devices and calls of the vendor's inbound service end in. `{reason}` is made of the vendor's own words, never of texts. */
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
    check: 'Username and password of the integration; texts go on by themselves once they are fixed.',
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
    check: 'Tried again for PUSH_MAX_AGE_H hours; the support of the vendor knows more.',
  },
  vendor_throttled: {
    next: 'retry',
    status: 502,
    text: 'The vendor asks for patience: {reason}',
    check: 'Usual under load; sending goes on by itself.',
  },
  vendor_refused: {
    next: 'dead',
    status: 422,
    text: 'The vendor refuses the call: {reason}',
    check: 'The code and the words of the vendor; whether the device belongs to the account.',
  },
  vendor_answer_lost: {
    next: 'retry',
    status: 504,
    text: 'No answer of the vendor, who may have taken the call: {reason}',
    check: 'The link to the vendor; PUSH_AMBIGUOUS says whether a text is then sent again.',
  },
  text_invalid: {
    next: 'dead',
    status: 422,
    text: 'The text cannot be sent to a device: {field} {problem}',
    check: 'Who composes the text: 1 to 160 characters, a sender like an e-mail address or a number, devices by IMEI.',
  },
  push_data_invalid: {
    next: 'dead',
    status: 422,
    text: 'The data of the push is no message to devices: {problem}',
    check: '`ranger-relay dlq show <id>` prints what came; PUSH_MESSAGE_EVENT_TYPE chooses what is read as a message.',
  },
  push_unconfigured: {
    next: 'dead',
    status: 422,
    text: 'The integration cannot send texts: {field} of its auth configuration is missing',
    check: 'The auth configuration in the portal; replay the dead letters once it is there.',
  },
  push_busy: {
    next: 'retry',
    status: 503,
    text: 'Another worker is sending this text now',
    check: 'Usual when a message is delivered twice; its next delivery finds what became of it.',
  },
  push_given_up: {
    next: 'dead',
    status: 422,
    text: 'The text was given up when it was delivered before ({reason})',
    check: 'The dead letter of the first time says why; replay it if the cause is fixed.',
  },
  push_expired: {
    next: 'dead',
    status: 422,
    text: 'The text was not accepted within {hours} h; at last: {reason}',
    check: 'The cause named at the end; replay the dead letter if the text is still wanted.',
  },
});
