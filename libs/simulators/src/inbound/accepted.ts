import type { InboundMessage } from './check-message.ts';

/** The texts that the vendor took over to send to devices. */
export interface Accepted {
  add(message: InboundMessage): void;
  /** In order; a text for two devices is one message here. */
  messages(): readonly InboundMessage[];
  /** How many texts a device was sent. */
  count(imei: string): number;
}

/** Makes an empty list. */
export const createAccepted = (): Accepted => {
  const taken: InboundMessage[] = [];
  const counts = new Map<string, number>();
  return {
    messages: () => taken,
    count: (imei) => counts.get(imei) ?? 0,
    add(message) {
      taken.push(message);
      for (const imei of message.recipients) counts.set(imei, (counts.get(imei) ?? 0) + 1);
    },
  };
};
