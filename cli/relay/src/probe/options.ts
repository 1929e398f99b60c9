import { InvalidArgumentError } from 'commander';
import type { ProbeEnv } from './env.ts';
import type { Position } from './event.ts';

/** `<latitude>,<longitude>` in degrees. @throws InvalidArgumentError */
export const positionOption = (text: string): Position => {
  const [, latitude, longitude] = /^(-?\d{1,2}(?:\.\d{1,9})?),(-?\d{1,3}(?:\.\d{1,9})?)$/.exec(text) ?? [];
  const position = { latitude: Number(latitude), longitude: Number(longitude) };
  if (Math.abs(position.latitude) <= 90 && Math.abs(position.longitude) <= 180) return position;
  throw new InvalidArgumentError('It takes two numbers of degrees, like -1.2861,36.8172.');
};

/** Address of the webhook; a base address without a path gets the usual one. */
export const webhookAddress = (
  given: string | undefined,
  { PROBE_URL, INGESTER_PORT }: Pick<ProbeEnv, 'PROBE_URL' | 'INGESTER_PORT'>,
): string => {
  const url = new URL(given ?? PROBE_URL ?? `http://127.0.0.1:${INGESTER_PORT}`);
  if (url.pathname === '/') url.pathname = '/webhooks';
  return url.href;
};

/** The address that a test event of an integration is posted to. */
export const addressFor = (url: string, integration: string): string => {
  const address = new URL(url);
  address.searchParams.set('integration_id', integration);
  return address.href;
};
