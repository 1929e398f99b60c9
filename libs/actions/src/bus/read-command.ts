import { isUnknownTrigger, runActionCommandSchema, type RunActionCommand } from '@ranger-relay/contracts';
import { isObject, parseExactJson } from '@ranger-relay/errors';

/** The parsed value of a record in a commands topic. */
export type ReadCommand =
  | { readonly kind: 'command'; readonly command: RunActionCommand; readonly hasUnknownTrigger: boolean }
  /** Written by a newer version in a form that this version cannot read. */
  | { readonly kind: 'newer'; readonly version: string }
  | { readonly kind: 'unreadable' };

const knownVersion = 'v1';

const jsonOf = (value: Uint8Array): unknown => {
  try {
    return parseExactJson(new TextDecoder().decode(value));
  } catch {
    return undefined;
  }
};

/** Reads a command. Only its two ids are required, whatever its version. */
export const readCommand = (bytes: Uint8Array): ReadCommand => {
  const value = jsonOf(bytes);
  const { triggered_by, schema_version: version } = isObject(value) ? value : {};
  const command = runActionCommandSchema.safeParse(value).data;
  if (command) return { kind: 'command', command, hasUnknownTrigger: isUnknownTrigger(triggered_by) };
  return typeof version === 'string' && version !== knownVersion ? { kind: 'newer', version } : { kind: 'unreadable' };
};
