import type { IngestLogLine, PlatformProcess } from './platform.ts';
import { until } from './until.ts';

/** A running product, in one process or in many, with the platform that it sends to. */
export interface Target {
  readonly webhookUrl: string;
  readonly token: string;
  readonly platform: PlatformProcess;
}

/** One event as the vendor sends it; `n` becomes its altitude, by which it is found again. */
export const event = (n: number, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  imei: '300434030000001',
  messageCode: 0,
  freeText: null,
  timeStamp: Date.UTC(2026, 0, 1) + n * 1000,
  addresses: [],
  point: { latitude: -1.25, longitude: 36.8, altitude: n, gpsFix: 2, course: 0, speed: 1 },
  status: { autonomous: 1, lowBattery: 0, intervalChange: 0, resetDetected: 0 },
  ...more,
});

/** Events in an envelope. */
export const envelope = (...events: readonly unknown[]): string => JSON.stringify({ Version: '3.0', Events: events });

/** Posts a body to the webhook of an integration. */
export const post = (
  { webhookUrl, token }: Target,
  integration: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  fetch(`${webhookUrl}?integration_id=${integration}`, {
    method: 'POST',
    headers: { 'x-outbound-auth-token': token, ...headers },
    body: body as string,
  });

/** Posts JSON with a caller's token. */
export const postJson = (url: string, token: string, body: object, timeoutMs = 600_000): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(timeoutMs),
  });

/** Posts events and expects the 200 that makes them ours. */
export const send = async (installation: Target, integration: string, ...events: readonly unknown[]): Promise<void> => {
  const answer = await post(installation, integration, envelope(...events));
  if (answer.status !== 200) throw new Error(`webhook answered ${answer.status}: ${await answer.text()}`);
};

/** Items of an integration that the platform has stored, in order. */
export const stored = async ({ platform }: Target, integration: string): Promise<IngestLogLine[]> =>
  (await platform.ingestLog()).filter((line) => line.integration === integration && line.outcome === 'stored');

/** Numbers of the stored observations of an integration, in order. */
export const storedNumbers = async (installation: Target, integration: string): Promise<number[]> =>
  (await stored(installation, integration))
    .filter(({ kind }) => kind === 'observation')
    .map(({ item }) => Number(item.additional['altitude']));

/** Waits until so many items of an integration are stored. */
export const untilStored = (
  installation: Target,
  integration: string,
  count: number,
  timeoutMs = 60_000,
): Promise<void> => {
  const areStored = async (): Promise<boolean> => (await stored(installation, integration)).length >= count;
  return until(`${count} items of ${integration} stored`, areStored, timeoutMs);
};

/** Waits until the observations with these numbers are stored. */
export const untilNumbers = (
  installation: Target,
  integration: string,
  numbers: readonly number[],
  timeoutMs = 60_000,
): Promise<void> => {
  const areStored = async (): Promise<boolean> => {
    const there = new Set(await storedNumbers(installation, integration));
    return numbers.every((n) => there.has(n));
  };
  return until(`events ${numbers.join(', ')} of ${integration} stored`, areStored, timeoutMs);
};
