import { readInboundConfig, type Inbound, type InboundFailure } from '@ranger-relay/device';
import { failureKind } from '../failures/kinds.ts';

/** Output of the `auth` action; its HTTP status is always 200. */
export type AuthResult =
  { readonly valid_credentials: true } | { readonly valid_credentials: false; readonly error: string };

const refused = (error: string): AuthResult => ({ valid_credentials: false, error });

const describe = ({ error }: InboundFailure): AuthResult => {
  if (error.code === 'vendor_auth_refused') return refused('Invalid username or password');
  if (failureKind(error).title === 'Configuration error') return refused(`api_url: ${error.message}`);
  return refused(`${failureKind(error).title}: ${error.message}`);
};

/**
 * The `auth` action (device contract, section 6): checks the credentials by a pingback, which probably causes an event of code 65. What is
 * wrong with the configuration itself is answered without a call.
 * @param data the action's configuration as it came, any shape
 */
export const auth = async (data: unknown, inbound: Pick<Inbound, 'pingback'>): Promise<AuthResult> => {
  const config = readInboundConfig(data);
  if (typeof config === 'string') return refused(`${config} is missing`);
  const outcome = await inbound.pingback(config);
  return outcome.kind === 'accepted' ? { valid_credentials: true } : describe(outcome);
};
