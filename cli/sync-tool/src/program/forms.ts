const label = '[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?';
const lastLabel = '[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?';
const octet = '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const host = `(${octet}([.]${octet}){3}|(${label}[.])*${lastLabel})`;
const port = '([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])';
// No part begins with a dot: . and .. are taken out of an address before its path is looked at.
const path = '/[A-Za-z0-9_~-][A-Za-z0-9._~-]*';

const forms: Readonly<Record<string, string>> = {
  '--site-endpoint': `^(https?://)?${host}(:${port})?(/|(${path})*/api(${path})*/?)?$`,
  '--approved': '^[0-9A-Fa-f]{64}$',
  '--timezone': '^([Uu][Tt][Cc]|[A-Za-z0-9_+-]+/[A-Za-z0-9_+/-]+)$',
};

/**
 * A regular expression for the text of an option, without which the tool would certainly refuse it; undefined when any text may be right. What
 * starts the tool later can refuse early by it.
 */
export const formOf = (option: string): string | undefined => forms[option];
