import { json, type Answer } from '../http/answer.ts';
import type { Accepted } from './accepted.ts';
import { checkMessage } from './check-message.ts';
import { refusalBody, unprocessable } from './refusals.ts';

/** The account that texts are sent from. */
export interface Account {
  readonly devices: ReadonlySet<string>;
  readonly accepted: Accepted;
  /** Of a refused call to known and unknown devices, the known ones' part is sent all the same. */
  readonly acceptKnown: boolean;
}

const messagesIn = (body: Buffer): readonly unknown[] | undefined => {
  try {
    const { Messages } = JSON.parse(body.toString()) as { Messages?: unknown };
    return Array.isArray(Messages) && Messages.length > 0 ? Messages : undefined;
  } catch {
    return undefined;
  }
};

/** Handles the body of a `Message` call at `now`: all texts are accepted, or the call is refused for the first bad one. */
export const takeMessages = (account: Account, body: Buffer, path: string, now: number): Answer => {
  const raw = messagesIn(body);
  if (!raw) return json(422, refusalBody(unprocessable(1, 'No messages', 'Messages is a list'), path));
  const known = (imei: string): boolean => account.devices.has(imei);
  const checked = raw.map((one) => checkMessage(one, known, now));
  for (const [index, one] of checked.entries()) {
    if (!('refusal' in one)) continue;
    if (account.acceptKnown && one.refusal.code === 4 && one.refusal.imeis !== null) {
      const recipients = (Reflect.get(raw[index] as object, 'Recipients') as unknown[]).map(String).filter(known);
      const part = checkMessage(Object.assign({}, raw[index], { Recipients: recipients }), known, now);
      if ('message' in part) account.accepted.add(part.message);
    }
    return json(one.refusal.status, refusalBody(one.refusal, path));
  }
  for (const one of checked) if ('message' in one) account.accepted.add(one.message);
  return json(200, { count: checked.length });
};
