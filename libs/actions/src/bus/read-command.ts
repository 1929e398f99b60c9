import { isUnknownTrigger, runActionCommandSchema, type RunActionCommand } from '@ranger-relay/contracts';

/** What the value of a record of a commands topic is. */
export type ReadCommand =
  | { readonly kind: 'command'; readonly command: RunActionCommand; readonly hasUnknownTrigger: boolean }
  /** Written by a newer version, and not to be understood by this one. */
  | { readonly kind: 'newer'; readonly version: string }
  | { readonly kind: 'unreadable' };

const knownVersion = 'v1';

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;

const jsonOf = (value: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(value));
  } catch {
    return undefined;
  }
};

/** Reads a command; only its two ids are needed, whatever version it says. */
export const readCommand = (bytes: Uint8Array): ReadCommand => {
  const value = jsonOf(bytes);
  const command = runActionCommandSchema.safeParse(value).data;
  if (command) return { kind: 'command', command, hasUnknownTrigger: isUnknownTrigger(member(value, 'triggered_by')) };
  const version = member(value, 'schema_version');
  return typeof version === 'string' && version !== knownVersion ? { kind: 'newer', version } : { kind: 'unreadable' };
};
