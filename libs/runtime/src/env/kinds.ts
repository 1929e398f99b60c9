import { BlockList, isIP } from 'node:net';
import { z } from 'zod';

/** The form of a variable's value: how its text is parsed, and a description of accepted values. */
export interface Kind<T> {
  readonly schema: z.ZodType<T, unknown>;
  readonly format: string;
}

/** A whole number within bounds. */
export const integer = (min: number, max: number): Kind<number> => ({
  schema: z
    .string()
    .regex(/^-?\d+$/)
    .transform(Number)
    .refine((n) => Number.isSafeInteger(n) && n >= min && n <= max),
  format: `a whole number from ${min} to ${max}`,
});

/** A TCP port; 0 lets the system choose. */
export const port = (): Kind<number> => ({ ...integer(0, 65_535), format: 'a port from 0 to 65535' });

/** A switch. */
export const flag = (): Kind<boolean> => ({ schema: z.stringbool(), format: 'true or false' });

/** One of several words. */
export const oneOf = <const W extends readonly [string, ...string[]]>(...words: W): Kind<W[number]> => ({
  schema: z.enum(words),
  format: `one of ${words.join(', ')}`,
});

/** Any text of bounded length. */
export const text = (max = 2_000): Kind<string> => ({
  schema: z.string().min(1).max(max),
  format: `a text of 1 to ${max} characters`,
});

/** A text of at most `max` characters that matches; blanks around it do not count. */
export const matching = (form: RegExp, format: string, max = 2_000): Kind<string> => ({
  schema: z.string().trim().max(max).regex(form),
  format,
});

/** The value of an integration type. */
export const slug = (): Kind<string> => matching(/^[A-Za-z0-9_]+$/, 'letters, digits and "_"', 100);

/** A valid Kafka topic name, or the beginning of one. */
export const topic = (max = 249): Kind<string> =>
  matching(/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/, 'letters, digits, ".", "_" and "-"', max);

/** HTTP(S) addresses in one text, separated by commas; validated later, with a specific error. */
export const urlList = (max: number): Kind<string> => ({
  ...text(max),
  format: 'addresses like https://host, separated by commas',
});

/** A path to a file or directory. */
export const path = (): Kind<string> => ({ ...text(4_096), format: 'a path' });

/** An HTTP(S) address without a trailing slash. */
export const url = (): Kind<string> => ({
  schema: z
    .url({ protocol: /^https?$/ })
    .max(2_000)
    .transform((value) => value.replace(/\/+$/, '')),
  format: 'an address like https://host/path',
});

/** A host name or address. */
export const host = (): Kind<string> => ({
  schema: z.string().regex(/^[A-Za-z0-9.:_-]{1,253}$/),
  format: 'a host name or address',
});

/** The address that a server listens on. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Splits a list in one text; blanks around its items do not count, nor do empty ones. */
export const splitList = (text = '', separator = ','): readonly string[] =>
  text
    .split(separator)
    .map((item) => item.trim())
    .filter(Boolean);

const maxAddresses = 50;
const address = /^(?:\[(?<six>[\dA-Fa-f:.]{2,45})\]|(?<name>[\w.-]{1,253})):(?<port>\d{1,5})$/;

const parseAddress = (item: string): Address | undefined => {
  const { six, name, port } = address.exec(item)?.groups ?? {};
  const host = six !== undefined && isIP(six) === 6 ? six : name;
  const number = Number(port);
  return host === undefined || number < 1 || number > 65_535 ? undefined : { host, port: number };
};

/** One to 50 servers in the form host:port, separated by commas; IPv6 addresses in brackets. */
export const addresses = (): Kind<readonly Address[]> => ({
  schema: z
    .string()
    .max(maxAddresses * 300)
    .transform((value) => splitList(value).map(parseAddress))
    .refine((items) => items.length > 0 && items.length <= maxAddresses && !items.includes(undefined))
    .transform((items) => items.filter((item) => item !== undefined)),
  format: 'host:port or several of them, separated by commas (no URL)',
});

/** Brokers in the form host:port. An IPv6 address is parsed like any other; the code that connects refuses it with a specific error. */
export const brokers = (): Kind<readonly Address[]> => ({
  ...addresses(),
  format: 'host:port or several of them, by name or IPv4, separated by commas (no URL)',
});

const isNetwork = (item: string): boolean => {
  const [address, bits, more] = item.split('/');
  const family = isIP(address ?? '');
  return (
    more === undefined && family !== 0 && /^\d{1,3}$/.test(bits ?? '') && Number(bits) <= (family === 4 ? 32 : 128)
  );
};

/** Networks in CIDR form, separated by commas. */
export const networks = (): Kind<readonly string[]> => ({
  schema: z
    .string()
    .transform((value) => splitList(value))
    .refine((items) => items.every(isNetwork)),
  format: 'networks like 127.0.0.0/8,::1/128, separated by commas',
});

/** Creates a matcher for addresses in any of the networks. */
export const blockListOf = (items: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const item of items) {
    const [address = '', bits = ''] = item.split('/');
    list.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
};
