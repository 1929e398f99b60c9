import type { Random } from '@ranger-relay/runtime';

const form = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The W3C trace context of a request: the sender's when it is well-formed, else a new one. */
export const traceparentOf = (header: string | undefined, random: Random): string => {
  if (header !== undefined && form.test(header)) return header;
  const trace = random.uuid().replaceAll('-', '');
  const span = random.uuid().replaceAll('-', '').slice(0, 16);
  return `00-${trace}-${span}-01`;
};
