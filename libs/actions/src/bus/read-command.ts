import { isUnknownTrigger, runActionCommandSchema, type RunActionCommand } from '@ranger-relay/contracts';
import { parseExactJson } from '@ranger-relay/errors';

/** The parsed value of a record in a commands topic. */
export type ReadCommand =
  | { readonly kind: 'command'; readonly command: RunActionCommand; readonly hasUnknownTrigger: boolean }
  /** Written by a newer version in a form that this version cannot read. */
  | { readonly kind: 'newer'; readonly version: string }
  | { readonly kind: 'unreadable' };

const knownVersion = 'v1';

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;

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
  const command = runActionCommandSchema.safeParse(value).data;
  if (command) return { kind: 'command', command, hasUnknownTrigger: isUnknownTrigger(member(value, 'triggered_by')) };
  const version = member(value, 'schema_version');
  return typeof version === 'string' && version !== knownVersion ? { kind: 'newer', version } : { kind: 'unreadable' };
};
