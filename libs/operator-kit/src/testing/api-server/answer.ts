import type { IncomingMessage, ServerResponse } from 'node:http';
import { Failure, statusOf } from './failure.ts';
import type { RequestFault } from './faults.ts';
import type { Reply } from './verbs.ts';

const maxBytes = 3 * 1_048_576;

export const readBody = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).byteLength;
    if (size > maxBytes) throw new Failure(413, 'RequestEntityTooLarge', 'limit is 3145728');
    chunks.push(chunk as Buffer);
  }
  if (size === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  } catch {
    throw new Failure(400, 'BadRequest', 'the body is no JSON');
  }
};

export const replyOf = (error: unknown): Reply => {
  const failure = error instanceof Failure ? error : new Failure(500, 'InternalError', String(error));
  return { status: failure.code, body: statusOf(failure) };
};

export const answer = (
  response: ServerResponse,
  { status, body }: Reply,
  headers: Record<string, string> = {},
): void => {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
};

export const answerHalf = (response: ServerResponse, { status, body }: Reply): void => {
  const text = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': text.byteLength });
  response.write(text.subarray(0, text.byteLength >> 1), () => response.destroy());
};

export const answerStatus = (response: ServerResponse, fault: RequestFault & { kind: 'status' }): void => {
  const { status, retryAfter, reason = 'Fault' } = fault;
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  answer(response, { status, body: statusOf(new Failure(status, reason, `told to answer ${status}`)) }, headers);
};
