import { timingSafeEqual } from 'node:crypto';
import { json, type Answer, type SimRequest } from '../http/answer.ts';
import { refusalBody, type Refusal } from './refusals.ts';

const wrong: Refusal = {
  status: 403,
  code: 3,
  message: 'Invalid username or password',
  description: '',
  imeis: null,
};

const same = (a: string, b: string): boolean =>
  Buffer.byteLength(a) === Buffer.byteLength(b) && timingSafeEqual(Buffer.from(a), Buffer.from(b));

/** The refusal of a call by its credentials: 401 without any, 403 with wrong ones. The body is not read for it. */
export const credentialsRefusal = (request: SimRequest, username: string, password: string): Answer | undefined => {
  const token = /^Basic (.+)$/i.exec(request.headers['authorization'] ?? '')?.[1];
  if (token === undefined) return { status: 401, headers: { 'www-authenticate': 'Basic' }, body: '' };
  return same(Buffer.from(token, 'base64').toString(), `${username}:${password}`)
    ? undefined
    : json(403, refusalBody(wrong, request.path));
};
